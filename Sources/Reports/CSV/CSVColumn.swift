import Analysis
import RunRecords

/// A column of comma-separated values (RFC 4180): its name, and the field of each row. What was not measured is an empty field.
struct CSVColumn<Row> {
    let name: String
    let field: (Row) -> String

    init(_ name: String, text: @escaping (Row) -> String?) {
        self.name = name
        field = { text($0).map(Self.quoted) ?? "" }
    }

    init(_ name: String, _ value: @escaping (Row) -> Int64?) {
        self.name = name
        field = { value($0).map { "\($0)" } ?? "" }
    }

    init(_ name: String, number: @escaping (Row) -> Double?) {
        self.name = name
        field = { number($0).flatMap(numberText) ?? "" }
    }

    init(_ name: String, flag: @escaping (Row) -> Bool?) {
        self.name = name
        field = { flag($0).map { "\($0)" } ?? "" }
    }

    /// A line of names, then a line for each row.
    static func text(_ rows: [Row], _ columns: [CSVColumn]) -> String {
        ([columns.map { quoted($0.name) }] + rows.map { row in columns.map { $0.field(row) } })
            .map { $0.joined(separator: ",") + "\n" }.joined()
    }

    /// A text as a field; in quotes where a comma, a quote or a line break would be taken for a border.
    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// Comma-separated values of whatever a record is a list of.
enum CSVReport: ReportWriter {
    static let summary = "one line per interval, per run of a sweep or per try of a search, comma-separated"
    static let kinds: Set<ReportSubject.Kind> = [.run, .sweep, .capacity]

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) -> [UInt8]? {
        switch subject {
        case .run(let record): Array(IntervalCSV.text(record).utf8)
        case .sweep(let record): Array(SweepCSV.text(record).utf8)
        case .capacity(let record): Array(ProbeCSV.text(record).utf8)
        case .runs, .comparison: nil
        }
    }
}
