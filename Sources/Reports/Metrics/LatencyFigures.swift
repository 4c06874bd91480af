import Histograms
import RunRecords

/// One latency series as metrics have it: exact extremes, sum and number, quantiles, and how many values there are up to fixed bounds.
struct LatencyFigures {
    var count: Int64
    /// The sum of all values in seconds.
    var sum: Double
    var minNs: Int64?
    var maxNs: Int64?
    var quantiles: QuantilesRecord
    /// Bounds in seconds, as they are written, and how many values do not exceed each; by the histogram's cells, whose width is
    /// less than a thousandth of the value.
    var buckets: [(bound: String, count: Int64)]

    /// The same for every series and every run, so that histograms can be added up and laid over each other.
    private static let bounds: [(text: String, nanoseconds: Int64)] = [
        ("1e-05", 10_000), ("2.5e-05", 25_000), ("5e-05", 50_000), ("0.0001", 100_000), ("0.00025", 250_000),
        ("0.0005", 500_000), ("0.001", 1_000_000), ("0.0025", 2_500_000), ("0.005", 5_000_000), ("0.01", 10_000_000),
        ("0.025", 25_000_000), ("0.05", 50_000_000), ("0.1", 100_000_000), ("0.25", 250_000_000),
        ("0.5", 500_000_000), ("1.0", 1_000_000_000), ("2.5", 2_500_000_000), ("5.0", 5_000_000_000),
        ("10.0", 10_000_000_000), ("30.0", 30_000_000_000), ("60.0", 60_000_000_000),
    ]

    /// The series of a record; without buckets if its histogram cannot be read.
    init(_ record: LatencyRecord) {
        count = record.count
        let mean = Double(record.meanNs ?? 0)
        sum = (record.sumNs.map(Double.init) ?? mean * Double(record.count)) / 1e9
        minNs = record.minNs
        maxNs = record.maxNs
        quantiles = record.quantiles
        let histogram = try? Histogram(base64: record.histogram)
        buckets = histogram.map { Self.buckets($0, count: record.count) } ?? []
    }

    /// A series while its run goes on.
    init(_ histogram: Histogram) {
        let totals = histogram.totals
        count = totals.count
        sum = Double(totals.sum) / 1e9
        minNs = totals.minimum
        maxNs = totals.maximum
        quantiles = QuantilesRecord(histogram)
        buckets = Self.buckets(histogram, count: totals.count)
    }

    private static func buckets(_ histogram: Histogram, count: Int64) -> [(bound: String, count: Int64)] {
        zip(bounds, histogram.counts(upTo: bounds.map(\.nanoseconds))).map { ($0.text, min(count, $1)) }
    }
}
