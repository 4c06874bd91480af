import Analysis
import Primitives
import RunRecords
import Statistics

/// Whether comparisons say what is so: nothing of the same thing twice, and a slowdown of 20 % where one was planted, once in the simulator
/// and once in the sender.
struct VerdictTrials {
    private let options: BenchmarkOptions
    private let process: PushbenchProcess
    private let pairs: Int
    private let trials: Int

    /// What the candidate does that the baseline does not.
    private enum Plant: CaseIterable {
        case nothing, slowSimulator, busySender
    }

    init(_ options: BenchmarkOptions) {
        self.options = options
        process = PushbenchProcess(program: options.program)
        pairs = options.size(10, quick: 1)
        trials = options.rounds(10)
    }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "what comparisons say: \(trials) of each kind, \(pairs) pairs of short quickstarts each",
            columns: ["planted", "regressed", "improved", "equivalent", "noEvidence", "inconclusive", "changes in %"])
        let folder = try WorkFolder()
        defer { folder.remove() }
        let base = try folder.file("base.json5", profile())
        // The noise of this machine, in a place of its own.
        let environment = ["XDG_CACHE_HOME=\(folder.path)"]
        let words = ["compare", "--calibrate-noise", base, "--pairs", "\(options.size(20, quick: 1))"]
        _ = try ChildProcess.run(options.program, words, log: folder.path + "/log", environment: environment)
        let rate = try measuredRate()
        for (index, plant) in Plant.allCases.enumerated() {
            let setting = try self.setting(plant, rate: rate)
            var comparisons: [Comparison] = []
            for trial in 1...trials {
                let output = folder.path + "/comparison.json"
                var words = ["compare", "--run", base, "--pairs", "\(pairs)", "--order-seed", "\(100 * index + trial)"]
                if let setting { words += ["--set-b", setting] }
                let child = try ChildProcess(
                    options.program, words + ["--quiet", "--output", "json=" + output], log: folder.path + "/log",
                    environment: environment)
                let (code, _) = try child.wait()
                guard [0, 4, 5].contains(code) else {
                    throw BenchmarkFailure("compare ended with \(code): \(child.output)")
                }
                comparisons.append(try Comparison.read(output))
            }
            table.add(row(setting ?? "nothing", comparisons))
            hold(plant, comparisons, in: &table)
        }
        table.notes = [
            "order seeds 1 to \(trials), 101 and 201 upwards; workload seed 1; noise by \(options.size(20, quick: 1)) pairs before.",
            "the slowdowns were tuned to leave 77 to 83 % of the rate, by runs in turns; a comparison that regresses ends with exit code 5.",
        ]
        return table
    }

    // MARK: - Runs

    /// A quickstart with fewer notifications; one event loop on each side, so that what is planted has a known size.
    private func profile(_ plant: Plant = .nothing, _ time: Double = 0) -> String {
        let work = "extraWork: \"\(Int(time))ns\""
        return """
            {
              name: "verdicts",
              target: { simulator: { loops: 1, \(plant == .slowSimulator ? work : "") } },
              workload: { notifications: \(options.size(500_000, quick: 2_000)), devices: 250_000, seed: 1,
                          payload: { bytes: { p50: 120, p99: 220, max: 256 } }, faults: { badToken: 0.0001 } },
              sender: { connections: 8, loops: 1, batch: { notifications: 100 }\(plant == .busySender ? ", " + work : "") },
            }
            """
    }

    private func measuredRate() throws -> Double {
        median(try (0..<options.size(5, quick: 1)).map { _ in try rate(of: profile()) })
    }

    private func rate(of profile: String) throws -> Double {
        try process.record(profile: profile).record.throughput.acceptedPerSecond ?? .nan
    }

    /// The setting that makes the candidate a fifth slower; nil for none.
    ///
    /// What is planted does not simply add to what the other side does meanwhile, so its size is found by trying.
    private func setting(_ plant: Plant, rate: Double) throws -> String? {
        let key: String
        switch plant {
        case .nothing: return nil
        case .slowSimulator: key = "target.simulator.extraWork"
        case .busySender: key = "sender.extraWork"
        }
        var time = 0.25e9 / rate
        for _ in 0..<(options.isQuick ? 0 : 8) {
            let share = try share(left: plant, time)
            if (0.77...0.83).contains(share) { break }
            time = max(1, time + (1 / 0.8 - 1 / share) * 1e9 / rate)
        }
        return "\(key)=\(Int(max(1, time)))ns"
    }

    /// What is left of the rate with a slowdown, by the median of runs with and without it in turns.
    private func share(left plant: Plant, _ time: Double) throws -> Double {
        median(
            try (0..<5).map { _ in
                let without = try rate(of: profile())
                return try rate(of: profile(plant, time)) / without
            })
    }

    // MARK: - Results

    private func row(_ planted: String, _ comparisons: [Comparison]) -> [ResultTable.Cell] {
        func count(_ verdict: Verdict) -> ResultTable.Cell {
            .count(Int64(comparisons.count { $0.verdict.status == verdict }))
        }
        let changes = comparisons.map { comparison in
            comparison.gating.first?.ratio.map { decimalText(($0 - 1) * 100, 1) } ?? "-"
        }
        return [
            .text(planted), count(.regressed), count(.improved), count(.equivalent), count(.noEvidence),
            count(.inconclusive), .text(changes.joined(separator: " ")),
        ]
    }

    /// No false alarm, and nine of ten slowdowns found; of sizes that mean something only.
    private func hold(_ plant: Plant, _ comparisons: [Comparison], in table: inout ResultTable) {
        guard !options.isQuick else { return }
        let regressed = comparisons.count { $0.verdict.status == .regressed }
        switch plant {
        case .nothing: table.require("comparisons of the same thing that regress", Double(regressed), atMost: 0)
        case .slowSimulator, .busySender:
            table.require(
                "planted slowdowns (\(plant)) that are not found", Double(trials - regressed),
                atMost: Double(trials / 10))
        }
    }
}
