import Primitives

/// An estimate, and the interval that holds the true value with the asked confidence.
public struct EstimateInterval: Equatable, Sendable {
    /// The estimate.
    public var estimate: Double
    /// The lower end.
    public var low: Double
    /// The upper end.
    public var high: Double

    /// Makes an interval.
    public init(estimate: Double, low: Double, high: Double) {
        self.estimate = estimate
        self.low = low
        self.high = high
    }
}

/// Intervals by resampling: the percentile method, which for medians of few runs is the dependable one.
///
/// The same seed gives the same interval on every machine.
public struct Bootstrap: Equatable, Sendable {
    /// How often is drawn.
    public var resamples: Int
    /// The seed of what is drawn.
    public var seed: UInt64
    /// The probability, 0 to 1, that the interval misses the true value.
    public var alpha: Double

    /// Chooses how intervals are made.
    public init(resamples: Int = 10_000, seed: UInt64 = 1, alpha: Double = 0.05) {
        self.resamples = resamples
        self.seed = seed
        self.alpha = alpha
    }

    /// `median(candidate) ÷ median(base)`, each sample drawn by itself.
    ///
    /// - Returns: nil if a sample is empty or has values that are not positive.
    public func ratioOfMedians(base: [Double], candidate: [Double]) -> EstimateInterval? {
        guard (base + candidate).allSatisfy({ $0 > 0 }) else { return nil }
        return interval(base, candidate) { $1 / $0 }
    }

    /// `median(candidate) − median(base)`, each sample drawn by itself.
    ///
    /// - Returns: nil if a sample is empty.
    public func differenceOfMedians(base: [Double], candidate: [Double]) -> EstimateInterval? {
        interval(base, candidate) { $1 - $0 }
    }

    /// The median of values that belong together in pairs, such as ratios or differences of interleaved runs, whole pairs drawn.
    ///
    /// - Returns: nil if there are none.
    public func median(of pairs: [Double]) -> EstimateInterval? {
        guard let estimate = Statistics.median(pairs) else { return nil }
        if Set(pairs).count == 1 { return certain(estimate) }
        var draws = Draws(pairs)
        return interval(estimate) { random in draws.median(&random) }
    }

    private func interval(
        _ base: [Double], _ candidate: [Double], _ compare: (Double, Double) -> Double
    ) -> EstimateInterval? {
        guard let left = Statistics.median(base), let right = Statistics.median(candidate) else { return nil }
        if Set(base).count == 1, Set(candidate).count == 1 { return certain(compare(left, right)) }
        var (baseDraws, candidateDraws) = (Draws(base), Draws(candidate))
        return interval(compare(left, right)) { random in
            let left = baseDraws.median(&random)
            return compare(left, candidateDraws.median(&random))
        }
    }

    /// The interval of values of which all draws are alike.
    private func certain(_ estimate: Double) -> EstimateInterval {
        EstimateInterval(estimate: estimate, low: estimate, high: estimate)
    }

    private func interval(_ estimate: Double, draw: (inout SeededRandom) -> Double) -> EstimateInterval {
        var random = SeededRandom(seed: seed)
        var drawn: [Double] = []
        drawn.reserveCapacity(resamples)
        for _ in 0..<resamples { drawn.append(draw(&random)) }
        drawn.sort()
        return EstimateInterval(
            estimate: estimate, low: quantile(alpha / 2, ofSorted: drawn) ?? estimate,
            high: quantile(1 - alpha / 2, ofSorted: drawn) ?? estimate)
    }
}

/// Draws from a sample with replacement, and finds the median of what was drawn by counting.
struct Draws {
    private let sorted: [Double]
    private var counts: [Int]

    init(_ values: [Double]) {
        sorted = values.sorted()
        counts = [Int](repeating: 0, count: values.count)
    }

    /// The median of `count` draws, as many as the sample has values unless told otherwise; the sample must not be empty.
    mutating func median(_ random: inout SeededRandom, count: Int? = nil) -> Double {
        let count = count ?? sorted.count
        for index in counts.indices { counts[index] = 0 }
        for _ in 0..<count { counts[Int(random.below(UInt64(sorted.count)))] += 1 }
        let upper = value(ofRank: count / 2)
        return count % 2 == 1 ? upper : value(ofRank: count / 2 - 1) / 2 + upper / 2
    }

    private func value(ofRank rank: Int) -> Double {
        var rest = rank
        for (index, count) in counts.enumerated() {
            if rest < count { return sorted[index] }
            rest -= count
        }
        return sorted[sorted.count - 1]
    }
}
