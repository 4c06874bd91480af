/// A trend in a series of figures: Mann and Kendall's test, and Theil and Sen's slope.
public struct Trend: Equatable, Sendable {
    /// How far the test's statistic lies from that of figures without a trend, in standard deviations; positive when they rise.
    public let score: Double
    /// The median of the slopes between any two figures, per step.
    public let slope: Double
    /// The median of the figures.
    public let median: Double
    private let count: Int

    /// The fewest figures of which anything can be said.
    public static let minimumCount = 8
    /// Longer series are thinned out, since all pairs are compared.
    private static let maximumCount = 512

    /// Nil for too few figures.
    public init?(_ all: [Double]) {
        guard all.count >= Self.minimumCount else { return nil }
        let stride = (all.count + Self.maximumCount - 1) / Self.maximumCount
        let values = Swift.stride(from: 0, to: all.count, by: stride).map { all[$0] }
        count = values.count
        var balance = 0
        var slopes: [Double] = []
        for later in 1..<values.count {
            for earlier in 0..<later {
                let difference = values[later] - values[earlier]
                balance += difference > 0 ? 1 : difference < 0 ? -1 : 0
                slopes.append(difference / Double(later - earlier))
            }
        }
        let size = Double(values.count)
        let deviation = (size * (size - 1) * (2 * size + 5) / 18).squareRoot()
        score = Double(balance - balance.signum()) / deviation
        slope = Self.middle(of: slopes)
        median = Self.middle(of: values)
    }

    /// By what share of the median the figures change from the first to the last, if that cannot well be chance: a score beyond 2.58
    /// comes once in a hundred times without a trend.
    public var significantChange: Double? {
        guard score.magnitude > 2.58, median > 0 else { return nil }
        return slope * Double(count - 1) / median
    }

    private static func middle(of values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted[sorted.count / 2]
    }
}
