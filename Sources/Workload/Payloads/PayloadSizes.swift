/// How payload sizes are distributed: one constant, or a log-logistic distribution through two quantiles.
///
/// The log-logistic distribution looks like the log-normal one (skewed, a long tail to the right) and has a quantile
/// function in closed form: size(q) = p50 · (q ÷ (1 − q))^s with s chosen so that size(0.99) = p99. It is cut at `max` above
/// and at the shortest possible payload below; the highest of the quantiles in use is set to exactly `max`, so that a run of
/// some thousand notifications meets it.
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
        guard p50 < max else { return [Int](repeating: max, count: count) }
        let exponent = BinaryLogarithm.log2(Double(p99) / Double(p50)) / BinaryLogarithm.log2(99)
        var sizes: [Int] = []
        sizes.reserveCapacity(count)
        for slice in 0..<count {
            let odds = Double(2 * slice + 1) / Double(2 * count - 2 * slice - 1)
            let size = Double(p50) * BinaryLogarithm.exp2(exponent * BinaryLogarithm.log2(odds))
            sizes.append(Swift.max(PayloadGenerator.minimumBytes, Int(Swift.min(size + 0.5, Double(max)))))
        }
        sizes[count - 1] = max
        return sizes
    }
}

/// Logarithm and power of two from the four basic operations, which give the same bits on every machine; the C
/// library's functions do not promise that.
enum BinaryLogarithm {
    /// - Precondition: `value` is positive and finite.
    static func log2(_ value: Double) -> Double {
        var result = Double(value.exponent)
        var rest = value.significand
        var digit = 0.5
        // Squaring doubles the logarithm, so its binary digits come out one by one.
        for _ in 0..<40 {
            rest *= rest
            if rest >= 2 {
                rest /= 2
                result += digit
            }
            digit /= 2
        }
        return result
    }

    /// - Precondition: `exponent` is between -1,000 and 1,000.
    static func exp2(_ exponent: Double) -> Double {
        var whole = Int(exponent)
        if Double(whole) > exponent { whole -= 1 }
        let power = (exponent - Double(whole)) * 0.693_147_180_559_945_3
        var term = 1.0
        var sum = 1.0
        for step in 1...20 {
            term *= power / Double(step)
            sum += term
        }
        return Double(sign: .plus, exponent: whole, significand: sum)
    }
}
