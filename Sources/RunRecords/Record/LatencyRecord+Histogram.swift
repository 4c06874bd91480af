public import Histograms

extension LatencyRecord {
    /// Makes a series from a histogram of nanoseconds.
    public init(_ histogram: Histogram) {
        let totals = histogram.totals
        count = totals.count
        minNs = totals.minimum
        maxNs = totals.maximum
        meanNs = histogram.mean.map { Int64($0.rounded()) }
        overflowCount = totals.overflowCount
        invalidCount = totals.invalidCount
        if let values = histogram.values(atQuantiles: [0.5, 0.9, 0.99, 0.999]) {
            (quantiles.p50, quantiles.p90, quantiles.p99, quantiles.p999) = (values[0], values[1], values[2], values[3])
        }
        self.histogram = histogram.base64()
    }

    /// The latency that a share of all, 0 to 1, did not exceed; nil without values, or if the histogram cannot be read.
    public func value(atQuantile quantile: Double) -> Int64? {
        switch quantile {
        case 0.5: quantiles.p50
        case 0.9: quantiles.p90
        case 0.99: quantiles.p99
        case 0.999: quantiles.p999
        default: (try? Histogram(base64: histogram))?.value(atQuantile: quantile)
        }
    }
}
