/// One latency series: exact extremes and mean, quantiles by cell, and the whole histogram.
public struct LatencyRecord: Codable, Equatable, Sendable {
    /// Recorded values.
    public var count: Int64 = 0
    /// The shortest; null if there is none.
    @ExplicitNull public var minNs: Int64?
    /// The longest; null if there is none.
    @ExplicitNull public var maxNs: Int64?
    /// The mean, rounded; null if there is none.
    @ExplicitNull public var meanNs: Int64?
    /// The exact sum; null if it needs more than 63 bits, and in records of versions that did not tell.
    @ExplicitNull public var sumNs: Int64?
    /// Values that a share of all did not exceed.
    public var quantiles = QuantilesRecord()
    /// Values longer than the histogram's range, which have no cell.
    public var overflowCount: Int64 = 0
    /// Negative values, a fault of the clock's arithmetic; counted nowhere else.
    public var invalidCount: Int64 = 0
    /// How many of the values are lower bounds only: what was still unanswered at the end of the run entered with the time that
    /// it had taken by then. Null where nothing can be unanswered.
    @ExplicitNull public var censored: Int64?
    /// Of how many notifications one was timed; null where all were.
    @ExplicitNull public var sampledOneOf: Int64?
    /// `upper` where values are not latencies but upper bounds of them; null where they are latencies.
    @ExplicitNull public var bound: String?
    /// The histogram in HdrHistogram's compressed V2 format, base64.
    public var histogram = ""

    /// Makes a series without values.
    public init() {}
}

/// Latencies that a share of all did not exceed; null without values.
public struct QuantilesRecord: Codable, Equatable, Sendable {
    /// Half of all.
    @ExplicitNull public var p50: Int64?
    /// 90 of 100.
    @ExplicitNull public var p90: Int64?
    /// 99 of 100.
    @ExplicitNull public var p99: Int64?
    /// 999 of 1,000.
    @ExplicitNull public var p999: Int64?

    enum CodingKeys: String, CodingKey {
        case p50, p90, p99
        case p999 = "p99.9"
    }

    /// Makes quantiles of nothing.
    public init() {}
}
