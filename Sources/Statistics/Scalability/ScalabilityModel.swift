import Glibc

/// The Universal Scalability Law: what rate so many at a time give, `X(N) = γN ÷ (1 + α(N − 1) + βN(N − 1))`.
///
/// Source: N. J. Gunther, *Guerrilla Capacity Planning*, chapter 4.
public struct ScalabilityModel: Equatable, Sendable {
    /// α, 0 to 1: the share of the work that only one can do at a time.
    public var contention: Double
    /// β, 0 to 1: what each pair costs to keep in step.
    public var coherency: Double
    /// γ: the rate of one alone, per second.
    public var rateOfOne: Double

    /// Makes a model of its coefficients.
    public init(contention: Double, coherency: Double, rateOfOne: Double) {
        self.contention = contention
        self.coherency = coherency
        self.rateOfOne = rateOfOne
    }

    /// The rate with so many at a time, per second.
    public func rate(at level: Double) -> Double { rateOfOne * shape(at: level) }

    /// The rate with so many at a time, in rates of one alone.
    func shape(at level: Double) -> Double {
        level / (1 + contention * (level - 1) + coherency * level * (level - 1))
    }

    /// The level from which on more only make it slower; nil without coherency cost, where there is none.
    public var peakLevel: Double? {
        coherency > 0 && contention < 1 ? ((1 - contention) / coherency).squareRoot() : nil
    }

    /// The greatest rate that the model allows, per second: that of the peak, or what it nears without one; nil if it grows for ever.
    public var greatestRate: Double? {
        if let peakLevel { return rate(at: peakLevel) }
        return contention > 0 ? rateOfOne / contention : nil
    }
}
