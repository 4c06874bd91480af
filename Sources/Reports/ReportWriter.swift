import Analysis
import RunRecords

/// What writes one form of output; ``OutputFormat`` has the table of all.
protocol ReportWriter {
    /// What the form is, in one line.
    static var summary: String { get }
    /// What there is of this form.
    static var kinds: Set<ReportSubject.Kind> { get }
    /// UTF-8 text; nil of what the form does not have.
    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]?
}

/// A form of single runs.
protocol RunText: ReportWriter {
    static func text(_ record: RunRecord) throws(RecordError) -> String
}

extension RunText {
    static var kinds: Set<ReportSubject.Kind> { [.run] }

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        guard case .run(let record) = subject else { return nil }
        return Array(try text(record).utf8)
    }
}

/// A form of runs and comparisons, in which one run is a series of one.
protocol ReportText: ReportWriter {
    static func text(_ series: RunSeriesRecord) throws(RecordError) -> String
    static func text(_ comparison: Comparison) throws(RecordError) -> String
}

extension ReportText {
    static var kinds: Set<ReportSubject.Kind> { [.run, .runs, .comparison] }

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        switch subject {
        case .run(let record): Array(try text(RunSeriesRecord([record])).utf8)
        case .runs(let series): Array(try text(series).utf8)
        case .comparison(let comparison): Array(try text(comparison).utf8)
        case .sweep, .capacity: nil
        }
    }
}
