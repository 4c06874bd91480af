public import Analysis
public import RunRecords

/// What can be written for a reader.
public enum ReportSubject: Sendable {
    /// One run.
    case run(RunRecord)
    /// Several runs of one profile.
    case runs(RunSeriesRecord)
    /// What two sets of runs say about each other.
    case comparison(Comparison)
}

/// What writes one form of output; ``OutputFormat`` has the table of all.
protocol ReportWriter {
    /// What the form is, in one line.
    static var summary: String { get }
    /// Whether it has several runs and comparisons, too.
    static var isOfSeveralRuns: Bool { get }
    /// UTF-8 text; nil if the form does not have such a thing.
    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]?
}

/// A form of single runs.
protocol RunText: ReportWriter {
    static func text(_ record: RunRecord) throws(RecordError) -> String
}

extension RunText {
    static var isOfSeveralRuns: Bool { false }

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        guard case .run(let record) = subject else { return nil }
        return Array(try text(record).utf8)
    }
}

/// A form of everything, in which one run is a series of one.
protocol ReportText: ReportWriter {
    static func text(_ series: RunSeriesRecord) throws(RecordError) -> String
    static func text(_ comparison: Comparison) throws(RecordError) -> String
}

extension ReportText {
    static var isOfSeveralRuns: Bool { true }

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        switch subject {
        case .run(let record): Array(try text(RunSeriesRecord([record])).utf8)
        case .runs(let series): Array(try text(series).utf8)
        case .comparison(let comparison): Array(try text(comparison).utf8)
        }
    }
}
