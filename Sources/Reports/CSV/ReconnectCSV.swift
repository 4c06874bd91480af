public import RunRecords

/// The reconnects of a record one by one as comma-separated values, times in nanoseconds.
public enum ReconnectCSV: RunText {
    static let summary = "one line per replaced connection, comma-separated"

    /// The text, with a line of names; a figure that was not measured is an empty field.
    public static func text(_ record: RunRecord) -> String { CSVColumn.text(record.reconnects.events ?? [], columns) }

    private static var columns: [CSVColumn<ReconnectEventRecord>] {
        [
            CSVColumn("atNs") { $0.atNs }, CSVColumn("connection") { Int64($0.connection) },
            CSVColumn("cause", text: { $0.cause }), CSVColumn("detectNs") { $0.detectNs },
            CSVColumn("waitNs") { $0.waitNs }, CSVColumn("tcpNs") { $0.tcpNs }, CSVColumn("tlsNs") { $0.tlsNs },
            CSVColumn("resumed", flag: { $0.resumed }), CSVColumn("writeNs") { $0.writeNs },
            CSVColumn("costNs") { $0.costNs },
            CSVColumn("firstAcceptanceNs") { $0.firstAcceptanceNs }, CSVColumn("attempts") { Int64($0.attempts) },
            CSVColumn("inFlight") { $0.inFlight }, CSVColumn("resent") { $0.resent },
            CSVColumn("throughputLost", number: { $0.throughputLost }),
            CSVColumn("othersShare", number: { $0.othersShare }),
        ]
    }
}
