import Analysis
import Primitives
import RunRecords

/// What the two processes used, in all and for each notification written.
struct ResourceTable {
    private let record: RunRecord

    init(_ record: RunRecord) { self.record = record }

    func lines(_ style: TerminalStyle) -> [String] {
        own.lines(style) + (shared.map { [""] + $0.lines(style) } ?? [])
    }

    /// Processor time and memory.
    var own: TextTable {
        var table = TextTable([.left] + Array(repeating: .right, count: 5))
        table.add(["process", "cpu", "cores", "cpu each", "memory", "allocations"])
        for (name, use) in processes { table.add(row(name, use)) }
        return table
    }

    /// What was asked of the kernel; nil in records of versions that did not count it.
    var shared: TextTable? {
        guard record.resources.sender.loops != nil else { return nil }
        var table = TextTable([.left] + Array(repeating: .right, count: 5))
        table.add(["kernel", "calls each", "bytes each", "switches", "run queue", "descriptors"])
        for (name, use) in processes { table.add(sharedRow(name, use)) }
        return table
    }

    private var processes: [(String, ProcessResourcesRecord)] {
        [("sender", record.resources.sender)] + (record.resources.simulator.map { [("simulator", $0)] } ?? [])
    }

    private func row(_ name: String, _ use: ProcessResourcesRecord) -> [String] {
        let cores = record.durationNs > 0 ? Double(use.cpuNs) / Double(record.durationNs) : nil
        let written = record.writtenCount
        return [
            name, FigureText.time(use.cpuNs), cores.map { decimalText($0, places: 2) } ?? FigureText.missing,
            written > 0 ? FigureText.time(use.cpuNs / written) : FigureText.missing, FigureText.size(use.peakRSSBytes),
            FigureText.count(use.allocations),
        ]
    }

    /// What it asked of the kernel, and what it had to share with others.
    private func sharedRow(_ name: String, _ use: ProcessResourcesRecord) -> [String] {
        [
            name, each(use.systemCalls, places: 3), each(use.wireBytes, places: 1),
            FigureText.count(use.contextSwitches),
            FigureText.time(use.runQueueNs), FigureText.count(use.descriptors),
        ]
    }

    private func each(_ sum: Int64?, places: Int) -> String {
        guard let sum, record.writtenCount > 0 else { return FigureText.missing }
        return decimalText(Double(sum) / Double(record.writtenCount), places: places)
    }
}
