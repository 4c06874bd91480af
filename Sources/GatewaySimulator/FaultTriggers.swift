public import Primitives
import Synchronization

/// What sets timed and counted faults off, shared by all event loops of a gateway: its first connection, and how much it has read.
public final class FaultTriggers: Sendable {
    private let firstConnection = Atomic<Int64>(Instant.distantFuture.nanoseconds)
    private let readCount = Atomic<UInt64>(0)
    private let countReached = Atomic<Int64>(Instant.distantFuture.nanoseconds)

    /// Makes triggers of a gateway that nobody has connected to.
    public init() {}

    /// When the first connection came; nil before.
    public var firstConnectionAt: Instant? { Self.instant(firstConnection) }

    /// A connection came at `now`; returns when the first one came.
    @discardableResult
    public func connectionOpened(at now: Instant) -> Instant { Self.setOnce(firstConnection, to: now) }

    /// So many more notifications were read; returns when the whole gateway had read `threshold` of them, nil before.
    func read(_ count: UInt64, threshold: UInt64, now: Instant) -> Instant? {
        let total = readCount.add(count, ordering: .relaxed).newValue
        return total >= threshold ? Self.setOnce(countReached, to: now) : nil
    }

    private static func instant(_ moment: borrowing Atomic<Int64>) -> Instant? {
        let instant = Instant(nanoseconds: moment.load(ordering: .relaxed))
        return instant < .distantFuture ? instant : nil
    }

    private static func setOnce(_ moment: borrowing Atomic<Int64>, to now: Instant) -> Instant {
        let unset = Instant.distantFuture.nanoseconds
        let (isSet, original) = moment.compareExchange(
            expected: unset, desired: now.nanoseconds, ordering: .relaxed)
        return isSet ? now : Instant(nanoseconds: original)
    }
}
