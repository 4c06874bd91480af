import Analysis
import RunRecords

/// The runs of a sweep in their order as comma-separated values: a column for each axis, then the figures. A run that did not finish has
/// no rate.
enum SweepCSV {
    static func text(_ record: SweepRecord) -> String {
        let rows = record.runs.enumerated().map { (number: Int64($0 + 1), run: $1) }
        let axes = record.grid.axes.indices.map { axis in
            CSVColumn<Row>(record.grid.axes[axis].key, text: { record.grid.values(ofCell: $0.run.cell)[axis] })
        }
        return CSVColumn.text(rows, [CSVColumn("run") { $0.number }] + axes + figures)
    }

    private typealias Row = (number: Int64, run: SweepRunRecord)

    private static var figures: [CSVColumn<Row>] {
        [
            CSVColumn("cell") { Int64($0.run.cell) }, CSVColumn("status", text: { $0.run.status.rawValue }),
            CSVColumn("isComplete", flag: { $0.run.isComplete }),
            CSVColumn("acceptedPerSecond", number: { $0.run.acceptedPerSecond }),
            CSVColumn("limit", text: { $0.run.limit?.rawValue }), CSVColumn("residenceP99Ns") { $0.run.residenceP99Ns },
            CSVColumn("responseP99Ns") { $0.run.responseP99Ns },
            CSVColumn("senderCPUPerNotificationNs", number: { $0.run.senderCPUPerNotificationNs }),
            CSVColumn("senderPeakRSSBytes") { $0.run.senderPeakRSSBytes },
            CSVColumn("simulatorPeakRSSBytes") { $0.run.simulatorPeakRSSBytes },
            CSVColumn("reconnects") { $0.run.reconnects },
            CSVColumn("inFlightAtErrorP50") { $0.run.inFlightAtErrorP50 },
            CSVColumn("resentPerReconnect", number: { $0.run.resentPerReconnect }),
            CSVColumn("lostPerReconnect", number: { $0.run.lostPerReconnect }),
            CSVColumn("busiestConnection", number: { $0.run.busiestConnection }),
            CSVColumn("reasons", text: { $0.run.reasons.isEmpty ? nil : $0.run.reasons.joined(separator: "; ") }),
        ]
    }
}
