import Analysis
import RunRecords

/// Records and comparisons as they are kept.
enum JSONReport: ReportWriter {
    static let summary = "the record itself, which report reads, and of runs compare"
    static let kinds = Set(ReportSubject.Kind.allCases)

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) throws(RecordError) -> [UInt8]? {
        switch subject {
        case .run(let record): try record.encoded()
        case .runs(let series): try series.encoded()
        case .comparison(let comparison): try RecordCoding.encoded(comparison)
        case .sweep(let sweep): try sweep.encoded()
        case .capacity(let capacity): try capacity.encoded()
        }
    }
}
