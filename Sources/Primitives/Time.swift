/// A point on the machine's monotonic clock, in nanoseconds since an arbitrary start (boot, on Linux).
///
/// Two processes of one machine share the clock, so instants of sender and simulator can be compared.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's start.
    public var nanoseconds: Int64

    /// Makes an instant from a reading of the monotonic clock in nanoseconds.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The clock's start; in tests, the moment at which a manual clock begins.
    public static let zero = Instant(nanoseconds: 0)
    /// Later than any instant that a run can reach.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// Whether the left instant is earlier.
    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant `interval` after this one; saturates at ``distantFuture``.
    @inlinable
    public static func + (instant: Instant, interval: Interval) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(interval.nanoseconds)
        return overflow ? .distantFuture : Instant(nanoseconds: sum)
    }

    /// The signed time from `right` to `left`.
    @inlinable
    public static func - (left: Instant, right: Instant) -> Interval {
        Interval(nanoseconds: left.nanoseconds &- right.nanoseconds)
    }
}

/// A signed length of time in nanoseconds.
public struct Interval: Hashable, Comparable, Sendable {
    /// The length in nanoseconds.
    public var nanoseconds: Int64

    /// Makes an interval of so many nanoseconds.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// No time at all.
    public static let zero = Interval(nanoseconds: 0)

    /// An interval of `count` microseconds.
    @inlinable
    public static func microseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000) }
    /// An interval of `count` milliseconds.
    @inlinable
    public static func milliseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000) }
    /// An interval of `count` seconds.
    @inlinable
    public static func seconds(_ count: Int64) -> Interval { Interval(nanoseconds: count * 1_000_000_000) }

    /// The length in seconds, for reports and rates.
    @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Whether the left interval is shorter, counting its sign.
    @inlinable
    public static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
    /// The sum of two intervals.
    @inlinable
    public static func + (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    /// The difference of two intervals.
    @inlinable
    public static func - (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
    /// The interval `factor` times as long.
    @inlinable
    public static func * (interval: Interval, factor: Int64) -> Interval {
        Interval(nanoseconds: interval.nanoseconds * factor)
    }
}

/// A rate in events per second.
public struct Rate: Hashable, Comparable, Sendable {
    /// Events per second; positive and finite.
    public var perSecond: Double

    /// Makes a rate of so many events per second.
    public init(perSecond: Double) { self.perSecond = perSecond }

    /// Whether the left rate is lower.
    public static func < (left: Rate, right: Rate) -> Bool { left.perSecond < right.perSecond }
}
