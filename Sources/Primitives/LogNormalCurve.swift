/// A log-normal distribution: the logarithm of its values is normal.
public struct LogNormalCurve: Hashable, Sendable {
    /// The median.
    public let median: Double
    /// The standard deviation of the values' natural logarithm.
    public let sigma: Double

    /// Makes a curve; `median` is positive, `sigma` from 0 to 10.
    public init(median: Double, sigma: Double) {
        precondition(median > 0 && median.isFinite && (0...10).contains(sigma), "a median and a spread")
        self.median = median
        self.sigma = sigma
    }

    /// The values at the middles of `count` equal slices of probability, rising; the same bits on every machine.
    public func values(_ count: Int) -> [Double] {
        (0..<count).map { slice in
            let share = (Double(slice) + 0.5) / Double(count)
            return median * BinaryLogarithm.exp2(sigma * Self.normalQuantile(share) / 0.693_147_180_559_945_3)
        }
    }

    /// The value that a standard normal number does not exceed with probability `share`, by halving; below 8.
    static func normalQuantile(_ share: Double) -> Double {
        var (low, high) = (-8.0, 8.0)
        for _ in 0..<52 {
            let middle = (low + high) / 2
            if normalShare(below: middle) < share { low = middle } else { high = middle }
        }
        return low
    }

    /// The probability that a standard normal number does not exceed `value`: 1/2 + φ(x) · (x + x³ / 3 + x⁵ / (3 · 5) + …), whose
    /// terms all have one sign, so that nothing cancels (Abramowitz and Stegun, 26.2.11).
    static func normalShare(below value: Double) -> Double {
        let square = value * value
        var (term, sum) = (value, value)
        for step in 1...150 {
            term *= square / Double(2 * step + 1)
            sum += term
        }
        let density = 0.398_942_280_401_432_7 * BinaryLogarithm.exp2(-square / 2 / 0.693_147_180_559_945_3)
        return 0.5 + density * sum
    }
}
