import RunRecords

/// What measuring and showing progress cost: runs with and without, one after the other, round by round.
struct MeasuringCost {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    /// The three runs of a round; the first is how users run.
    private enum Way: CaseIterable {
        case measured, unmeasured, shown
    }

    /// The most that a way may cost, and what it is held against.
    private struct Comparison {
        var name: String
        var with: Way
        var without: Way
        var limit: Double
    }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "what measuring costs: binary runs over 4 connections, medians of interleaved rounds",
            columns: ["of", "M/s with", "M/s without", "rate ratio", "rate ratios by round", "CPU ratio", "should be"])
        table.notes = [
            "latencies: with all series, idle timers and the sample of acceptances, against `latencies: false`.",
            "progress: with a line each second (--progress json), against --progress none.",
            "CPU ratio: processor time of both processes for a notification, with ÷ without; it suffers less from other programs.",
        ]
        var rounds: [[Way: RunRecord]] = []
        for number in 0..<options.rounds(7) {
            // The order turns, so that none of them always follows the same one.
            let order = Way.allCases.indices.map { Way.allCases[($0 + number) % Way.allCases.count] }
            var round: [Way: RunRecord] = [:]
            for way in order { round[way] = try run(way) }
            rounds.append(round)
        }
        for comparison in [
            Comparison(name: "latencies", with: .measured, without: .unmeasured, limit: 0.03),
            Comparison(name: "progress", with: .shown, without: .measured, limit: 0.005),
        ] {
            table.add(row(comparison, rounds))
        }
        return table
    }

    private func run(_ way: Way) throws -> RunRecord {
        var order = PushbenchProcess.Order(
            notifications: options.size(20_000_000, quick: 20_000), connections: 4)
        order.measuresLatencies = way != .unmeasured
        order.progress = way == .shown ? "json" : "none"
        return try PushbenchProcess(program: options.program).run(order)
    }

    private func row(_ comparison: Comparison, _ rounds: [[Way: RunRecord]]) -> [ResultTable.Cell] {
        let pairs = rounds.compactMap { round in
            round[comparison.with].flatMap { with in round[comparison.without].map { (with: with, without: $0) } }
        }
        func rate(_ record: RunRecord) -> Double { record.throughput.acceptedPerSecond ?? .nan }
        func cpu(_ record: RunRecord) -> Double {
            Double(record.resources.sender.cpuNs + (record.resources.simulator?.cpuNs ?? 0))
        }
        let ratios = pairs.map { rate($0.with) / rate($0.without) }
        return [
            .text(comparison.name), .number(median(pairs.map { rate($0.with) }) / 1e6, decimals: 2),
            .number(median(pairs.map { rate($0.without) }) / 1e6, decimals: 2), .number(median(ratios), decimals: 3),
            .text(ratios.map { decimalText($0, 3) }.joined(separator: " ")),
            .number(median(pairs.map { cpu($0.with) / cpu($0.without) }), decimals: 3),
            .text("at least \(decimalText(1 - comparison.limit, 3))"),
        ]
    }
}
