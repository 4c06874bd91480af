public import RunRecords

/// A form in which a run, several runs or a comparison can be written.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// The summary for people.
    case terminal
    /// The record itself.
    case json
    /// One line per interval.
    case csv
    /// One line per reconnect, comma-separated.
    case reconnects
    /// Percentile distributions of all series, as HdrHistogram's plotters read them.
    case hgrm
    /// An interval log of HdrHistogram's tools; of records that keep the histograms of their intervals.
    case hlog
    /// Markdown for a comment on a change, or for the summary of a CI job.
    case markdown
    /// JUnit's XML, which CI services show as tests.
    case junit
    /// Go's benchmark text, which benchstat reads.
    case gobench
    /// What github-action-benchmark calls `customBiggerIsBetter`: the figures of which more is better.
    case githubBigger = "github-bigger"
    /// What github-action-benchmark calls `customSmallerIsBetter`: the figures of which less is better.
    case githubSmaller = "github-smaller"
    /// OpenMetrics text, which Prometheus scrapes.
    case openmetrics
    /// Prometheus' older text format, which node_exporter's textfile collector reads.
    case prometheus
    /// A page for a browser, with charts.
    case html

    /// The table of forms: what writes each.
    private var writer: any ReportWriter.Type {
        switch self {
        case .terminal: TerminalReport.self
        case .json: JSONReport.self
        case .csv: IntervalCSV.self
        case .reconnects: ReconnectCSV.self
        case .hgrm: PercentileText.self
        case .hlog: IntervalLogText.self
        case .markdown: MarkdownReport.self
        case .junit: JUnitReport.self
        case .gobench: GoBenchmarkText.self
        case .githubBigger: BiggerIsBetterJSON.self
        case .githubSmaller: SmallerIsBetterJSON.self
        case .openmetrics: OpenMetricsText.self
        case .prometheus: PrometheusText.self
        case .html: HTMLReport.self
        }
    }

    /// What the form is, in one line.
    public var summary: String { writer.summary }

    /// The forms of what is more than one run.
    public static var ofSeveralRuns: [OutputFormat] { allCases.filter { $0.writer.isOfSeveralRuns } }

    /// Writes something in this form.
    ///
    /// - Parameters:
    ///   - subject: what is written.
    ///   - style: what the reader's terminal can show; of effect for ``terminal`` only.
    /// - Returns: UTF-8 text.
    /// - Throws: ``RecordError``, also when a record lacks what the form is about, or the form is one of single runs and this is more.
    public func render(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8] {
        guard let bytes = try writer.bytes(subject, style: style) else { throw .singleRunsOnly(form: rawValue) }
        return bytes
    }
}
