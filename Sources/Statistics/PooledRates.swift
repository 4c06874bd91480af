import Glibc

/// Repeated rates of several settings, whose relative scatter is taken to be the same: that of all logarithms together.
///
/// So few runs of each setting tell how certain any of them is.
public struct PooledRates: Equatable, Sendable {
    /// No scatter is taken to be less: runs of a few hundredths more or less are alike, and luck in two runs decides nothing.
    public static let scatterMin = 0.03
    /// The scatter that is assumed as long as nothing was run twice.
    public static let scatterUnknown = 0.15
    /// A setting is behind when it lies that many standard deviations of a difference behind.
    public static let deviations = 3.0

    /// The geometric mean of each setting's rates; nil without any.
    public let means: [Double?]
    /// The standard deviation of a rate's logarithm, about the relative scatter.
    public let scatter: Double
    private let counts: [Int]

    /// Takes the rates of each setting, which must be above 0.
    public init(_ rates: [[Double]]) {
        means = rates.map(geometricMean)
        counts = rates.map(\.count)
        var squares = 0.0
        var freedom = 0
        for values in rates where values.count > 1 {
            let logs = values.map { log($0) }
            let mean = logs.reduce(0, +) / Double(logs.count)
            squares += logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            freedom += logs.count - 1
        }
        scatter = freedom > 0 ? max(Self.scatterMin, (squares / Double(freedom)).squareRoot()) : Self.scatterUnknown
    }

    /// Whether one setting may have a share of another one's rate in truth, by what scatters; false if either has no rate.
    public func mayReach(_ share: Double, of leader: Int, with setting: Int) -> Bool {
        guard let own = means[setting], let best = means[leader] else { return false }
        let deviation = scatter * (1 / Double(counts[setting]) + 1 / Double(counts[leader])).squareRoot()
        return own * exp(Self.deviations * deviation) >= share * best
    }
}

/// The geometric mean of values above 0; nil of none.
public func geometricMean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
}
