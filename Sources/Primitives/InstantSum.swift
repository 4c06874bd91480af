/// How often something happened, and the sum of the instants at which it did.
///
/// The difference of two such sums of as many events is the time between them, added up over all pairs, whichever belong together.
public struct InstantSum: Hashable, Sendable {
    /// How often.
    public private(set) var count: Int64 = 0
    /// The sum of the instants in nanoseconds; more than 63 bits can be needed.
    public private(set) var nanoseconds: Int128 = 0

    /// Makes a sum of nothing.
    public init() {}

    /// Makes the sum of `count` instants from its quotient and remainder.
    public init(count: Int64, mean: Int64, remainder: Int64) {
        self.count = count
        nanoseconds = Int128(mean) * Int128(count) + Int128(remainder)
    }

    /// The mean instant, rounded down, and what is left of the sum; zeros for none.
    public var meanAndRemainder: (mean: Int64, remainder: Int64) {
        guard count > 0 else { return (0, 0) }
        let (mean, remainder) = nanoseconds.quotientAndRemainder(dividingBy: Int128(count))
        return (Int64(mean), Int64(remainder))
    }

    /// Adds `count` events at one instant.
    public mutating func add(_ count: Int64, at instant: Instant) {
        self.count += count
        nanoseconds += Int128(instant.nanoseconds) * Int128(count)
    }

    /// Adds another sum.
    public mutating func add(_ other: InstantSum) {
        count += other.count
        nanoseconds += other.nanoseconds
    }
}
