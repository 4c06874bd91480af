public import Analysis
import Primitives
import RunRecords

/// What a search for capacity found, on a terminal: the rate with its bracket, then every try.
public struct CapacityTable {
    private let record: CapacityRecord
    private let style: TerminalStyle

    /// Makes the table of a search for a terminal.
    public init(_ record: CapacityRecord, style: TerminalStyle) {
        self.record = record
        self.style = style
    }

    /// The table's text; ends with a line break.
    public var text: String { (heading + [""] + table).joined(separator: "\n") + "\n" }

    /// One try, while the search goes on.
    public static func line(_ probe: ProbeRecord) -> String {
        let answered = probe.answeredPerSecond.map { MetricUnit.rate.text($0) } ?? FigureText.missing
        let reason = probe.reasons.first.map { ": \($0)" } ?? ""
        return "\(probe.stage.rawValue) \(MetricUnit.rate.text(probe.ratePerSecond)): \(answered) answered, "
            + TerminalStyle.plain.shown(probe.outcome.rawValue + reason)
    }

    // MARK: - Heading

    private var heading: [String] {
        var lines = [style.colored(style.shown(record.result), color)]
        lines += record.verdict.reasons.map { style.shown("  - \($0)") }
        lines.append(style.shown("asked: \(record.asked)"))
        return lines + [record.kneeText, record.noise].compactMap { $0 }.map(style.shown)
    }

    private var color: TerminalStyle.Color {
        switch record.verdict.status {
        case .passed: .green
        case .failed, .internalError, .unreachable: .red
        default: .yellow
        }
    }

    // MARK: - Tries

    private var table: [String] {
        var table = TextTable([.left, .right, .right, .right, .right, .right, .right, .right, .right, .right, .left])
        table.add([
            "try", "offered/s", "answered/s", record.latencySeries ?? "latency", "p99", "p99.9", "errors", "in flight",
            "sender",
            "target",
            "outcome",
        ])
        for probe in record.probes { table.add(cells(of: probe)) }
        return table.lines(style)
    }

    private func cells(of probe: ProbeRecord) -> [String] {
        func time(_ value: Int64?) -> String {
            value.map { Interval(nanoseconds: $0).description } ?? FigureText.missing
        }
        func rate(_ value: Double?) -> String {
            value.map { Count(Int64($0.rounded())).grouped } ?? FigureText.missing
        }
        func share(_ value: Double?) -> String { value.map { "\(Int((100 * $0).rounded())) %" } ?? FigureText.missing }
        let run = probe.run
        let latency = record.latencySeries.flatMap { run.latency[$0] }?.quantiles
        return [
            probe.stage.rawValue, rate(probe.offeredPerSecond), rate(probe.answeredPerSecond), time(latency?.p50),
            time(latency?.p99), time(latency?.p999), Count(probe.errors).grouped,
            rate(probe.inFlight), share(run.limit?.senderBusy), share(run.limit?.simulatorBusy), probe.outcome.rawValue,
        ]
    }
}
