public import Primitives

/// How many requests were in flight, added up over time, by their number alone: no request is looked at singly.
///
/// What a request took is measured apart from it, when its answer is recorded; so the two can be held against each other
/// (Little's law). A machine that changes the number only at the instants that it is called with keeps this exactly.
public struct FlightClock: Hashable, Sendable {
    /// The integral of the number over time, in nanoseconds; more than 63 bits can be needed.
    public private(set) var total: Int128 = 0
    /// Until when any request was in flight.
    public private(set) var until = Instant.zero
    /// Requests that ended without being timed as answered or given up: their notifications were sent again, or their streams refused for
    /// good.
    public private(set) var withdrawnCount: Int64 = 0
    /// For how long those were in flight, added up, in nanoseconds.
    public private(set) var withdrawnTime: Int128 = 0
    private var lookedAt = Instant.zero

    /// Makes a clock that has seen nothing in flight.
    public init() {}

    /// So many requests were in flight from the last call until `now`.
    mutating func advance(to now: Instant, inFlight count: Int) {
        if count > 0 {
            total += Int128((now - lookedAt).nanoseconds) * Int128(count)
            until = max(until, now)
        }
        lookedAt = now
    }

    /// A request ends untimed.
    mutating func withdraw(openedAt: Instant, now: Instant) {
        withdrawnCount += 1
        withdrawnTime += Int128((now - openedAt).nanoseconds)
    }

    /// Adds what another session had in flight.
    public mutating func add(_ other: FlightClock) {
        total += other.total
        until = max(until, other.until)
        withdrawnCount += other.withdrawnCount
        withdrawnTime += other.withdrawnTime
    }
}
