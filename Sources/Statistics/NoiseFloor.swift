import Primitives

/// What a comparison of something with itself shows: changes of that size mean nothing on this machine.
public struct NoiseFloor: Equatable, Sendable {
    /// The ratios of pairs of runs of the same thing, made one right after the other.
    public var pairRatios: [Double]

    /// No threshold is below this relative change, however quiet the machine.
    public static let least = 0.01
    /// The share of comparisons of something with itself that stay below the threshold.
    public static let share = 0.95
    private static let draws = 10_000

    /// Takes the ratios of an A/A calibration; those that are not positive and finite are left out.
    public init(pairRatios: [Double]) { self.pairRatios = pairRatios.filter { $0 > 0 && $0.isFinite } }

    /// The threshold for the median of so many interleaved pairs; nil without ratios.
    public func threshold(pairs count: Int, seed: UInt64 = 1) -> Double? {
        guard !pairRatios.isEmpty, count > 0 else { return nil }
        var draws = Draws(pairRatios)
        var random = SeededRandom(seed: seed)
        return Self.threshold((0..<Self.draws).map { _ in abs(draws.median(&random, count: count) - 1) })
    }

    /// The threshold for runs of two sides made apart, between which the machine may have drifted: the scatter of single pairs, however
    /// many runs there are. Nil without ratios.
    public var thresholdApart: Double? {
        pairRatios.isEmpty ? nil : Self.threshold(pairRatios.map { abs($0 - 1) })
    }

    private static func threshold(_ changes: [Double]) -> Double {
        max(least, quantile(share, ofSorted: changes.sorted()) ?? least)
    }
}
