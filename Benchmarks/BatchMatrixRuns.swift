import Analysis
import RunRecords

/// Batch size against connections (C24): the same notifications in every cell, and which cell is enough.
struct BatchMatrixRuns {
    private let options: BenchmarkOptions

    init(_ options: BenchmarkOptions) { self.options = options }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "batch size against connections",
            columns: ["batch", "connections", "accepted/s", "residence p99 us", "sender MiB", "simulator MiB", ""])
        let process = PushbenchProcess(program: options.program)
        let grid = SweepGrid([
            SweepGrid.Axis(
                key: "sender.batch.notifications",
                values: options.isQuick ? ["10", "100"] : ["1", "10", "100", "1000"]),
            SweepGrid.Axis(
                key: "sender.connections", values: options.isQuick ? ["1", "4"] : ["1", "2", "4", "8", "16", "32"]),
        ])
        var sweep = SweepRecord(profileName: "", profileHash: "", grid: grid, plan: SweepRace.Plan())
        for cell in 0..<grid.count {
            let values = grid.values(ofCell: cell).compactMap { Int($0) }
            var order = PushbenchProcess.Order(
                notifications: options.size(500_000, quick: 2_000), connections: values[1])
            order.batch = values[0]
            sweep.runs.append(SweepRunRecord(cell: cell, try process.record(order)))
        }
        sweep.conclude()
        let findings = sweep.findings
        for (index, cell) in (findings?.cells ?? []).enumerated() {
            table.add(row(cell, isRecommended: index == findings?.recommended))
        }
        table.notes = [
            "recommended: the fewest in flight (batch x connections) within 3 % of the best rate, one run a cell"
        ]
        return table
    }

    private func row(_ cell: SweepCell, isRecommended: Bool) -> [ResultTable.Cell] {
        func mebibytes(_ bytes: Int64) -> ResultTable.Cell { .number(Double(bytes) / 1_048_576, decimals: 1) }
        return cell.values.map { .text($0) } + [
            cell.acceptedPerSecond.map { .count(Int64($0)) } ?? .none,
            cell.residenceP99Ns.map { .number($0 / 1_000, decimals: 1) } ?? .none,
            mebibytes(cell.senderPeakRSSBytes), cell.simulatorPeakRSSBytes.map(mebibytes) ?? .none,
            .text(cell.acceptedPerSecond == nil ? "incomplete" : isRecommended ? "recommended" : ""),
        ]
    }
}
