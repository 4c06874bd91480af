import Glibc

/// Changes as logarithms of ratios: on that scale a rise and the fall that takes it back are of one size, and halving is as much as
/// doubling.
public enum RatioScale {
    /// The place of a rise: 0.25 for one by 25 %, and its negative for the fall by 20 % that takes it back.
    public static func place(ofRise rise: Double) -> Double { log1p(rise) }

    /// The place of a ratio; 0 for 1.
    public static func place(ofRatio ratio: Double) -> Double { log(ratio) }

    /// The rise at a place.
    public static func rise(at place: Double) -> Double { expm1(place) }

    /// The places of ratios that are positive.
    public static func places(of ratios: EstimateInterval) -> EstimateInterval {
        EstimateInterval(estimate: log(ratios.estimate), low: log(ratios.low), high: log(ratios.high))
    }
}
