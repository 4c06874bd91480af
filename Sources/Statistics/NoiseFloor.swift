import Primitives

/// What a comparison of something with itself shows: changes of that size mean nothing on this machine.
///
/// Thresholds are rises: one of 25 % stands for a rise by 25 % and for the fall by 20 % that takes it back.
public struct NoiseFloor: Equatable, Sendable {
    /// The ratios of pairs of runs of the same thing, made one right after the other.
    public var pairRatios: [Double]

    /// No threshold is below this relative change, however quiet the machine.
    public static let least = 0.01
    /// No comparison is judged by a threshold above this one: it would call changes noise that nobody would.
    public static let most = 0.25
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
        return Self.threshold(
            (0..<Self.draws).map { _ in abs(RatioScale.place(ofRatio: draws.median(&random, count: count))) })
    }

    /// The threshold for runs of two sides made apart, between which the machine may have drifted: the scatter of single pairs, however
    /// many runs there are. Nil without ratios.
    public var thresholdApart: Double? {
        pairRatios.isEmpty ? nil : Self.threshold(pairRatios.map { abs(RatioScale.place(ofRatio: $0)) })
    }

    private static func threshold(_ logarithms: [Double]) -> Double {
        max(least, quantile(share, ofSorted: logarithms.sorted()).map { RatioScale.rise(at: $0) } ?? least)
    }
}
