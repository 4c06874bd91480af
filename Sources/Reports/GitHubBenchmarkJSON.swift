import Analysis
import RunRecords
import Statistics

/// The figures of which more is better, as github-action-benchmark reads them with `tool: customBiggerIsBetter`.
enum BiggerIsBetterJSON: ReportText {
    static let summary = "JSON for github-action-benchmark, tool customBiggerIsBetter: rates"

    static func text(_ series: RunSeriesRecord) throws(RecordError) -> String {
        try GitHubBenchmarkJSON.text(GitHubBenchmarkJSON.entries(series, .higher))
    }

    static func text(_ comparison: Comparison) throws(RecordError) -> String {
        try GitHubBenchmarkJSON.text(GitHubBenchmarkJSON.entries(comparison, .higher))
    }
}

/// The figures of which less is better, as github-action-benchmark reads them with `tool: customSmallerIsBetter`.
enum SmallerIsBetterJSON: ReportText {
    static let summary = "JSON for github-action-benchmark, tool customSmallerIsBetter: latencies and costs"

    static func text(_ series: RunSeriesRecord) throws(RecordError) -> String {
        try GitHubBenchmarkJSON.text(GitHubBenchmarkJSON.entries(series, .lower))
    }

    static func text(_ comparison: Comparison) throws(RecordError) -> String {
        try GitHubBenchmarkJSON.text(GitHubBenchmarkJSON.entries(comparison, .lower))
    }
}

/// A list of figures as the action's README describes it; a figure that was not measured is left out.
private enum GitHubBenchmarkJSON {
    struct Entry: Encodable {
        var name: String
        var unit: String
        var value: Double
        var range: String?
        var extra: String?
    }

    static func text(_ entries: [Entry]) throws(RecordError) -> String {
        String(decoding: try RecordCoding.encoded(entries), as: UTF8.self)
    }

    /// The medians of a series' runs.
    static func entries(_ series: RunSeriesRecord, _ direction: MetricDirection) -> [Entry] {
        let name = series.runs.first?.name ?? ""
        return FigureSelection.metrics(in: series.runs).filter { $0.direction == direction }.compactMap { metric in
            let values = series.runs.compactMap(metric.comparableValue)
            guard let value = median(values) else { return nil }
            return Entry(
                name: "\(name): \(metric.name)", unit: unit(metric.unit), value: value,
                range: range(values, metric.unit), extra: "\(values.count) of \(series.runs.count) runs")
        }
    }

    /// The candidate's medians, and how they compare to the baseline's.
    static func entries(_ comparison: Comparison, _ direction: MetricDirection) -> [Entry] {
        comparison.metrics.filter { $0.direction == direction }.compactMap { metric in
            guard let value = metric.candidate.median else { return nil }
            let baseline = "baseline \(FigureText.value(metric.base.median, metric.unit))"
            return Entry(
                name: metric.name, unit: unit(metric.unit), value: value,
                range: range(metric.candidate.present, metric.unit),
                extra: [baseline, metric.changeText].compactMap { $0 }.joined(separator: "\n"))
        }
    }

    private static func range(_ values: [Double], _ unit: MetricUnit) -> String? {
        guard values.count > 1, let low = values.min(), let high = values.max() else { return nil }
        return "\(unit.text(low)) to \(unit.text(high))"
    }

    private static func unit(_ unit: MetricUnit) -> String {
        switch unit {
        case .count, .number: "count"
        case .rate: "1/s"
        case .bytesPerSecond: "B/s"
        case .time: "ns"
        case .size: "B"
        }
    }
}
