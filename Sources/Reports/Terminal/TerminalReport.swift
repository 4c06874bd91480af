import RunRecords

/// What people read on a terminal.
enum TerminalReport: ReportWriter {
    static let summary = "the summary for people"
    static let kinds = Set(ReportSubject.Kind.allCases)

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        switch subject {
        case .run(let record): Array(RunSummary(record, style: style).text.utf8)
        case .runs(let series): Array(SeriesSummary(series, style: style).text.utf8)
        case .comparison(let comparison): Array(ComparisonTable(comparison, style: style).text.utf8)
        case .sweep(let sweep): Array(SweepTable(sweep, style: style).text.utf8)
        case .capacity(let capacity): Array(CapacityTable(capacity, style: style).text.utf8)
        }
    }
}
