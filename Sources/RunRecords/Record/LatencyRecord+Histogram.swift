public import Histograms

extension LatencyRecord {
    /// Makes a series from a histogram of nanoseconds.
    public init(_ histogram: Histogram) {
        let totals = histogram.totals
        count = totals.count
        minNs = totals.minimum
        maxNs = totals.maximum
        meanNs = histogram.mean.map { Int64($0.rounded()) }
        sumNs = totals.isExact ? Int64(exactly: totals.sum) : nil
        overflowCount = totals.overflowCount
        invalidCount = totals.invalidCount
        self.histogram = histogram.base64()
        quantiles = QuantilesRecord(histogram)
    }

    /// The latency that a share of all, 0 to 1, did not exceed, however few there are; nil without values, or if the
    /// histogram cannot be read.
    public func value(atQuantile quantile: Double) -> Int64? {
        (try? Histogram(base64: histogram))?.value(atQuantile: quantile)
    }

    /// How many values are within a bound, to the width of the histogram's cells; nil if the histogram cannot be read.
    public func count(upTo bound: Int64) -> Int64? {
        guard bound >= 0 else { return 0 }
        return (try? Histogram(base64: histogram))?.count(in: 0...bound)
    }
}

extension QuantilesRecord {
    /// Reads quantiles off a histogram of nanoseconds.
    ///
    /// One with fewer than ten values beyond it would be the maximum under another name, and is left null.
    public init(_ histogram: Histogram) {
        self.init()
        guard let values = histogram.values(atQuantiles: [0.5, 0.9, 0.99, 0.999]) else { return }
        p50 = values[0]
        if histogram.count >= 100 { p90 = values[1] }
        if histogram.count >= 1_000 { p99 = values[2] }
        if histogram.count >= 10_000 { p999 = values[3] }
    }
}
