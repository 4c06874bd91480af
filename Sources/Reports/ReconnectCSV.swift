public import RunRecords

/// The reconnects of a record one by one as comma-separated values (RFC 4180), times in nanoseconds.
public enum ReconnectCSV: RunText {
    static let summary = "one line per replaced connection, comma-separated"

    /// The text, with a line of names; a figure that was not measured is an empty field.
    public static func text(_ record: RunRecord) -> String {
        let lines = (record.reconnects.events ?? []).map { event in columns.map { $0.value(event) } }
        return ([columns.map(\.name)] + lines).map { $0.joined(separator: ",") + "\n" }.joined()
    }

    private struct Column {
        var name: String
        var value: (ReconnectEventRecord) -> String

        init(_ name: String, _ value: @escaping (ReconnectEventRecord) -> String) {
            self.name = name
            self.value = value
        }

        init(_ name: String, _ path: KeyPath<ReconnectEventRecord, Int64>) {
            self.init(name) { "\($0[keyPath: path])" }
        }

        init(_ name: String, _ path: KeyPath<ReconnectEventRecord, Int64?>) {
            self.init(name) { $0[keyPath: path].map { "\($0)" } ?? "" }
        }
    }

    private static var columns: [Column] {
        [
            Column("atNs", \.atNs), Column("connection") { "\($0.connection)" }, Column("cause") { quoted($0.cause) },
            Column("detectNs", \.detectNs), Column("waitNs", \.waitNs), Column("tcpNs", \.tcpNs),
            Column("tlsNs", \.tlsNs), Column("resumed") { "\($0.resumed)" }, Column("writeNs", \.writeNs),
            Column("costNs", \.costNs), Column("firstAcceptanceNs", \.firstAcceptanceNs),
            Column("attempts") { "\($0.attempts)" }, Column("inFlight", \.inFlight), Column("resent", \.resent),
            Column("throughputLost") { $0.throughputLost.map { "\($0)" } ?? "" },
            Column("othersShare") { $0.othersShare.map { "\($0)" } ?? "" },
        ]
    }

    /// A text as a field; in quotes where a comma, a quote or a line break would be taken for a border.
    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
