/// A 64-bit mixing function with full avalanche (the finaliser of SplitMix64, Steele, Lea and Flood 2014).
///
/// It is a bijection, so distinct inputs keep distinct outputs.
@inlinable
public func mix64(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
}

/// A small deterministic random source (SplitMix64): the same seed gives the same numbers on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// Starts the sequence of `seed`.
    @inlinable
    public init(seed: UInt64) { state = seed }

    /// Returns the next 64 uniformly distributed bits.
    @inlinable
    public mutating func next() -> UInt64 {
        let output = mix64(state)
        state &+= 0x9E37_79B9_7F4A_7C15
        return output
    }

    /// Returns a number in 0 ..< `bound`, by multiplication instead of division; `bound` must be positive.
    @inlinable
    public mutating func below(_ bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }

    /// Returns a number in 0 ..< 1 with 53 random bits.
    @inlinable
    public mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
