import Analysis
import Primitives
import RunRecords

/// What the two processes used, in all and for each notification written.
struct ResourceTable {
    private let record: RunRecord

    init(_ record: RunRecord) { self.record = record }

    func lines(_ style: TerminalStyle) -> [String] {
        var table = TextTable([.left] + Array(repeating: .right, count: 9))
        table.add([
            "process", "cpu", "cores", "cpu each", "memory", "allocations", "calls each", "bytes each", "switches",
            "descriptors",
        ])
        table.add(row("sender", record.resources.sender))
        if let simulator = record.resources.simulator { table.add(row("simulator", simulator)) }
        return table.lines(style)
    }

    private func row(_ name: String, _ use: ProcessResourcesRecord) -> [String] {
        let cores = record.durationNs > 0 ? Double(use.cpuNs) / Double(record.durationNs) : nil
        let written = record.writtenCount
        return [
            name, FigureText.time(use.cpuNs), cores.map { decimalText($0, places: 2) } ?? FigureText.missing,
            written > 0 ? FigureText.time(use.cpuNs / written) : FigureText.missing, FigureText.size(use.peakRSSBytes),
            FigureText.count(use.allocations), each(use.systemCalls, places: 3), each(use.wireBytes, places: 1),
            FigureText.count(use.contextSwitches), FigureText.count(use.descriptors),
        ]
    }

    private func each(_ sum: Int64?, places: Int) -> String {
        guard let sum, record.writtenCount > 0 else { return FigureText.missing }
        return decimalText(Double(sum) / Double(record.writtenCount), places: places)
    }
}
