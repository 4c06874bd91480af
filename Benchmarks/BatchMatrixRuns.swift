import Analysis
import RunRecords

/// Batch size against connections (C24): the same notifications in every cell, and which cell is enough.
struct BatchMatrixRuns {
    private let options: BenchmarkOptions

    private static let batches = [1, 10, 100, 1_000]
    private static let connectionCounts = [1, 2, 4, 8, 16, 32]

    init(_ options: BenchmarkOptions) { self.options = options }

    func measure() throws -> ResultTable {
        var table = ResultTable(
            "batch size against connections",
            columns: ["batch", "connections", "accepted/s", "residence p99 us", "sender MiB", "simulator MiB", ""])
        let process = PushbenchProcess(program: options.program)
        var cells: [BatchMatrix.Cell] = []
        for batch in options.isQuick ? [10, 100] : Self.batches {
            for connections in options.isQuick ? [1, 4] : Self.connectionCounts {
                var order = PushbenchProcess.Order(
                    notifications: options.size(500_000, quick: 2_000), connections: connections)
                order.batch = batch
                let record = try process.record(order)
                cells.append(BatchMatrix.Cell(batch: batch, connections: connections, record: record))
            }
        }
        let matrix = BatchMatrix(cells)
        for (index, cell) in cells.enumerated() { table.add(row(cell, isKnee: index == matrix.knee)) }
        table.notes = ["knee: the fewest in flight (batch x connections) within 3 % of the best rate, one run a cell"]
        return table
    }

    private func row(_ cell: BatchMatrix.Cell, isKnee: Bool) -> [ResultTable.Cell] {
        func mebibytes(_ bytes: Int64) -> ResultTable.Cell { .number(Double(bytes) / 1_048_576, decimals: 1) }
        return [
            .count(Int64(cell.batch)), .count(Int64(cell.connections)),
            cell.acceptedPerSecond.map { .count(Int64($0)) } ?? .none,
            cell.residenceP99Ns.map { .number(Double($0) / 1_000, decimals: 1) } ?? .none,
            mebibytes(cell.senderPeakRSSBytes), cell.simulatorPeakRSSBytes.map(mebibytes) ?? .none,
            .text(!cell.isComplete ? "incomplete" : isKnee ? "knee" : ""),
        ]
    }
}
