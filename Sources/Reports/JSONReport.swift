import RunRecords

/// Records and comparisons as they are kept.
enum JSONReport: ReportWriter {
    static let summary = "the record itself, which report and compare read"
    static let isOfSeveralRuns = true

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        switch subject {
        case .run(let record): try record.encoded()
        case .runs(let series): try series.encoded()
        case .comparison(let comparison): try RecordCoding.encoded(comparison)
        }
    }
}
