public import RunRecords

/// A form in which records can be written for a reader.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// The summary for people.
    case terminal
    /// The record itself.
    case json
    /// One line per interval of a run, per run of a sweep, or per try of a search for a capacity.
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
        case .csv: CSVReport.self
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

    /// What there is of this form.
    public var kinds: [ReportSubject.Kind] { ReportSubject.Kind.allCases.filter(writer.kinds.contains) }

    /// The forms of something.
    public static func forms(of kind: ReportSubject.Kind) -> [OutputFormat] {
        allCases.filter { $0.writer.kinds.contains(kind) }
    }

    /// What is said where something does not have this form.
    func absence(of kind: ReportSubject.Kind) -> RecordError {
        .noSuchForm(
            form: rawValue, of: kind.title, accepted: Self.forms(of: kind).map(\.rawValue),
            isOfItsRuns: kinds.contains(.run) && [.runs, .capacity].contains(kind))
    }

    /// Writes something in this form.
    ///
    /// - Parameters:
    ///   - subject: what is written.
    ///   - style: what the reader's terminal can show; of effect for ``terminal`` only.
    /// - Returns: UTF-8 text.
    /// - Throws: ``RecordError``, also when a record lacks what the form is about, or the subject does not have the form.
    public func render(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8] {
        guard let bytes = try writer.bytes(subject, style: style) else { throw absence(of: subject.kind) }
        return bytes
    }
}
