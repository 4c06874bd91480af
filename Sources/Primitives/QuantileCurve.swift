/// A log-logistic distribution through two quantiles, cut at a largest value.
///
/// It looks like the log-normal one (skewed, a long tail to the right) and has a quantile function in closed form:
/// value(q) = p50 · (q ÷ (1 − q))^s with s chosen so that value(0.99) = p99.
public struct QuantileCurve: Hashable, Sendable {
    /// The median.
    public let p50: Double
    /// The value that 99 of 100 do not exceed.
    public let p99: Double
    /// The largest value.
    public let max: Double

    /// Makes a curve; the values must be positive, finite and not fall.
    public init(p50: Double, p99: Double, max: Double) {
        precondition(p50 > 0 && p50 <= p99 && p99 <= max && max.isFinite, "quantiles must be positive and not fall")
        self.p50 = p50
        self.p99 = p99
        self.max = max
    }

    /// The values at the middles of `count` equal slices of probability, rising; the last is exactly ``max``, so that a run of
    /// some thousand draws meets it.
    public func values(_ count: Int) -> [Double] {
        guard p50 < max else { return [Double](repeating: max, count: count) }
        let exponent = BinaryLogarithm.log2(p99 / p50) / BinaryLogarithm.log2(99)
        var values = (0..<count).map { slice in
            let odds = Double(2 * slice + 1) / Double(2 * count - 2 * slice - 1)
            return Swift.min(p50 * BinaryLogarithm.exp2(exponent * BinaryLogarithm.log2(odds)), max)
        }
        values[count - 1] = max
        return values
    }
}

/// Logarithm and power of two from the four basic operations, which give the same bits on every machine; the C
/// library's functions do not promise that.
public enum BinaryLogarithm {
    /// The logarithm of `value` to the base of two, exact to twelve digits behind the point.
    ///
    /// - Precondition: `value` is positive and finite.
    public static func log2(_ value: Double) -> Double {
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
