import Analysis
import Primitives
import RunRecords
import Transport

/// Whether plans come out right where the answer follows from arithmetic: sweeps whose best setting is known, and capacities that are caps.
struct PlanningTrials {
    private let options: BenchmarkOptions
    private let trials: Int

    init(_ options: BenchmarkOptions) {
        self.options = options
        trials = options.rounds(10)
    }

    // MARK: - Sweeps

    /// A connection carries window ÷ 20 ms and the gateway 40,000/s in all, so that 800 notifications on their way are enough: with the
    /// fewest connections 2 of 400.
    private static let windows = [50, 100, 200, 400, 800]
    private static let connectionCounts = [1, 2, 4, 8, 16]
    private static let best = (window: 400, connections: 2)
    private static let sweptProfile = """
        {
          name: "known-optimum",
          target: { simulator: { roundTrip: "20ms", faults: [{ fault: "throttle", rate: "40k/s", scope: "total" }] } },
          workload: { devices: 1_000, seed: 1 }, phases: { warmup: "200ms", measure: "600ms" },
          sender: { mode: "windowed", batch: { notifications: 50, linger: "0ms" } },
        }
        """

    func sweeps() throws -> ResultTable {
        var table = ResultTable(
            "sweeps whose best setting is window 400, connections 2: a round trip of 20 ms, 40,000/s in all",
            columns: ["seed", "window", "connections", "accepted/s", "grid steps away", "runs", "of the full grid %"])
        let folder = try WorkFolder()
        defer { folder.remove() }
        let profile = try folder.file("profile.json5", Self.sweptProfile)
        let windows = options.isQuick ? [400] : Self.windows
        let connectionCounts = options.isQuick ? [1, 2] : Self.connectionCounts
        var near = 0
        var shares: [Double] = []
        for seed in 1...trials {
            let output = folder.path + "/sweep.json"
            let words =
                [
                    "sweep", profile, "--quiet", "--order-seed", "\(seed)", "--output", "json=" + output, "--repeat",
                    options.isQuick ? "1" : "5", "--vary", "sender.window=" + list(windows), "--vary",
                    "sender.connections=" + list(connectionCounts),
                ] + (options.isQuick ? ["--set", "phases.warmup=50ms", "--set", "phases.measure=200ms"] : [])
            let child = try ChildProcess(options.program, words, log: folder.path + "/log")
            let (code, _) = try child.wait()
            guard code == 0 else { throw BenchmarkFailure("sweep ended with \(code): \(child.output)") }
            let record = try SweepRecord.read(output)
            guard let findings = record.findings, let cell = findings.recommended else {
                throw BenchmarkFailure("a sweep recommends nothing")
            }
            let place = record.grid.place(ofCell: cell)
            let wanted = [
                windows.firstIndex(of: Self.best.window), connectionCounts.firstIndex(of: Self.best.connections),
            ]
            let steps = zip(place, wanted).map { abs($0 - ($1 ?? 0)) }.max() ?? 0
            let share = Double(record.runs.count) / Double(record.grid.count * record.repeats)
            near += steps <= 1 ? 1 : 0
            shares.append(share)
            table.add([
                .count(Int64(seed)), .text(record.grid.values(ofCell: cell)[0]),
                .text(record.grid.values(ofCell: cell)[1]),
                findings.cells[cell].acceptedPerSecond.map { .count(Int64($0)) } ?? .none, .count(Int64(steps)),
                .count(Int64(record.runs.count)), .number(100 * share, decimals: 0),
            ])
        }
        guard !options.isQuick else { return table }
        table.require("sweeps further than a step away", Double(trials - near), atMost: Double(trials / 10))
        table.require("runs of a race ÷ runs of the full grid", median(shares), atMost: 0.5)
        return table
    }

    private func list(_ values: [Int]) -> String { values.map { "\($0)" }.joined(separator: ",") }

    // MARK: - Capacities

    func capacities() throws -> ResultTable {
        let cap = 20_000.0
        var table = ResultTable(
            "capacities of a gateway that takes \(Int(cap)) a second",
            columns: ["try", "finding", "sustainable/s", "of the cap", "failing/s", "tries", "seconds"])
        let folder = try WorkFolder()
        defer { folder.remove() }
        let profile = try folder.file(
            "profile.json5",
            """
            {
              name: "known-cap",
              target: { simulator: { faults: [{ fault: "throttle", rate: "\(Int(cap))/s", scope: "total" }] } },
              workload: { devices: 1_000, seed: 1 }, sender: { connections: 4 },
            }
            """)
        var near = 0
        for number in 1...trials {
            let output = folder.path + "/capacity.json"
            let lengths =
                options.isQuick
                ? ["--probe", "200ms", "--settle", "50ms", "--confirm", "200ms", "--max-rate", "6000/s"]
                : ["--probe", "2s", "--settle", "500ms", "--confirm", "5s"]
            let words =
                [
                    "capacity", profile, "--quiet", "--output", "json=" + output, "--start",
                    "\(5_000 + 137 * number)/s",
                ] + lengths
            let begin = MonotonicClock.now()
            let child = try ChildProcess(options.program, words, log: folder.path + "/log")
            _ = try child.wait()
            let record = try CapacityRecord.read(output)
            guard let finding = record.finding else { throw BenchmarkFailure("a search found nothing") }
            let share = (finding.sustainablePerSecond ?? 0) / cap
            near += finding.kind == .found && abs(share - 1) <= 0.05 ? 1 : 0
            table.add([
                .count(Int64(number)), .text(finding.kind.rawValue),
                finding.sustainablePerSecond.map { .count(Int64($0)) } ?? .none, .number(share, decimals: 3),
                finding.failingPerSecond.map { .count(Int64($0)) } ?? .none, .count(Int64(record.probes.count)),
                .number((MonotonicClock.now() - begin).seconds, decimals: 0),
            ])
        }
        guard !options.isQuick else { return table }
        table.require(
            "capacities further than 5 % from the cap", Double(trials - near), atMost: Double(trials / 10))
        return table
    }
}
