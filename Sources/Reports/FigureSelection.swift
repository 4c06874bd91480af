import Analysis
import Primitives
import RunRecords

/// The figures that forms for other programs have: few, each with a better and a worse.
enum FigureSelection {
    /// Those of which at least one of the runs has a value.
    static func metrics(in runs: [RunRecord]) -> [Metric] {
        let rates = [Metric.Plain.acceptedPerSecond, .bytesPerSecond].map(Metric.plain)
        let series = Metric.ordered(runs.flatMap(\.latency.keys))
        let latencies = series.flatMap { name in
            [Metric.Statistic.quantile(0.5), .quantile(0.99)].map { Metric.latency(series: name, $0) }
        }
        let costs = [Metric.Plain.senderCPUPerNotification, .simulatorCPUPerNotification].map(Metric.plain)
        return (rates + latencies + costs).filter { metric in
            metric.direction != .neither && runs.contains { metric.comparableValue(in: $0) != nil }
        }
    }
}

/// A number for programs: whole ones without a point, none that is not finite.
func numberText(_ value: Double) -> String? {
    guard value.isFinite else { return nil }
    return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
}
