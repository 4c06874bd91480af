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

    /// A gateway whose capacity is known.
    private enum Gateway: String, CaseIterable {
        /// It reads no more than so many a second.
        case capped = "reads 20,000/s"
        /// One server, so that a queue grows without bound only at its service rate; 99 % wait less than 20 ms, which is 200 services, up
        /// to 98.9 % of it by the tail of an M/D/1 queue, exp(-2 (1 - load) 200 / load) = 0.01.
        case queueing = "works 100 us on each"
        /// Above what any generator reaches.
        case boundless = "reads 100,000,000/s"

        var simulator: String {
            switch self {
            case .capped: #"faults: [{ fault: "throttle", rate: "20k/s", scope: "total" }]"#
            case .queueing: #"loops: 1, extraWork: "100us""#
            case .boundless: #"faults: [{ fault: "throttle", rate: "100M/s", scope: "total" }]"#
            }
        }

        var load: String { self == .queueing ? #"load: { loop: "open", rate: "1k/s", arrivals: "poisson" }, "# : "" }

        /// What the search must find, per second; nil if it must find none.
        var known: Double? {
            switch self {
            case .capped: 20_000
            case .queueing: 0.989 * 10_000
            case .boundless: nil
            }
        }
    }

    func capacities() throws -> ResultTable {
        var table = ResultTable(
            "capacities that are known",
            columns: [
                "gateway", "try", "finding", "sustainable/s", "of the known", "failing/s", "knee/s", "tries", "seconds",
            ])
        table.notes = ["asked: 99 % answered, nothing lost, of the queueing gateway also response.p99 < 20ms."]
        let folder = try WorkFolder()
        defer { folder.remove() }
        for gateway in Gateway.allCases {
            var good = 0
            let count = gateway == .boundless ? (trials + 2) / 3 : trials
            for number in 1...count {
                let begin = MonotonicClock.now()
                let record = try capacity(of: gateway, start: 3_000 + 137 * number, folder)
                guard let finding = record.finding else { throw BenchmarkFailure("a search found nothing") }
                let share = gateway.known.map { (finding.sustainablePerSecond ?? 0) / $0 }
                let isRight =
                    share.map { finding.kind == .found && abs($0 - 1) <= 0.05 }
                    ?? (finding.kind == .generatorLimited)
                good += isRight ? 1 : 0
                table.add([
                    .text(gateway.rawValue), .count(Int64(number)), .text(finding.kind.rawValue),
                    finding.sustainablePerSecond.map { .count(Int64($0)) } ?? .none,
                    share.map { .number($0, decimals: 3) } ?? .none,
                    finding.failingPerSecond.map { .count(Int64($0)) } ?? .none,
                    record.knee.map { .count(Int64($0.ratePerSecond)) } ?? .none, .count(Int64(record.probes.count)),
                    .number((MonotonicClock.now() - begin).seconds, decimals: 0),
                ])
            }
            guard !options.isQuick else { continue }
            table.require(
                "searches that are wrong or further than 5 % off: \(gateway.rawValue)", Double(count - good),
                atMost: Double(count / 10))
        }
        return table
    }

    private func capacity(of gateway: Gateway, start: Int, _ folder: WorkFolder) throws -> CapacityRecord {
        let profile = try folder.file(
            "profile.json5",
            """
            {
              name: "known-capacity", target: { simulator: { \(gateway.simulator) } }, \(gateway.load)
              workload: { devices: 1_000, seed: 1 }, sender: { connections: 4 },
            }
            """)
        let output = folder.path + "/capacity.json"
        var words = ["capacity", profile, "--quiet", "--output", "json=" + output, "--start", "\(start)/s"]
        words +=
            options.isQuick
            ? ["--probe", "200ms", "--settle", "50ms", "--confirm", "200ms", "--max-rate", "6000/s"]
            : ["--probe", "1500ms", "--settle", "300ms", "--confirm", "3s"]
        if gateway == .queueing { words += ["--slo", "response.p99 < 20ms", "--slo", "lost == 0"] }
        _ = try ChildProcess(options.program, words, log: folder.path + "/log").wait()
        return try CapacityRecord.read(output)
    }
}
