import Primitives

/// How payload sizes are distributed: one constant, or a log-logistic distribution through two quantiles.
///
/// It is cut at `max` above and at the shortest possible payload below.
public struct PayloadSizes: Equatable, Sendable {
    /// The median in bytes.
    public let p50: Int
    /// The size that 99 of 100 payloads do not exceed, in bytes.
    public let p99: Int
    /// The largest size, in bytes.
    public let max: Int

    /// Every payload has the same size in bytes.
    ///
    /// - Throws: ``WorkloadError/payloadTooSmall(bytes:minimum:)``.
    public init(constant bytes: Int) throws(WorkloadError) { try self.init(p50: bytes, p99: bytes, max: bytes) }

    /// Sizes through a median and a 99th percentile, cut at a largest size; all in bytes.
    ///
    /// - Throws: ``WorkloadError/payloadTooSmall(bytes:minimum:)`` and
    ///   ``WorkloadError/payloadSizesOutOfOrder(p50:p99:max:)``.
    public init(p50: Int, p99: Int, max: Int) throws(WorkloadError) {
        guard p50 <= p99, p99 <= max else { throw .payloadSizesOutOfOrder(p50: p50, p99: p99, max: max) }
        guard p50 >= PayloadGenerator.minimumBytes else {
            throw .payloadTooSmall(bytes: p50, minimum: PayloadGenerator.minimumBytes)
        }
        self.p50 = p50
        self.p99 = p99
        self.max = max
    }

    /// The sizes at the middles of `count` equal slices of probability, rising.
    func quantiles(_ count: Int) -> [Int] {
        let curve = QuantileCurve(p50: Double(p50), p99: Double(p99), max: Double(max))
        return curve.values(count).map {
            Swift.max(PayloadGenerator.minimumBytes, Int(Swift.min($0 + 0.5, Double(max))))
        }
    }
}
