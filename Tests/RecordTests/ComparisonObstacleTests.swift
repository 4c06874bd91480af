import Analysis
import Primitives
import Reports
import RunRecords
import Statistics
import Testing

@Suite struct ComparisonObstacleTests {
    private let runs = scatteredRuns(10, around: 100_000, seed: 1)

    /// Compares the sound runs with the same ones, changed.
    private func against(_ change: (inout RunRecord) -> Void) -> Comparison {
        var candidate = runs
        for index in candidate.indices { change(&candidate[index]) }
        return compare(runs, candidate)
    }

    @Test func `every reason against a comparison is listed`() {
        var profile = Profile()
        profile.name = "other"
        profile.sender.window = 4_096
        let comparison = against { run in
            run.machine.cores = 4
            run.machine.kernel = "6.1"
            run.tool.build = "debug"
            run.tool.libraries = ["jemalloc": "5.2"]
            run.profile = profile.effectiveJSON
            run.profileHash = profile.hash
            run.verdict.status = .interrupted
            run.ledger.unsent = 5
        }
        #expect(
            comparison.obstacles == [
                "other machine: cores 2 against 4", "other machine: kernel  against 6.1",
                "other program: build  against debug", "other program: jemalloc none against 5.2",
                "other profile: sender.window 65536 against 4096",
                "the candidate did not come to its end: interrupted", "the ledger of the candidate does not balance",
                "the candidate left up to 5 notifications unsent, the baseline none: its other figures flatter it",
            ])
        #expect(comparison.verdict.status == .inconclusive && comparison.verdict.exitCode == 4)
        let text = ComparisonTable(comparison, style: .plain).text
        #expect(text.hasPrefix("NOT COMPARABLE\n  - other machine: cores 2"))
        #expect(!text.contains("worse") && !text.contains("better") && !text.contains("regressed"))
    }

    @Test func `another processor is not comparable, however clear the change`() {
        let slow = scatteredRuns(10, around: 50_000, seed: 2).map { run in
            var run = run
            run.machine.cpuModel = "Other CPU"
            return run
        }
        let comparison = compare(runs, slow)
        #expect(comparison.obstacles == ["other machine: cpu model Example CPU against Other CPU"])
        #expect(comparison.verdict.exitCode == 4)
    }

    @Test(arguments: [
        VerdictRecord.Status.running, .interrupted, .unreachable, .internalError, .generatorLimited, .scheduleMissed,
    ])
    func `a run without an end of its own says nothing`(_ status: VerdictRecord.Status) {
        var candidate = runs
        candidate[4].verdict.status = status
        for comparison in [compare(runs, candidate), compare(candidate, runs)] {
            #expect(comparison.obstacles.count == 1 && comparison.verdict.status == .inconclusive)
            #expect(comparison.verdict.exitCode == [.unreachable: 8, .internalError: 1, .running: 1][status] ?? 4)
        }
    }

    @Test func `the generator's limit says nothing about another's gateway`() {
        let limited = against { $0.limit = LimitRecord(kind: .generator, evidence: "busy") }
        #expect(limited.obstacles.isEmpty, "with a simulator of ours the sender is a part of what is compared")
        let foreign = against { run in
            run.limit = LimitRecord(kind: .generator, evidence: "busy")
            run.simulatorLedger = nil
        }
        #expect(foreign.obstacles == ["the generator was the limit of the candidate"])
        #expect(foreign.verdict.exitCode == 4)
    }

    @Test func `figures that cannot be true are obstacles`() {
        let broken = against { $0.brokenInvariants = ["accepted exceeds generated"] }
        #expect(broken.obstacles == ["the candidate contradicts itself: accepted exceeds generated"])
        #expect(broken.verdict.exitCode == 4)
        let idle = against { $0.throughput = ThroughputRecord(accepted: 0, written: 1, bytes: 1, over: .seconds(1)) }
        #expect(idle.obstacles == ["the candidate accepted nothing: its other figures mean nothing"])
        #expect(idle.verdict.exitCode == 4)
    }

    @Test func `a regression without a ratio tells its medians`() {
        let idle = runs.map { run in
            var run = run
            run.ledger.resent = 0
            return run
        }
        let comparison = compare(idle, runs) { $0.gates = [.plain(.resent)] }
        #expect(comparison.verdict.status == .regressed, "\(comparison.verdict)")
        #expect(comparison.verdict.reasons == ["resent regressed: from 0 to 1,234, p 0.000011"])
        let same = compare(runs, runs) { $0.gates = [.plain(.lost)] }
        #expect(same.verdict.reasons == ["lost is equivalent: it is the same in all runs"])
    }

    @Test func `a faster candidate that loses notifications is not faster`() {
        var fast = scatteredRuns(10, around: 200_000, seed: 2)
        fast[7].ledger.accepted -= 3
        fast[7].ledger.lost = 3
        let comparison = compare(runs, fast)
        #expect(comparison.verdict.status == .inconclusive && comparison.verdict.exitCode == 4)
        #expect(comparison.verdict.reasons[0].contains("3 notifications lost"))
        #expect(compare(fast, fast).obstacles.isEmpty, "what both lose is a figure like others")
    }

    @Test func `profiles that differ on purpose are told and compared`() {
        var profile = Profile()
        profile.sender.window = 4_096
        let candidate = runs.map { run in
            var run = run
            run.profile = profile.effectiveJSON
            run.profileHash = profile.hash
            return run
        }
        let comparison = compare(runs, candidate) { $0.mayDiffer = true }
        #expect(comparison.obstacles.isEmpty)
        #expect(comparison.notes.contains("compared on purpose: sender.window 65536 against 4096"))
        var mixed = runs
        mixed[2] = candidate[2]
        #expect(compare(runs, mixed).obstacles == ["the runs of the candidate have different profiles"])
    }

    @Test func `no runs are no comparison`() {
        #expect(compare([], runs).obstacles == ["the baseline has no run"])
        #expect(compare(runs, []).verdict.exitCode == 4)
        #expect(compare([], []).obstacles.count == 2)
    }

    @Test func `runs of the candidate that failed fail the comparison, those of the baseline are told`() {
        let failed = VerdictRecord(status: .failed, reasons: ["x > 1 failed"], exitCode: 3)
        let comparison = against { $0.verdict = failed }
        #expect(comparison.verdict.exitCode == 3)
        #expect(
            comparison.verdict.reasons.last == "10 of 10 runs of the candidate failed, the first because x > 1 failed")
        let failing = runs.map { run in
            var run = run
            run.verdict = failed
            return run
        }
        let mended = compare(failing, runs)
        #expect(mended.verdict.exitCode == 0)
        #expect(mended.notes.contains("10 of 10 runs of the baseline failed, the first because x > 1 failed"))
    }

    @Test(arguments: [(VerdictRecord.Status.unreachable, 8), (.internalError, 1), (.running, 1)])
    func `a run that was none gives the comparison its exit code, whatever is let pass`(
        _ status: VerdictRecord.Status, _ code: Int
    ) {
        var dead = runs
        dead[3].verdict = VerdictRecord(status: status, reasons: ["gone"], exitCode: code)
        #expect(compare(runs, dead) { $0.isAdvisory = true }.verdict.exitCode == code)
        #expect(compare(dead, runs).verdict.exitCode == code)
    }

    @Test func `a profile that was changed under its hash is another one`() {
        var profile = Profile()
        let sound = runs.map { run in
            var run = run
            (run.profile, run.profileHash) = (profile.effectiveJSON, profile.hash)
            return run
        }
        profile.sender.window = 4_096
        var changed = sound
        for index in changed.indices { changed[index].profile = profile.effectiveJSON }
        #expect(compare(sound, changed).obstacles == ["other profile: sender.window 65536 against 4096"])
        #expect(
            compare(sound, Array(sound[..<9] + changed[9...])).obstacles == [
                "the runs of the candidate have different profiles"
            ])
        (profile.sender.window, profile.name) = (65_536, "renamed")
        for index in changed.indices { changed[index].profile = profile.effectiveJSON }
        #expect(compare(sound, changed).obstacles.isEmpty)
    }

    @Test func `a run that passed though its ledgers differ is not compared`() {
        let comparison = against { $0.ledgerDifference = 7 }
        #expect(comparison.obstacles == ["the ledgers of the candidate's sender and simulator differ"])
    }
}

@Suite struct ComparisonOutputTests {
    @Test func `the table names verdict, figures and how it was found`() {
        let comparison = compare(
            scatteredRuns(10, around: 100_000, seed: 1), scatteredRuns(10, around: 80_000, seed: 2))
        let lines = ComparisonTable(comparison, style: .plain).text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "REGRESSED")
        #expect(lines[1].hasPrefix("  - accepted/s regressed: -20"), "\(lines[1])")
        #expect(
            lines[2].split(separator: " ") == ["figure", "baseline", "candidate", "change", "95", "%", "interval", "p"])
        #expect(lines[3].hasPrefix("* accepted/s") && lines[3].hasSuffix("  0.000011  regressed"), "\(lines[3])")
        #expect(lines.contains { $0.hasPrefix("  bytes/s") && $0.hasSuffix("worse") })
        #expect(lines.contains("10 runs against 10, apart; seed 1, alpha 0.050"))
        #expect(lines.contains("smallest change that counts: accepted/s 5.0 % (assumed)"))
    }

    @Test func `one run each shows changes without a verdict`() {
        let text = ComparisonTable(
            compare([sampleRun(acceptedPerSecond: 1_000)], [sampleRun(acceptedPerSecond: 900)]), style: .plain
        ).text
        #expect(text.hasPrefix("INCONCLUSIVE\n  - accepted/s: too few runs: 1 against 1, and 4 of each are needed\n"))
        #expect(text.contains("-10.0 %") && !text.contains("worse"))
    }

    @Test func `its JSON has a schema, nulls and no lists of nothing`() throws {
        let comparison = compare(
            scatteredRuns(5, around: 100_000, seed: 1), scatteredRuns(5, around: 80_000, seed: 2))
        let text = String(decoding: try OutputFormat.json.render(.comparison(comparison), style: .plain), as: UTF8.self)
        #expect(text.contains("\"schema\" : \"pushbench.compare/1\""))
        #expect(text.contains("\"status\" : \"regressed\"") && text.contains("\"exitCode\" : 5"))
        #expect(text.contains("\"confirmation\" : null"))
        let folder = try TemporaryFolder()
        try folder.write("c.json", text)
        #expect(try Comparison.read(folder.path("c.json")) == comparison)
        #expect(throws: RecordError.self) { try RunSeriesRecord.read(folder.path("c.json")) }
        let error = #expect(throws: RecordError.self) {
            try OutputFormat.csv.render(.comparison(comparison), style: .plain)
        }
        #expect(error.map { "\($0)" }?.hasPrefix("csv is no form of a comparison; accepted here: ") == true)
    }
}
