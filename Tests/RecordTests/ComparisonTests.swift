import Analysis
import Histograms
import Primitives
import Reports
import RunRecords
import Statistics
import Testing

@Suite struct ComparisonTests {
    @Test(arguments: 0..<10)
    func `a planted slowdown of 20 % is a regression, and a speed-up an improvement`(_ seed: UInt64) throws {
        let base = scatteredRuns(10, around: 100_000, seed: seed)
        let slow = scatteredRuns(10, around: 80_000, seed: seed + 100)
        let comparison = compare(base, slow)
        #expect(comparison.verdict.status == .regressed && comparison.verdict.exitCode == 5, "seed \(seed)")
        let figure = try #require(comparison.figure("accepted/s"))
        #expect(figure.isGating && abs((figure.change ?? 0) - 0.2) < 0.02, "seed \(seed): \(figure)")
        let back = compare(slow, base)
        #expect(back.verdict.status == .improved && back.verdict.exitCode == 0, "seed \(seed)")
    }

    @Test(arguments: 0..<20)
    func `the same thing twice is never a regression of a size that counts`(_ seed: UInt64) {
        let comparison = compare(
            scatteredRuns(10, around: 100_000, seed: seed), scatteredRuns(10, around: 100_000, seed: seed + 1_000))
        #expect(comparison.verdict.status == .noEvidence && comparison.verdict.exitCode == 0, "seed \(seed)")
    }

    @Test func `less is better for latencies, and more for rates`() throws {
        func runs(residence: Int64, rate: Int64) -> [RunRecord] {
            (0..<8).map { index in
                var run = sampleRun(acceptedPerSecond: rate + Int64(index))
                let histogram = Histogram()
                for value in Int64(1)...2_000 { histogram.record(value * residence + Int64(index)) }
                run.latency["residence"] = LatencyRecord(histogram)
                return run
            }
        }
        let comparison = compare(runs(residence: 1_000, rate: 1_000), runs(residence: 2_000, rate: 2_000))
        #expect(comparison.figure("residence.p99")?.verdict == .regressed)
        #expect(comparison.figure("accepted/s")?.verdict == .improved)
        #expect(comparison.figure("bytes/s")?.verdict == .improved)
        #expect(comparison.figure("written/s")?.verdict == nil, "it describes")
        #expect(comparison.verdict.status == .improved, "only accepted/s decides")
        let gated = compare(runs(residence: 1_000, rate: 1_000), runs(residence: 2_000, rate: 2_000)) {
            $0.gates = [.plain(.acceptedPerSecond), .latency(series: "residence", .quantile(0.99))]
        }
        #expect(gated.verdict.status == .regressed && gated.gating.map(\.name) == ["accepted/s", "residence.p99"])
    }

    @Test(arguments: [(1, 1), (3, 3), (2, 40), (3, 8)])
    func `too few runs decide nothing, and say how many are needed`(_ base: Int, _ candidate: Int) throws {
        let comparison = compare(
            scatteredRuns(base, around: 100_000, seed: 1), scatteredRuns(candidate, around: 50_000, seed: 2))
        if base == 3, candidate == 8 {
            #expect(comparison.verdict.status == .regressed, "2 of 165 assignments are few enough")
            return
        }
        #expect(comparison.verdict.status == .inconclusive && comparison.verdict.exitCode == 4)
        let reason = try #require(comparison.verdict.reasons.first)
        #expect(reason == "accepted/s: too few runs: \(base) against \(candidate), and 4 of each are needed")
    }

    @Test func `an advisory comparison passes without evidence, and not with a regression`() {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        #expect(compare(Array(base[..<2]), base) { $0.isAdvisory = true }.verdict.exitCode == 0)
        let slow = scatteredRuns(10, around: 50_000, seed: 2)
        #expect(compare(base, slow) { $0.isAdvisory = true }.verdict.exitCode == 5)
    }

    @Test func `a deciding figure that a run lacks is inconclusive`() throws {
        var candidate = scatteredRuns(10, around: 50_000, seed: 2)
        candidate[3].throughput = ThroughputRecord()
        let comparison = compare(scatteredRuns(10, around: 100_000, seed: 1), candidate)
        #expect(comparison.verdict.status == .inconclusive && comparison.verdict.exitCode == 4)
        #expect(comparison.verdict.reasons == ["accepted/s: no data: 1 of 10 runs of the candidate lack it"])
        let other = compare(candidate, candidate) { $0.gates = [.latency(series: "errorReply", .quantile(0.99))] }
        #expect(other.verdict.exitCode == 4 && other.verdict.reasons[0].hasPrefix("errorReply.p99: no data: 10 of 10"))
    }

    @Test func `a figure that describes cannot decide`() {
        let runs = scatteredRuns(10, around: 100_000, seed: 1)
        let comparison = compare(runs, runs) { $0.gates = [.plain(.writtenPerSecond)] }
        #expect(comparison.verdict.status == .inconclusive && comparison.verdict.exitCode == 4)
    }

    @Test func `several deciding figures share the error rate`() throws {
        let base = scatteredRuns(6, around: 100_000, seed: 1)
        let candidate = scatteredRuns(6, around: 100_500, seed: 9)
        let alone = try #require(compare(base, candidate).figure("accepted/s"))
        let together = compare(base, candidate) {
            $0.gates = [.plain(.acceptedPerSecond), .plain(.bytesPerSecond), .plain(.lost)]
        }
        let corrected = try #require(together.figure("accepted/s"))
        #expect(corrected.p == alone.p)
        let p = try #require(corrected.p)
        #expect(corrected.adjustedP == min(1, 3 * p), "\(corrected)")
        #expect(together.figure("lost")?.verdict == .equivalent, "nothing was lost anywhere")
    }

    @Test func `what was never measured on a machine is not equivalent`() throws {
        let runs = scatteredRuns(10, around: 100_000, seed: 1)
        let unknown = compare(runs, runs)
        #expect(unknown.verdict.status == .noEvidence)
        #expect(unknown.figure("accepted/s")?.noiseSource == .assumed)
        #expect(unknown.verdict.reasons[0].contains("no evidence of a change: 0.0 % ["))
        #expect(unknown.verdict.reasons[0].hasSuffix(" could have been seen"))
        let declared = compare(runs, runs) { $0.declaredNoise = 0.03 }
        #expect(declared.verdict.status == .equivalent && declared.figure("accepted/s")?.noiseSource == .declared)
        let measured = compare(runs, runs) {
            $0.noise = ["accepted/s": NoiseFloor(pairRatios: [1 / 1.02, 1.02, 1.01, 0.985])]
            $0.declaredNoise = 0.5
        }
        let figure = try #require(measured.figure("accepted/s"))
        #expect(figure.noiseSource == .measured && abs(figure.noise - 0.02) < 1e-9 && figure.verdict == .equivalent)
    }

    @Test(arguments: [2.88, 1 / 2.88])
    func `no noise makes a gate that cannot fail`(_ ratio: Double) throws {
        let noise = ["accepted/s": NoiseFloor(pairRatios: [1, ratio, 1, ratio])]
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        func against(_ rate: Double) -> Comparison {
            compare(base, scatteredRuns(10, around: rate, seed: 2)) { $0.noise = noise }
        }
        #expect(abs(try #require(against(5_000).figure("accepted/s")).noise - 1.88) < 0.001)
        #expect(against(5_000).verdict.exitCode == 5, "a fall by 95 %")
        #expect(against(2_000_000).verdict.status == .improved)
        for hidden in [against(50_000), against(200_000)] {
            #expect(hidden.verdict.status == .inconclusive && hidden.verdict.exitCode == 4)
            #expect(hidden.verdict.reasons[0].contains("noise above 25.0 % decides nothing"), "\(hidden.verdict)")
            #expect(ComparisonTable(hidden, style: .plain).text.contains("too noisy"))
        }
        #expect(against(100_000).verdict.exitCode == 0, "what does not change is no obstacle")
    }

    @Test func `a fall counts from where the rise that takes it back counts`() {
        let base = [RunRecord](repeating: sampleRun(acceptedPerSecond: 100_000), count: 6)
        func status(_ rate: Int64) -> Verdict {
            compare(base, [RunRecord](repeating: sampleRun(acceptedPerSecond: rate), count: 6)) {
                $0.declaredNoise = 0.25
            }.verdict.status
        }
        #expect(status(79_900) == .regressed && status(80_100) == .equivalent)
        #expect(status(125_100) == .improved && status(124_900) == .equivalent)
    }

    @Test func `a change below the noise of the machine is no regression`() {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let slower = scatteredRuns(10, around: 92_000, seed: 2)
        #expect(compare(base, slower).verdict.status == .regressed)
        let noisy = compare(base, slower) {
            $0.noise = ["accepted/s": NoiseFloor(pairRatios: [0.85, 1.15, 1, 1.1, 0.9])]
        }
        #expect(noisy.verdict.status != .regressed && noisy.verdict.exitCode == 0)
    }

    @Test func `interleaved runs are compared in pairs, which removes drift`() throws {
        let rates = (0..<10).map { Int64(100_000 - 6_000 * $0) }
        let base = rates.map { sampleRun(acceptedPerSecond: $0) }
        let candidate = rates.map { sampleRun(acceptedPerSecond: $0 * 9 / 10) }
        let paired = compare(base, candidate) { $0.order = "ABBAABBAABBAABBAABBA" }
        let figure = try #require(paired.figure("accepted/s"))
        #expect(paired.method.design == .interleaved && paired.method.order == "ABBAABBAABBAABBAABBA")
        #expect(abs((figure.ratioLow ?? 0) - 0.9) < 1e-4 && abs((figure.ratioHigh ?? 0) - 0.9) < 1e-4)
        let apart = compare(base, candidate)
        #expect((apart.figure("accepted/s")?.ratioHigh ?? 0) > 1, "by themselves they overlap")
        #expect(apart.notes.contains { $0.hasPrefix("the sides were run apart") })
    }

    @Test func `figures of zero and below have a shift and no ratio`() throws {
        func runs(lost: [Double]) -> [RunRecord] {
            lost.map { value in
                var run = sampleRun(acceptedPerSecond: 1_000)
                run.reconnects.throughputLost = ThroughputLostRecord(
                    notifications: value, standardError: 1, reconnects: 1, episodes: 1, medianPerSecond: 1, binNs: 1,
                    quietNs: 1, touchedNs: 1)
                return run
            }
        }
        let comparison = compare(runs(lost: [-5, -4, -3, -2, 1, 2]), runs(lost: [90, 91, 92, 93, 94, 95]))
        let figure = try #require(comparison.figure("reconnect.lost"))
        #expect(figure.ratio == nil && figure.changeText == nil && figure.verdict == .regressed)
        let shift = try #require(figure.shift)
        #expect(shift > 90 && shift < 100)
        let same = compare(runs(lost: [-5, -4, -3, -2, 1, 2]), runs(lost: [-5, -3, -4, -1, 1, 2]))
        #expect(same.figure("reconnect.lost")?.verdict == .noEvidence)
    }

    @Test func `a threshold about a change fails when chance does not explain it`() throws {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        func outcome(_ rate: Double, _ text: String, runs count: Int = 10) throws -> (Bool?, Int) {
            let threshold = try Threshold(text)
            let comparison = compare(base, scatteredRuns(count, around: rate, seed: 2)) { $0.thresholds = [threshold] }
            return (comparison.thresholds.first?.passed, comparison.verdict.exitCode)
        }
        #expect(try outcome(97_000, "compare(bytes/s) > -5%") == (true, 0))
        #expect(try outcome(90_000, "compare(bytes/s) > -5%") == (false, 5), "accepted/s has regressed, too")
        #expect(try outcome(90_000, "compare(accepted/s) > -15%") == (true, 0), "what is tolerated is no regression")
        #expect(try outcome(80_000, "compare(accepted/s) > -15%") == (false, 5))
        #expect(try outcome(104_000, "compare(bytes/s) > 10%") == (false, 3), "an improvement that did not come")
        #expect(try outcome(99_900, "compare(bytes/s) > 0%") == (true, 0), "chance explains it")
        #expect(try outcome(100_000, "compare(bytes/s) > -5%", runs: 2) == (false, 4), "too few runs")
        #expect(try outcome(100_000, "compare(firstAcceptance.p99) < 5%") == (false, 3), "no run has it")
    }

    @Test func `nothing lost on either side is no change, and something lost is no percentage of nothing`() throws {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        for text in ["compare(lost) <= 0%", "compare(lost) == 0%"] {
            let threshold = try Threshold(text)
            let same = compare(base, base) { $0.thresholds = [threshold] }
            #expect(same.thresholds.map(\.value) == [0] && same.verdict.exitCode == 0, "\(same.verdict)")
        }
        let more = base.map { run in
            var run = run
            run.ledger.resent += 1
            return run
        }
        let none = base.map { run in
            var run = run
            run.ledger.resent = 0
            return run
        }
        let threshold = try Threshold("compare(resent) <= 0%")
        let risen = compare(none, more) { $0.thresholds = [threshold] }
        #expect(risen.verdict.exitCode == 3 && risen.verdict.reasons.last?.contains("no percentage") == true)
    }

    @Test func `what cannot be compared is inconclusive, whatever thresholds about changes say`() throws {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let moved = base.map { run in
            var run = run
            run.machine.cpuModel = "another"
            return run
        }
        let threshold = try Threshold("compare(accepted/s) > -5%")
        #expect(compare(base, moved) { $0.thresholds = [threshold] }.verdict.exitCode == 4)
        let advisory = compare(base, moved) {
            $0.thresholds = [threshold]
            $0.isAdvisory = true
        }
        #expect(advisory.verdict.status == .inconclusive && advisory.verdict.exitCode == 0)
    }

    @Test func `a threshold about a change must fail again to be confirmed`() throws {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        var plan = ComparisonPlan()
        plan.thresholds = [try Threshold("compare(bytes/s) > 10%")]
        let missed = compare(base, scatteredRuns(10, around: 104_000, seed: 2)) { $0.thresholds = plan.thresholds }
        #expect(missed.needsConfirmation && missed.verdict.exitCode == 3)
        var confirmed = missed
        confirmed.confirm(with: missed, plan: plan)
        #expect(confirmed.verdict.exitCode == 3)
        var unconfirmed = missed
        let fast = compare(base, scatteredRuns(10, around: 120_000, seed: 3)) { $0.thresholds = plan.thresholds }
        unconfirmed.confirm(with: fast, plan: plan)
        #expect(
            unconfirmed.verdict.exitCode == 0 && unconfirmed.notes.contains { $0.hasPrefix("unconfirmed: compare(") })
    }

    @Test func `an interrupted comparison says so and decides nothing`() throws {
        var comparison = compare(
            scatteredRuns(10, around: 100_000, seed: 1), scatteredRuns(10, around: 80_000, seed: 2))
        comparison.interrupt(pairs: 20, exitCode: 130, plan: ComparisonPlan())
        #expect(comparison.verdict.status == .inconclusive && comparison.verdict.exitCode == 130)
        #expect(comparison.verdict.reasons[0] == "interrupted by the user after 10 of 20 pairs")
    }

    @Test func `what a threshold tolerates is not called noise`() throws {
        let threshold = try Threshold("compare(accepted/s) > -50%")
        let comparison = compare(
            scatteredRuns(10, around: 100_000, seed: 1), scatteredRuns(10, around: 80_000, seed: 2)
        ) { $0.thresholds = [threshold] }
        #expect(comparison.figure("accepted/s")?.noiseSource == .tolerated)
        #expect(comparison.verdict.reasons[0].hasSuffix("within the 100.0 % that a threshold tolerates"))
    }

    @Test func `the candidate's profile brings thresholds about changes`() throws {
        var profile = Profile()
        profile.thresholds = [try Threshold("compare(bytes/s) > 50%"), try Threshold("lost == 0")]
        let runs = scatteredRuns(10, around: 100_000, seed: 1).map { run in
            var run = run
            run.profile = profile.effectiveJSON
            return run
        }
        let comparison = compare(runs, runs)
        #expect(comparison.thresholds.map(\.text) == ["compare(bytes/s) > 50%"])
        #expect(comparison.thresholds.map(\.passed) == [true], "chance explains it")
    }

    @Test func `a regression must show again to be confirmed`() throws {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let slow = compare(base, scatteredRuns(10, around: 80_000, seed: 2))
        var confirmed = slow
        confirmed.confirm(with: slow, plan: ComparisonPlan())
        #expect(confirmed.verdict.status == .regressed && confirmed.confirmation?.count == 1)
        var unconfirmed = slow
        unconfirmed.confirm(with: compare(base, base), plan: ComparisonPlan())
        #expect(unconfirmed.verdict.status == .noEvidence && unconfirmed.verdict.exitCode == 0)
        #expect(unconfirmed.verdict.reasons[0].hasPrefix("accepted/s: unconfirmed"))
        var broken = slow
        broken.confirm(with: compare(base, []), plan: ComparisonPlan())
        #expect(broken.verdict.exitCode == 4)
    }

    @Test func `a self-test finds what it plants, with runs of one's own, too`() {
        var plan = ComparisonPlan()
        plan.resamples = 400
        let findings = ComparisonSelfTest(plan: plan).findings
        #expect(findings.count == 5 && findings.allSatisfy { $0.isAsExpected }, "\(findings)")
        let own = ComparisonSelfTest(runs: scatteredRuns(6, around: 5_000, seed: 3), plan: plan).findings
        #expect(own.allSatisfy { $0.isAsExpected }, "\(own)")
        let few = ComparisonSelfTest(runs: scatteredRuns(3, around: 5_000, seed: 3), plan: plan).findings
        #expect(!few[0].isAsExpected, "three runs can show nothing")
        plan.noise = ["accepted/s": NoiseFloor(pairRatios: [0.5, 0.8, 1, 1.3, 2])]
        let hidden = ComparisonSelfTest(runs: scatteredRuns(6, around: 5_000, seed: 3), plan: plan).findings
        #expect(!hidden[0].isAsExpected, "this machine's noise hides it: \(hidden[0].text)")
    }

    @Test func `quantiles of too few values are not compared`() throws {
        var record = sampleRecord()
        let histogram = Histogram()
        for value in Int64(1)...999 { histogram.record(value) }
        record.latency = ["errorReply": LatencyRecord(histogram)]
        let names = compare([record], [record]).metrics.map(\.name)
        #expect(names.contains("errorReply.p50") && names.contains("errorReply.max"))
        #expect(!names.contains("errorReply.p99"))
        histogram.record(1_000)
        record.latency = ["errorReply": LatencyRecord(histogram)]
        #expect(compare([record], [record]).figure("errorReply.p99") != nil)
    }

    @Test(arguments: Metric.plainNames + ["response.p99", "residence.p99.9", "errorReply.max", "connectTLS.count"])
    func `a figure has the name by which it is found`(_ name: String) throws {
        #expect(try Metric(name).name == name)
    }
}
