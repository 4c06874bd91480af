public import Primitives
import Synchronization
import Workload

/// Hands out a run's notifications to all of its connections, each exactly once.
///
/// In a closed loop one atomic counter is all that the event loops share. In an open loop nothing is handed out before it is due, and an
/// ``ArrivalPacer`` behind a lock says what is; it is asked once for a batch. Connections claim stretches, not single notifications.
public final class SequenceSupply: Sendable {
    /// When notifications are due.
    public enum Arrivals: Sendable {
        /// As fast as the connections take them.
        case closedLoop
        /// By a schedule, from the release on.
        case open(ArrivalPlan)

        /// One every 1 / `rate` seconds, with the rules of ``ArrivalPlan/init(_:)``.
        public static func constant(_ rate: Rate) -> Arrivals { .open(ArrivalPlan(.constant(rate))) }
    }

    /// How many notifications the run has at most; `UInt64.max` when time alone ends it.
    public let limit: UInt64
    /// When they are due; nil in a closed loop.
    public let plan: ArrivalPlan?
    /// The longest stretch for one connection, so that the connections come to their ends together.
    public let claimLimit: UInt64
    private let next = Atomic<UInt64>(0)
    /// The number at which the supply ends; falls when an open loop is closed.
    private let end: Atomic<UInt64>
    private let startNanoseconds: Atomic<Int64>
    private let stopped = Atomic<Bool>(false)
    /// Nil in a closed loop.
    private let pacer: Mutex<ArrivalPacer?>

    /// Long enough that ten million notifications are some thousand stretches in all books together, and short enough to
    /// be written in a few milliseconds.
    private static let longestClaim: UInt64 = 4_096

    /// Makes a supply of `limit` notifications for `connectionCount` connections on `loopCount` event loops that hands out from
    /// `start` on; nil holds it until ``release(at:)``, so that connections can be set up first.
    public init(
        limit: UInt64, arrivals: Arrivals = .closedLoop, connectionCount: Int, loopCount: Int = 1,
        start: Instant? = .zero
    ) {
        startNanoseconds = Atomic((start ?? .distantFuture).nanoseconds)
        switch arrivals {
        case .closedLoop:
            plan = nil
            pacer = Mutex(nil)
            self.limit = limit
        case .open(let plan):
            self.plan = plan
            self.limit = min(limit, plan.schedule.limit ?? .max)
            pacer = Mutex(ArrivalPacer(plan, limit: self.limit, loopCount: loopCount))
        }
        end = Atomic(self.limit)
        claimLimit =
            plan == nil ? max(1, min(Self.longestClaim, limit / (UInt64(max(1, connectionCount)) * 16))) : 1
    }

    /// Begins to hand out; the first notification is due at `start`.
    public func release(at start: Instant) { startNanoseconds.store(start.nanoseconds, ordering: .relaxed) }

    /// When handing out began or begins; ``Instant/distantFuture`` before the release.
    public var start: Instant { Instant(nanoseconds: startNanoseconds.load(ordering: .relaxed)) }

    /// Ends the supply: nothing is handed out any more.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// Has an open loop's schedule end at `instant`: what is due before is handed out, the last batch without waiting for others.
    ///
    /// A closed loop stops at once.
    public func close(at instant: Instant) {
        let elapsed = instant - start
        guard let count = pacer.withLock({ $0?.close(at: elapsed) }) else { return stop() }
        end.store(count, ordering: .relaxed)
    }

    /// How many notifications have been handed out or skipped.
    public var claimedCount: UInt64 { min(next.load(ordering: .relaxed), limit) }

    /// How many notifications have been handed out, skipped, or were due when the schedule was closed.
    public var scheduledCount: UInt64 { plan == nil ? claimedCount : end.load(ordering: .relaxed) }

    /// Whether nothing will ever be handed out again.
    public var isExhausted: Bool {
        stopped.load(ordering: .relaxed) || next.load(ordering: .relaxed) >= end.load(ordering: .relaxed)
    }

    /// What an open loop's schedule has come to; nil in a closed loop.
    public var tally: ArrivalTally? { pacer.withLock { $0?.tally } }

    /// Takes the next stretch of at most `most` notifications; nil when none is due or none is left.
    public func claim(most: UInt64, now: Instant) -> SequenceRun? {
        guard !stopped.load(ordering: .relaxed) else { return nil }
        let start = start
        guard now >= start else { return nil }
        if plan != nil {
            return pacer.withLock { pacer in
                let run = pacer?.claim(most: most, elapsed: now - start)
                next.store(pacer?.next ?? 0, ordering: .relaxed)
                return run
            }
        }
        var first = next.load(ordering: .relaxed)
        while true {  // bounded: another claimer's success is what makes an exchange fail
            guard first < limit else { return nil }
            let count = min(most, limit - first)
            let (exchanged, original) = next.compareExchange(
                expected: first, desired: first + count, ordering: .relaxed)
            if exchanged { return SequenceRun(start: first, count: count) }
            first = original
        }
    }

    /// When a batch of `batch` notifications should be written: once it is full, or `linger` after its oldest was due.
    ///
    /// Counting from the oldest notification, not from the newest, is what keeps a steady trickle from waiting for ever.
    /// - Returns: nil when nothing is left to wait for; an instant that is not later than the present when it is time.
    public func batchTime(batch: UInt64, linger: Interval) -> Instant? {
        let start = start
        guard !isExhausted, start < .distantFuture else { return nil }
        guard plan != nil else { return start }
        return pacer.withLock { $0?.batchTime(batch: batch, linger: linger) }.map { start + $0 }
    }

    /// How many batches should be written at `now`; an open loop's drivers ask as many idle sessions to fill.
    public func dueBatchCount(batch: UInt64, linger: Interval, now: Instant) -> Int {
        let start = start
        guard !isExhausted, now >= start else { return 0 }
        return pacer.withLock { $0?.dueBatchCount(batch: batch, linger: linger, elapsed: now - start) ?? 0 }
    }

    /// One event loop has no connection that could take what is due, for this reason; until ``resume(now:)``.
    public func hold(_ reason: ArrivalHold, now: Instant) { pacer.withLock { $0?.hold(reason, elapsed: now - start) } }

    /// The event loop that said so has nobody for another reason by now.
    public func explainHold(_ reason: ArrivalHold) { pacer.withLock { $0?.explainHold(reason) } }

    /// The event loop has such a connection again.
    public func resume(now: Instant) { pacer.withLock { $0?.resume(elapsed: now - start) } }
}
