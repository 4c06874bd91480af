/// A trend in a series of figures: Mann and Kendall's test, and how far the figures went.
public struct Trend: Equatable, Sendable {
    /// How far the test's statistic lies from that of figures without a trend, in standard deviations; positive when they rise.
    public let score: Double
    /// The median of the first quarter of the figures.
    public let first: Double
    /// The median of the last quarter.
    public let last: Double

    /// The fewest figures of which anything can be said.
    public static let minimumCount = 8
    /// Longer series are thinned out, since all pairs are compared.
    private static let maximumCount = 512

    /// Nil for too few figures.
    public init?(_ all: [Double]) {
        guard all.count >= Self.minimumCount else { return nil }
        let stride = (all.count + Self.maximumCount - 1) / Self.maximumCount
        let values = Swift.stride(from: 0, to: all.count, by: stride).map { all[$0] }
        var balance = 0
        for later in 1..<values.count {
            for earlier in 0..<later {
                balance += values[later] > values[earlier] ? 1 : values[later] < values[earlier] ? -1 : 0
            }
        }
        let size = Double(values.count)
        let deviation = (size * (size - 1) * (2 * size + 5) / 18).squareRoot()
        score = Double(balance - balance.signum()) / deviation
        first = Self.median(of: values.prefix(values.count / 4))
        last = Self.median(of: values.suffix(values.count / 4))
    }

    /// Whether that cannot well be chance: a score beyond 2.58 comes once in a hundred times without a trend.
    public var isSignificant: Bool { score.magnitude > 2.58 }

    /// By how much the figures, none of them negative, changed as a share of what they were where they were greater: so nothing falls
    /// by more than all of it, and nothing rises without bound.
    public var change: Double { max(first, last) > 0 ? (last - first) / max(first, last) : 0 }

    private static func median(of values: ArraySlice<Double>) -> Double {
        let sorted = values.sorted()
        return sorted[sorted.count / 2]
    }
}
