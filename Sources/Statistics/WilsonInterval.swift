/// A share of independent trials, and Wilson's interval for it, which is sound near 0 and 1 as well.
///
/// Source: E. B. Wilson, *Journal of the American Statistical Association* 22 (1927).
public struct WilsonInterval: Equatable, Sendable {
    /// The share that was seen, 0 to 1.
    public let share: Double
    /// The lower end, 0 to 1.
    public let low: Double
    /// The upper end, 0 to 1.
    public let high: Double

    /// How many standard deviations each end lies away from the share: 95 of 100 intervals hold the truth.
    public static let deviations = 1.959964

    /// The interval for so many successes in so many trials; nil without trials.
    public init?(successes: Int64, trials: Int64) {
        guard trials > 0, (0...trials).contains(successes) else { return nil }
        let count = Double(trials)
        let z = Self.deviations
        share = Double(successes) / count
        let center = share + z * z / (2 * count)
        let reach = z * (share * (1 - share) / count + z * z / (4 * count * count)).squareRoot()
        let scale = 1 + z * z / count
        low = max(0, (center - reach) / scale)
        high = min(1, (center + reach) / scale)
    }
}
