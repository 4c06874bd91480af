public import RunRecords

/// The intervals of a record as comma-separated values (RFC 4180), one line each, times in nanoseconds.
public enum IntervalCSV: RunText {
    static let summary = "one line per interval, comma-separated"

    /// The text, with a line of names; a figure that was not measured is an empty field.
    public static func text(_ record: RunRecord) -> String {
        ([columns.map(\.name)] + record.intervals.map { interval in columns.map { $0.value(interval) } })
            .map { $0.joined(separator: ",") + "\n" }.joined()
    }

    private struct Column {
        var name: String
        var value: (IntervalRecord) -> String

        init(_ name: String, _ path: KeyPath<IntervalRecord, Int64>) {
            self.name = name
            value = { "\($0[keyPath: path])" }
        }

        init(_ name: String, _ path: KeyPath<IntervalRecord, Int64?>) {
            self.name = name
            value = { $0[keyPath: path].map { "\($0)" } ?? "" }
        }
    }

    private static var columns: [Column] {
        [
            Column("startNs", \.startNs), Column("lengthNs", \.lengthNs), Column("written", \.written),
            Column("accepted", \.accepted), Column("rejected", \.rejected), Column("resent", \.resent),
            Column("reconnects", \.reconnects), Column("inFlight", \.inFlight), Column("bytes", \.bytes),
            Column("senderCPUNs", \.senderCPUNs), Column("simulatorCPUNs", \.simulatorCPUNs),
            Column("senderRunQueueNs", \.senderRunQueueNs), Column("simulatorRunQueueNs", \.simulatorRunQueueNs),
            Column("timerLagP99Ns", \.timerLagP99Ns), Column("timerLagMaxNs", \.timerLagMaxNs),
            Column("senderRSSBytes", \.senderRSSBytes), Column("senderDescriptors", \.senderDescriptors),
            Column("simulatorRSSBytes", \.simulatorRSSBytes), Column("simulatorDescriptors", \.simulatorDescriptors),
            Column("residenceP50Ns", \.residenceP50Ns), Column("residenceP99Ns", \.residenceP99Ns),
            Column("residenceMaxNs", \.residenceMaxNs), Column("streamLimitLow", \.streamLimitLow),
            Column("streamLimitHigh", \.streamLimitHigh),
        ]
    }
}
