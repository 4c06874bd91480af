public import Primitives
import Synchronization

/// Hands out a run's notifications to all of its connections, each exactly once.
///
/// One atomic counter is all that the event loops share. Connections claim stretches, not single notifications, so it
/// is touched rarely; in an open loop nothing is handed out before it is due.
public final class SequenceSupply: Sendable {
    /// When notifications are due.
    public enum Arrivals: Hashable, Sendable {
        /// As fast as the connections take them.
        case closedLoop
        /// One every 1 / `rate` seconds from the release on.
        case constant(Rate)
    }

    /// How many notifications the run has; `UInt64.max` when time alone ends it.
    public let limit: UInt64
    /// When they are due.
    public let arrivals: Arrivals
    /// The longest stretch for one connection, so that the connections come to their ends together.
    public let claimLimit: UInt64
    private let next = Atomic<UInt64>(0)
    private let startNanoseconds: Atomic<Int64>
    private let stopped = Atomic<Bool>(false)

    /// Long enough that ten million notifications are some thousand stretches in all books together, and short enough to
    /// be written in a few milliseconds.
    private static let longestClaim: UInt64 = 4_096

    /// Makes a supply of `limit` notifications for `connectionCount` connections that hands out from `start` on; nil
    /// holds it until ``release(at:)``, so that connections can be set up first.
    public init(limit: UInt64, arrivals: Arrivals = .closedLoop, connectionCount: Int, start: Instant? = .zero) {
        startNanoseconds = Atomic((start ?? .distantFuture).nanoseconds)
        self.limit = limit
        self.arrivals = arrivals
        claimLimit = max(1, min(Self.longestClaim, limit / (UInt64(max(1, connectionCount)) * 16)))
    }

    /// Begins to hand out; the first notification is due at `start`.
    public func release(at start: Instant) { startNanoseconds.store(start.nanoseconds, ordering: .relaxed) }

    private var start: Instant { Instant(nanoseconds: startNanoseconds.load(ordering: .relaxed)) }

    /// Ends the supply: nothing is handed out any more.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// How many notifications have been handed out.
    public var claimedCount: UInt64 { min(next.load(ordering: .relaxed), limit) }

    /// Whether nothing will ever be handed out again.
    public var isExhausted: Bool { stopped.load(ordering: .relaxed) || next.load(ordering: .relaxed) >= limit }

    /// Takes the next stretch of at most `most` notifications; nil when none is due or none is left.
    public func claim(most: UInt64, now: Instant) -> SequenceRun? {
        guard !stopped.load(ordering: .relaxed) else { return nil }
        var first = next.load(ordering: .relaxed)
        while true {  // bounded: another claimer's success is what makes an exchange fail
            let due = min(limit, dueCount(at: now))
            guard first < due else { return nil }
            let count = min(most, due - first)
            let (exchanged, original) = next.compareExchange(
                expected: first, desired: first + count, ordering: .relaxed)
            if exchanged { return SequenceRun(start: first, count: count) }
            first = original
        }
    }

    /// How many notifications are due at `now`, beyond the limit too.
    public func dueCount(at now: Instant) -> UInt64 {
        let start = start
        guard now >= start else { return 0 }
        switch arrivals {
        case .closedLoop: return .max
        case .constant(let rate): return UInt64(Double((now - start).nanoseconds) * rate.perSecond / 1e9) + 1
        }
    }

    /// When the notification at `sequence` is due; in a closed loop, when the supply begins.
    public func dueTime(of sequence: UInt64) -> Instant {
        switch arrivals {
        case .closedLoop: start
        case .constant(let rate):
            start + Interval(nanoseconds: Int64((Double(sequence) * 1e9 / rate.perSecond).rounded(.up)))
        }
    }

    /// When a batch of `batch` notifications should be written: once it is full, or `linger` after its oldest was due.
    ///
    /// Counting from the oldest notification, not from the newest, is what keeps a steady trickle from waiting for ever.
    /// - Returns: nil when nothing is left to wait for; an instant that is not later than the present when it is time.
    public func batchTime(batch: UInt64, linger: Interval) -> Instant? {
        let claimed = next.load(ordering: .relaxed)
        guard !isExhausted, start < .distantFuture else { return nil }
        let last = min(claimed + batch, limit) - 1
        return min(dueTime(of: last), dueTime(of: claimed) + linger)
    }
}
