import Analysis
import Primitives
import RunRecords
import Statistics

/// Markdown as GitHub and GitLab show it, for a comment on a change or the summary of a job: the verdict first, then small tables, and
/// what only some readers want folded away. It always fits into a comment.
enum MarkdownReport: ReportText {
    static let summary = "Markdown for a comment on a change or for $GITHUB_STEP_SUMMARY"
    static let kinds = Set(ReportSubject.Kind.allCases)

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) -> [UInt8]? {
        let text =
            switch subject {
            case .run(let record): text(RunSeriesRecord([record]))
            case .runs(let series): text(series)
            case .comparison(let comparison): text(comparison)
            case .sweep(let sweep): text(sweep)
            case .capacity(let capacity): text(capacity)
            }
        return Array(text.utf8)
    }

    /// GitHub takes 65,536 characters; no form of counting them gives more than bytes.
    static let bytesMax = 65_000
    /// How many items of a list, rows of a table, and rows of a folded table are shown.
    static let (itemsMax, rowsMax, foldedRowsMax) = (5, 20, 28)

    static func text(_ series: RunSeriesRecord) -> String {
        joined(series.runs.count == 1 ? blocks(series.runs[0]) : blocks(series))
    }

    static func text(_ comparison: Comparison) -> String {
        let (first, others) = (comparison.gating, comparison.metrics.filter { !$0.isGating })
        // What got worse first, since too many are cut.
        let changed = others.filter { $0.verdict == .regressed } + others.filter { $0.verdict == .improved }
        let rest = others.filter { figure in !changed.contains { $0.name == figure.name } }
        return joined([
            heading(comparison.title), list(comparison.verdict.reasons), table(comparison, first + changed, rowsMax),
            thresholds(comparison.thresholds) { $0.value.map(percentText) },
            folded("\(rest.count) other figures", [table(comparison, rest, foldedRowsMax)]),
            list(comparison.remarks),
        ])
    }

    /// The blocks that fit; what is left out is told.
    static func joined(_ blocks: [String]) -> String {
        var text = ""
        for block in blocks where !block.isEmpty {
            let longer = text.isEmpty ? block : text + "\n\n" + block
            guard longer.utf8.count <= bytesMax else { return text + "\n\n- the rest is left out, to fit a comment\n" }
            text = longer
        }
        return text + "\n"
    }

    static func heading(_ text: String) -> String { "### " + MarkdownTable.escaped(shortened(text, 200)) }

    static func list(_ items: [String]) -> String {
        var lines = items.prefix(itemsMax).map { "- " + MarkdownTable.escaped(shortened($0, 500)) }
        if items.count > itemsMax { lines.append("- and \(items.count - itemsMax) more") }
        return lines.joined(separator: "\n")
    }

    /// What a reader has to ask for; nothing if there is nothing.
    static func folded(_ summary: String, _ blocks: [String]) -> String {
        let blocks = blocks.filter { !$0.isEmpty }
        guard !blocks.isEmpty else { return "" }
        return (["<details><summary>\(summary)</summary>"] + blocks + ["</details>"]).joined(separator: "\n\n")
    }

    private static func table(_ comparison: Comparison, _ metrics: [MetricComparison], _ most: Int) -> String {
        guard !metrics.isEmpty else { return "" }
        var table = MarkdownTable([.left, .right, .right, .right, .right, .right, .left], comparison.columns)
        for metric in metrics { table.add(comparison.cells(of: metric)) }
        return table.text(rows: most)
    }

    private static func thresholds(_ outcomes: [ThresholdRecord], _ value: (ThresholdRecord) -> String?) -> String {
        guard !outcomes.isEmpty else { return "" }
        var table = MarkdownTable([.left, .left, .right], ["", "threshold", "value"])
        // Of too many the failed ones are shown.
        var shown = outcomes
        if shown.count > rowsMax { shown = outcomes.filter { !$0.passed } + outcomes.filter(\.passed) }
        for outcome in shown {
            table.add([outcome.passed ? "ok" : "FAILED", outcome.text, value(outcome) ?? "no data"])
        }
        return table.text(rows: rowsMax)
    }

    // MARK: - One run

    /// The latencies that nearly every reader wants.
    private static let latenciesMax = 6

    private static func blocks(_ record: RunRecord) -> [String] {
        let names = Metric.ordered(record.latency.keys).filter { (record.latency[$0]?.count ?? 0) > 0 }
        let (first, others) = (names.prefix(latenciesMax), names.dropFirst(latenciesMax))
        return [
            heading("\(record.verdict.status.title): \(record.name)"), list(record.verdict.reasons), figures(record),
            ledger(record), latencies(record, Array(first)),
            thresholds(record.thresholds) { outcome in
                (try? Threshold(outcome.text)).flatMap { threshold in outcome.value.map(threshold.metric.unit.text) }
            },
            folded("\(others.count) other latencies", [latencies(record, Array(others))]), list([origin(record)]),
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
        let others = errors.count > itemsMax ? ", and \(errors.count - itemsMax) other kinds" : ""
        table.add(["errors", errors.isEmpty ? "none" : errors.prefix(itemsMax).joined(separator: ", ") + others])
        table.add(["reconnects", FigureText.count(record.reconnects.count)])
        return table.text(rows: rowsMax)
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
        return table.text(rows: rowsMax)
    }

    private static func latencies(_ record: RunRecord, _ names: [String]) -> String {
        guard !names.isEmpty else { return "" }
        var table = MarkdownTable(
            [.left] + Array(repeating: .right, count: 5), ["latency", "count", "p50", "p90", "p99", "max"])
        for name in names {
            guard let series = record.latency[name] else { continue }
            let quantiles = [series.quantiles.p50, series.quantiles.p90, series.quantiles.p99, series.maxNs]
            table.add([name, FigureText.count(series.count)] + quantiles.map(FigureText.time))
        }
        return table.text(rows: rowsMax)
    }

    private static func origin(_ record: RunRecord) -> String {
        "pushbench \(record.tool.version), \(record.machine.cpuModel), \(record.machine.cores) cores, \(record.startedAt)"
    }

    // MARK: - Several runs

    private static func blocks(_ series: RunSeriesRecord) -> [String] {
        let passed = series.runs.count { $0.verdict.status == .passed }
        let name = series.runs.first.map { ": \($0.name)" } ?? ""
        let metrics = FigureSelection.metrics(in: series.runs)
        let first = metrics.filter(leads)
        let others = metrics.filter { !leads($0) }
        return [
            heading("\(series.verdict.status.title)\(name), \(passed) of \(series.runs.count) runs passed"),
            list(series.verdict.reasons), figures(series.runs, first),
            folded("\(others.count) other figures", [figures(series.runs, others)]),
            folded("each run", [ends(series.runs)]), series.runs.first.map { list([origin($0)]) } ?? "",
        ]
    }

    /// Whether a figure stands where every reader sees it: the rate, and what waits for an answer.
    private static func leads(_ metric: Metric) -> Bool {
        switch metric {
        case .plain(.acceptedPerSecond): true
        case .latency(let series, .quantile(0.99)): ["response", "service", "errorReply", "residence"].contains(series)
        default: false
        }
    }

    private static func figures(_ runs: [RunRecord], _ metrics: [Metric]) -> String {
        guard !metrics.isEmpty else { return "" }
        var table = MarkdownTable(
            [.left, .right, .right, .right, .right], ["figure", "median", "lowest", "highest", "runs"])
        for metric in metrics {
            let values = runs.compactMap(metric.comparableValue)
            let extremes = [median(values), values.min(), values.max()]
            table.add([metric.name] + extremes.map { FigureText.value($0, metric.unit) } + ["\(values.count)"])
        }
        return table.text(rows: foldedRowsMax)
    }

    private static func ends(_ runs: [RunRecord]) -> String {
        guard !runs.isEmpty else { return "" }
        var table = MarkdownTable([.right, .left, .right, .right, .left], ["run", "began", "accepted/s", "lost", ""])
        for (index, run) in runs.enumerated() {
            table.add([
                "\(index + 1)", run.startedAt, FigureText.rate(run.throughput.acceptedPerSecond),
                FigureText.count(run.ledger.lost), run.verdict.status.rawValue,
            ])
        }
        return table.text(rows: foldedRowsMax)
    }
}
