public import Primitives
import Synchronization

/// What the triggers of a plan have in common over all event loops of a gateway: its first connection, and what was counted in total.
public final class FaultTotals: Sendable {
    private final class Tally: Sendable {
        let count = Atomic<UInt64>(0)
        let start = FirstInstant()
    }

    private let firstConnection = FirstInstant()
    private let connectionCount = Atomic<UInt64>(0)
    private let tallies: [Tally]

    /// Makes totals of a gateway that nobody has connected to.
    public init(of plan: FaultPlan) { tallies = plan.faults.map { _ in Tally() } }

    /// When the first connection came; nil before.
    public var firstConnectionAt: Instant? { firstConnection.value }

    /// A connection came at `now`; returns when the first one came.
    @discardableResult
    public func connectionOpened(at now: Instant) -> Instant { firstConnection.set(now) }

    /// Gives the next connection its number, from 0 in the order in which they are served.
    func numberConnection() -> UInt64 { connectionCount.add(1, ordering: .relaxed).oldValue }

    /// Counts for one fault, and returns the new count.
    func count(_ fault: Int) -> UInt64 { tallies[fault].count.add(1, ordering: .relaxed).newValue }

    /// The time of one fault has begun at `now`, if not before; returns when.
    func begin(_ fault: Int, at now: Instant) -> Instant { tallies[fault].start.set(now) }

    /// Whether a fault that strikes once may strike now: true for the first caller.
    func isFirst(_ fault: Int) -> Bool { count(fault) == 1 }
}

/// An instant that is set once.
private final class FirstInstant: Sendable {
    private let moment = Atomic<Int64>(Instant.distantFuture.nanoseconds)

    var value: Instant? {
        let instant = Instant(nanoseconds: moment.load(ordering: .relaxed))
        return instant < .distantFuture ? instant : nil
    }

    /// Sets it, unless it is set; returns what it is.
    func set(_ now: Instant) -> Instant {
        let unset = Instant.distantFuture.nanoseconds
        let (isSet, original) = moment.compareExchange(expected: unset, desired: now.nanoseconds, ordering: .relaxed)
        return isSet ? now : Instant(nanoseconds: original)
    }
}
