import Analysis
import RunRecords

/// The tries of a search for a capacity in their order as comma-separated values.
enum ProbeCSV {
    static func text(_ record: CapacityRecord) -> String {
        let rows = record.probes.enumerated().map { (number: Int64($0 + 1), probe: $1) }
        let latency = record.latencySeries
        let quantiles = [
            CSVColumn<Row>("latency", text: { _ in latency }),
            CSVColumn("p50Ns") { row in latency.flatMap { row.probe.run.latency[$0] }?.quantiles.p50 },
            CSVColumn("p99Ns") { row in latency.flatMap { row.probe.run.latency[$0] }?.quantiles.p99 },
            CSVColumn("p99.9Ns") { row in latency.flatMap { row.probe.run.latency[$0] }?.quantiles.p999 },
        ]
        return CSVColumn.text(rows, rates + quantiles + figures)
    }

    private typealias Row = (number: Int64, probe: ProbeRecord)

    private static var rates: [CSVColumn<Row>] {
        [
            CSVColumn("try") { $0.number }, CSVColumn("stage", text: { $0.probe.stage.rawValue }),
            CSVColumn("outcome", text: { $0.probe.outcome.rawValue }),
            CSVColumn("ratePerSecond", number: { $0.probe.ratePerSecond }),
            CSVColumn("offeredPerSecond", number: { $0.probe.offeredPerSecond }),
            CSVColumn("answeredPerSecond", number: { $0.probe.answeredPerSecond }),
        ]
    }

    private static var figures: [CSVColumn<Row>] {
        [
            CSVColumn("errors") { $0.probe.errors }, CSVColumn("lost") { $0.probe.run.ledger.lost },
            CSVColumn("unknown") { $0.probe.run.ledger.unknown },
            CSVColumn("inFlightMean", number: { $0.probe.inFlight }),
            CSVColumn("limit", text: { $0.probe.run.limit?.kind.rawValue }),
            CSVColumn("senderBusy", number: { $0.probe.run.limit?.senderBusy }),
            CSVColumn("simulatorBusy", number: { $0.probe.run.limit?.simulatorBusy }),
            CSVColumn("reasons", text: { $0.probe.reasons.isEmpty ? nil : $0.probe.reasons.joined(separator: "; ") }),
        ]
    }
}
