import Analysis
import Primitives
public import RunRecords
import Statistics

/// Several runs of one profile on a terminal: how each ended, and how far their figures scatter.
public struct SeriesSummary {
    private let series: RunSeriesRecord
    private let style: TerminalStyle

    /// Makes the summary of a series for a terminal.
    public init(_ series: RunSeriesRecord, style: TerminalStyle) {
        self.series = series
        self.style = style
    }

    /// The summary's text, of a single run that run's own; ends with a line break.
    public var text: String {
        if series.runs.count == 1 { return RunSummary(series.runs[0], style: style).text }
        let lines = [heading] + series.verdict.reasons.map { style.shown("  - \($0)") } + [""] + runs + [""] + figures
        return lines.joined(separator: "\n") + "\n"
    }

    private var heading: String {
        let passed = series.runs.count { $0.verdict.status == .passed }
        let text = "\(series.runs.count) runs, \(passed) passed"
        return style.colored(text, passed == series.runs.count ? .green : .red)
    }

    private var runs: [String] {
        var table = TextTable([.right, .left, .right, .right, .right, .right, .left])
        table.add(["run", "began", "accepted/s", "accepted", "rejected", "lost", ""])
        for (index, run) in series.runs.enumerated() {
            table.add([
                "\(index + 1)", run.startedAt, FigureText.rate(run.throughput.acceptedPerSecond),
                FigureText.count(run.ledger.accepted), FigureText.count(run.ledger.rejected),
                FigureText.count(run.ledger.lost), run.verdict.status.rawValue,
            ])
        }
        return table.lines(style)
    }

    /// The figures that comparisons decide by and the most telling others: median, extremes and their distance.
    private var figures: [String] { Self.spread(of: series.runs).lines(style) }

    /// The same of any runs, for every form that has it as a table.
    static func spread(of runs: [RunRecord]) -> TextTable {
        var table = TextTable([.left, .right, .right, .right, .right])
        table.add(["figure", "median", "lowest", "highest", "spread"])
        let names =
            ["accepted/s", "response.p99", "service.p99", "residence.p99", "errorReply.p99"]
            + ["sender.cpuPerNotification", "simulator.cpuPerNotification"]
        for name in names {
            guard let metric = try? Metric(name) else { continue }
            let values = runs.compactMap(metric.value)
            guard let middle = median(values), let low = values.min(), let high = values.max() else { continue }
            table.add([
                name, FigureText.value(middle, metric.unit), FigureText.value(low, metric.unit),
                FigureText.value(high, metric.unit),
                middle > 0 ? percentText((high - low) / middle) : FigureText.missing,
            ])
        }
        return table
    }
}
