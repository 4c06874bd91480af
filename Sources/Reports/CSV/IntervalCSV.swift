public import RunRecords

/// The intervals of a record as comma-separated values, one line each, times in nanoseconds.
public enum IntervalCSV {
    /// The text, with a line of names; a figure that was not measured is an empty field.
    public static func text(_ record: RunRecord) -> String { CSVColumn.text(record.intervals, columns) }

    private static var columns: [CSVColumn<IntervalRecord>] {
        [
            CSVColumn("startNs") { $0.startNs }, CSVColumn("lengthNs") { $0.lengthNs },
            CSVColumn("written") { $0.written }, CSVColumn("accepted") { $0.accepted },
            CSVColumn("rejected") { $0.rejected }, CSVColumn("resent") { $0.resent },
            CSVColumn("reconnects") { $0.reconnects }, CSVColumn("inFlight") { $0.inFlight },
            CSVColumn("bytes") { $0.bytes }, CSVColumn("senderCPUNs") { $0.senderCPUNs },
            CSVColumn("simulatorCPUNs") { $0.simulatorCPUNs }, CSVColumn("senderRunQueueNs") { $0.senderRunQueueNs },
            CSVColumn("simulatorRunQueueNs") { $0.simulatorRunQueueNs },
            CSVColumn("timerLagP99Ns") { $0.timerLagP99Ns },
            CSVColumn("timerLagMaxNs") { $0.timerLagMaxNs }, CSVColumn("senderRSSBytes") { $0.senderRSSBytes },
            CSVColumn("senderDescriptors") { $0.senderDescriptors },
            CSVColumn("simulatorRSSBytes") { $0.simulatorRSSBytes },
            CSVColumn("simulatorDescriptors") { $0.simulatorDescriptors },
            CSVColumn("residenceP50Ns") { $0.residenceP50Ns }, CSVColumn("residenceP99Ns") { $0.residenceP99Ns },
            CSVColumn("residenceMaxNs") { $0.residenceMaxNs }, CSVColumn("streamLimitLow") { $0.streamLimitLow },
            CSVColumn("streamLimitHigh") { $0.streamLimitHigh },
        ]
    }
}
