/// Little's law for one run, from the start of the load to the last end: in flight on average = rate × mean latency.
///
/// The two sides are counted apart, so that what is recorded twice, forgotten or kept too long breaks the law. Over HTTP/2 the
/// sender's sessions add up the number of open requests over time, whatever becomes of each; of the binary interface what is in flight
/// is known from the instants at which the sender wrote and at which the simulator accepted, added up for whole writes and reads. The
/// latency is the mean of what was recorded for single requests, or for the sampled notifications.
public struct LittlesLawRecord: Codable, Equatable, Sendable {
    /// How many were in flight on average, as counted.
    public private(set) var inFlight: Double
    /// How many ended a second: requests that were answered, given up or withdrawn; notifications that were accepted or refused.
    public private(set) var perSecond: Double
    /// Their mean latency in nanoseconds, rounded.
    public private(set) var latencyMeanNs: Int64
    /// Rate × mean latency.
    public private(set) var expectedInFlight: Double
    /// By how much the two may differ, as a share of the greater one. Requests: 0.001, since both sides read the same clock at the same
    /// calls, and only rounding can part them. Notifications: 0.01, and the share of refused ones, which one side counts from their
    /// first and the other from their last write; of a sample five standard errors of its mean, too.
    public private(set) var tolerance: Double

    /// Makes both sides from sums; nil unless something ended and time passed.
    ///
    /// - Parameters:
    ///   - held: the integral of the number in flight over time, in nanoseconds.
    ///   - count: how many ended.
    ///   - latencySum: their latencies added up, in nanoseconds.
    ///   - lengthNs: the time that all this took.
    ///   - tolerance: by how much the sides may differ, as a share.
    public init?(held: Int128, count: Int64, latencySum: Double, lengthNs: Int64, tolerance: Double) {
        guard count > 0, lengthNs > 0, latencySum.isFinite, tolerance.isFinite else { return nil }
        inFlight = Double(held) / Double(lengthNs)
        perSecond = Double(count) * 1e9 / Double(lengthNs)
        latencyMeanNs = Int64((latencySum / Double(count)).rounded())
        expectedInFlight = latencySum / Double(lengthNs)
        self.tolerance = tolerance
    }

    /// Whether the two sides agree within the tolerance.
    public var holds: Bool {
        (inFlight - expectedInFlight).magnitude <= tolerance * max(inFlight.magnitude, expectedInFlight)
    }
}
