import Analysis
import Primitives
import RunRecords
import Statistics

/// Markdown as GitHub and GitLab show it, for a comment on a change or the summary of a job: the verdict first, then small tables.
enum MarkdownReport: ReportText {
    static let summary = "Markdown for a comment on a change or for $GITHUB_STEP_SUMMARY"

    static func text(_ series: RunSeriesRecord) -> String {
        joined(series.runs.count == 1 ? blocks(series.runs[0]) : blocks(series))
    }

    static func text(_ comparison: Comparison) -> String {
        let (first, others) = (comparison.gating, comparison.metrics.filter { !$0.isGating })
        let changed = others.filter { [.regressed, .improved].contains($0.verdict) }
        var blocks = [
            heading(comparison.title), list(comparison.verdict.reasons), table(comparison, first + changed),
            thresholds(comparison.thresholds) { $0.value.map(percentText) },
        ]
        let rest = others.filter { figure in !changed.contains { $0.name == figure.name } }
        if !rest.isEmpty {
            blocks.append("<details><summary>\(rest.count) other figures</summary>")
            blocks += [table(comparison, rest), "</details>"]
        }
        return joined(blocks + [list(comparison.remarks)])
    }

    private static func joined(_ blocks: [String]) -> String {
        blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static func heading(_ text: String) -> String { "### " + MarkdownTable.escaped(text) }

    private static func list(_ items: [String]) -> String {
        items.map { "- " + MarkdownTable.escaped($0) }.joined(separator: "\n")
    }

    private static func table(_ comparison: Comparison, _ metrics: [MetricComparison]) -> String {
        guard !metrics.isEmpty else { return "" }
        var table = MarkdownTable([.left, .right, .right, .right, .right, .right, .left], comparison.columns)
        for metric in metrics { table.add(comparison.cells(of: metric)) }
        return table.text
    }

    private static func thresholds(_ outcomes: [ThresholdRecord], _ value: (ThresholdRecord) -> String?) -> String {
        guard !outcomes.isEmpty else { return "" }
        var table = MarkdownTable([.left, .left, .right], ["", "threshold", "value"])
        for outcome in outcomes {
            table.add([outcome.passed ? "ok" : "FAILED", outcome.text, value(outcome) ?? "no data"])
        }
        return table.text
    }

    // MARK: - One run

    private static func blocks(_ record: RunRecord) -> [String] {
        [
            heading("\(record.verdict.status.title): \(record.name)"), list(record.verdict.reasons), figures(record),
            ledger(record), latencies(record),
            thresholds(record.thresholds) { outcome in
                (try? Threshold(outcome.text)).flatMap { threshold in outcome.value.map(threshold.metric.unit.text) }
            },
            list([origin(record)]),
        ]
    }

    private static func figures(_ record: RunRecord) -> String {
        var table = MarkdownTable([.left, .right], ["figure", "value"])
        let bound = record.throughput.acceptedBound == nil ? "" : "at least "
        table.add(["accepted/s", bound + FigureText.rate(record.throughput.acceptedPerSecond)])
        table.add(["bytes/s", FigureText.bytesPerSecond(record.throughput.bytesPerSecond)])
        table.add(["measured", FigureText.time(record.measuredNs)])
        table.add(["limit", record.limit?.kind.rawValue ?? FigureText.missing])
        let errors = record.errors.filter { $0.count > 0 }.map { "\(FigureText.count($0.count)) \($0.name)" }
        table.add(["errors", errors.isEmpty ? "none" : errors.joined(separator: ", ")])
        table.add(["reconnects", FigureText.count(record.reconnects.count)])
        return table.text
    }

    private static func ledger(_ record: RunRecord) -> String {
        let ledger = record.ledger
        let counts = [
            ("generated", ledger.generated), ("accepted", ledger.accepted), ("rejected", ledger.rejected),
            ("lost", ledger.lost), ("unknown", ledger.unknown), ("unsent", ledger.unsent), ("resent", ledger.resent),
            ("duplicates", ledger.duplicates),
        ]
        var table = MarkdownTable(Array(repeating: .right, count: counts.count), counts.map(\.0))
        table.add(counts.map { FigureText.count($0.1) })
        return table.text
    }

    private static func latencies(_ record: RunRecord) -> String {
        let names = Metric.ordered(record.latency.keys).filter { (record.latency[$0]?.count ?? 0) > 0 }
        guard !names.isEmpty else { return "" }
        var table = MarkdownTable(
            [.left] + Array(repeating: .right, count: 5), ["latency", "count", "p50", "p90", "p99", "max"])
        for name in names {
            guard let series = record.latency[name] else { continue }
            let quantiles = [series.quantiles.p50, series.quantiles.p90, series.quantiles.p99, series.maxNs]
            table.add([name, FigureText.count(series.count)] + quantiles.map(FigureText.time))
        }
        return table.text
    }

    private static func origin(_ record: RunRecord) -> String {
        "pushbench \(record.tool.version), \(record.machine.cpuModel), \(record.machine.cores) cores, \(record.startedAt)"
    }

    // MARK: - Several runs

    private static func blocks(_ series: RunSeriesRecord) -> [String] {
        let passed = series.runs.count { $0.verdict.status == .passed }
        let name = series.runs.first.map { ": \($0.name)" } ?? ""
        return [
            heading("\(series.verdict.status.title)\(name), \(passed) of \(series.runs.count) runs passed"),
            list(series.verdict.reasons), figures(series.runs), series.runs.first.map { list([origin($0)]) } ?? "",
        ]
    }

    private static func figures(_ runs: [RunRecord]) -> String {
        let metrics = FigureSelection.metrics(in: runs)
        guard !metrics.isEmpty else { return "" }
        var table = MarkdownTable(
            [.left, .right, .right, .right, .right], ["figure", "median", "lowest", "highest", "runs"])
        for metric in metrics {
            let values = runs.compactMap(metric.comparableValue)
            let extremes = [median(values), values.min(), values.max()]
            table.add([metric.name] + extremes.map { FigureText.value($0, metric.unit) } + ["\(values.count)"])
        }
        return table.text
    }
}
