import Histograms
public import RunRecords

/// The percentile distributions of all of a record's series, one after the other under headings (`.hgrm`), in milliseconds.
public enum PercentileText: RunText {
    static let summary = "percentile distributions of all series, for the plotters of HdrHistogram"

    /// The text; a record without any series has a line that says so.
    ///
    /// - Throws: ``RecordError/malformed(path:keyPath:reason:)`` when a series' histogram cannot be read.
    public static func text(_ record: RunRecord) throws(RecordError) -> String {
        var parts: [String] = []
        for (name, series) in named(record.latency) { parts.append(try part(name, series)) }
        for phase in record.phases ?? [] {
            for (name, series) in named(phase.latency) { parts.append(try part("\(phase.name)/\(name)", series)) }
        }
        return parts.isEmpty ? "#[No series has a value]\n" : parts.joined(separator: "\n")
    }

    private static func named(_ latency: [String: LatencyRecord]) -> [(String, LatencyRecord)] {
        Metric.ordered(latency.keys).compactMap { name in
            latency[name].flatMap { $0.count > 0 ? (name, $0) : nil }
        }
    }

    private static func part(_ name: String, _ series: LatencyRecord) throws(RecordError) -> String {
        var text = "#[Series: \(name), milliseconds]\n"
        if let bound = series.bound { text += "#[Values are \(bound) bounds of latencies]\n" }
        if let censored = series.censored, censored > 0 {
            text += "#[\(censored) values are lower bounds: unanswered when the run ended]\n"
        }
        if let share = series.sampledOneOf { text += "#[One of \(share) notifications was timed]\n" }
        if series.overflowCount > 0 { text += "#[\(series.overflowCount) values beyond the range have no cell]\n" }
        do throws(HistogramError) {
            return text + (try Histogram(base64: series.histogram).percentileDistribution(places: 6))
        } catch {
            throw .malformed(path: "record", keyPath: "latency.\(name).histogram", reason: "\(error)")
        }
    }
}
