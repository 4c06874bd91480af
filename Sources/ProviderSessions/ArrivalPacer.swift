import Primitives
import Workload

/// Says what of a schedule may be handed out: not before it is due, and after a stall not all at once.
///
/// A machine without a clock; all times count from the schedule's start. While the schedule is kept, all that is due may go. Once it has
/// fallen behind by more than a tick, an *allowance* moves through the schedule from where it stopped, at most
/// ``ArrivalPlan/catchUp`` times as fast as time and at most so many ticks in one step.
struct ArrivalPacer {
    private(set) var next: UInt64 = 0
    private var sums = ArrivalTally()
    private let plan: ArrivalPlan
    private var limit: UInt64
    private var cursor = ArrivalCursor()
    /// When the schedule was closed; batches do not wait for others behind it.
    private var closedAt: Interval?

    /// What is due until then may go; nil while the schedule is kept.
    private var allowance: Interval?
    /// Why the schedule has fallen behind.
    private var behindReason = ArrivalHold.generatorLate
    /// When the allowance was moved last, or the schedule was last looked at.
    private var lookedAt = Interval.zero

    private var burstMillisecond: Int64 = -1
    private var burstCount: UInt64 = 0

    private let loopCount: Int
    private var heldLoops = 0
    private var holdReason = ArrivalHold.noConnection
    /// When the last time ended in which nobody could take what was due; ``Interval/never`` while it lasts.
    private var heldUntil = Interval(nanoseconds: -1)

    init(_ plan: ArrivalPlan, limit: UInt64, loopCount: Int) {
        self.plan = plan
        self.limit = limit
        self.loopCount = loopCount
    }

    /// What became of the schedule so far.
    var tally: ArrivalTally {
        var tally = sums
        tally.heldFor = heldUntil == .never ? holdReason : nil
        return tally
    }

    // MARK: - Handing out

    /// Takes the next stretch.
    mutating func claim(most: UInt64, elapsed: Interval) -> SequenceRun? {
        skipOverdue(elapsed)
        guard next < limit, plan.schedule.time(of: next, &cursor) <= elapsed else {
            if next < limit { keep(elapsed) }
            return nil
        }
        let until = moveAllowance(elapsed)
        let count = plan.schedule.count(from: next, most: min(most, limit - next), until: until, &cursor)
        guard count > 0 else { return nil }
        countLate(count, elapsed)
        if allowance != nil { sums.caughtUp += count }
        noteBurst(count, elapsed)
        defer { next += count }
        return SequenceRun(start: next, count: count)
    }

    private mutating func noteBurst(_ count: UInt64, _ elapsed: Interval) {
        let millisecond = elapsed.nanoseconds / 1_000_000
        burstCount = millisecond == burstMillisecond ? burstCount + count : count
        burstMillisecond = millisecond
        sums.largestBurst = max(sums.largestBurst, burstCount)
    }

    /// When the next batch should be written.
    mutating func batchTime(batch: UInt64, linger: Interval) -> Interval? {
        guard next < limit else { return nil }
        let oldest = plan.schedule.time(of: next, &cursor)
        guard oldest < .never else { return nil }
        let last = min(next + batch, limit) - 1
        var time = min(plan.schedule.time(of: last, &cursor), sum(oldest, linger))
        if let closedAt { time = min(time, closedAt) }
        guard let allowance, allowance < oldest else { return time }
        // The allowance reaches the oldest then; a whole step is worth waiting for.
        let wait = Double((oldest - allowance).nanoseconds) / plan.catchUp
        return max(time, lookedAt + min(plan.tick, Interval(nanoseconds: Int64(max(wait, 1_000_000)))))
    }

    /// How many batches should be written now.
    mutating func dueBatchCount(batch: UInt64, linger: Interval, elapsed: Interval) -> Int {
        guard let time = batchTime(batch: batch, linger: linger), time <= elapsed else { return 0 }
        let until = allowance.map { max($0, plan.schedule.time(of: next, &cursor)) } ?? elapsed
        let most = min(limit - next, batch * 1_024)
        let due = plan.schedule.count(from: next, most: most, until: min(until, elapsed), &cursor)
        return Int((due + batch - 1) / batch)
    }

    /// Ends the schedule before an instant; returns how many notifications it has.
    mutating func close(at elapsed: Interval) -> UInt64 {
        closedAt = elapsed
        limit = max(next, min(limit, plan.schedule.count(until: elapsed - Interval(nanoseconds: 1))))
        return limit
    }

    private func sum(_ time: Interval, _ interval: Interval) -> Interval {
        time.nanoseconds > .max - interval.nanoseconds ? .never : time + interval
    }

    // MARK: - Behind the schedule

    /// Moves the allowance and returns until when what is due may go.
    private mutating func moveAllowance(_ elapsed: Interval) -> Interval {
        let oldest = plan.schedule.time(of: next, &cursor)
        let step = max(.zero, elapsed - lookedAt)
        lookedAt = max(elapsed, lookedAt)
        guard let present = allowance else {
            guard elapsed - oldest > plan.tick else { return elapsed }
            sums.stalls += 1
            allowance = oldest
            behindReason = heldUntil >= oldest ? holdReason : .generatorLate
            return oldest
        }
        sums.catchUpTime = sums.catchUpTime + step
        let length = Double(min(step, plan.tick).nanoseconds) * plan.catchUp
        let moved = present + Interval(nanoseconds: Int64(length))
        if moved >= elapsed { keep(elapsed) } else { allowance = moved }
        return min(moved, elapsed)
    }

    /// The schedule is kept.
    private mutating func keep(_ elapsed: Interval) {
        allowance = nil
        lookedAt = max(elapsed, lookedAt)
    }

    private mutating func skipOverdue(_ elapsed: Interval) {
        guard let skipAfter = plan.skipAfter, next < limit else { return }
        let bound = elapsed - skipAfter - Interval(nanoseconds: 1)
        guard bound >= .zero, plan.schedule.time(of: next, &cursor) <= bound else { return }
        let count = plan.schedule.count(from: next, most: limit - next, until: bound, &cursor)
        enter(count, in: \.skipped, until: bound)
        sums.skips.append(ArrivalSkip(run: SequenceRun(start: next, count: count), at: elapsed))
        next += count
    }

    private mutating func countLate(_ count: UInt64, _ elapsed: Interval) {
        let bound = elapsed - plan.lateAfter - Interval(nanoseconds: 1)
        guard bound >= .zero, plan.schedule.time(of: next, &cursor) <= bound else { return }
        let late = plan.schedule.count(from: next, most: count, until: bound, &cursor)
        enter(late, in: \.late, until: bound)
    }

    /// Counts the next `count` notifications by why they are late: those that were due while nobody could take them, and the rest.
    private mutating func enter(
        _ count: UInt64, in counts: WritableKeyPath<ArrivalTally, [ArrivalHold: UInt64]>, until bound: Interval
    ) {
        let held = plan.schedule.count(from: next, most: count, until: min(heldUntil, bound), &cursor)
        if held > 0 { sums[keyPath: counts][holdReason, default: 0] += held }
        let reason = allowance == nil ? .generatorLate : behindReason
        if count > held { sums[keyPath: counts][reason, default: 0] += count - held }
    }

    // MARK: - Why

    /// One more loop has nobody to take what is due.
    mutating func hold(_ reason: ArrivalHold, elapsed: Interval) {
        heldLoops += 1
        guard heldLoops == loopCount else { return }
        // What still waits since the last time keeps its reason.
        if next >= limit || plan.schedule.time(of: next, &cursor) > heldUntil { holdReason = .windowFull }
        heldUntil = .never
        explainHold(reason)
    }

    /// Says why nobody takes what is due; does nothing while somebody can. Full sockets are what is left to say when nothing else was:
    /// a batch on its way fills its socket for a moment whatever the reason is.
    mutating func explainHold(_ reason: ArrivalHold) {
        if heldUntil == .never, reason != .windowFull { holdReason = reason }
    }

    /// One loop less has nobody.
    mutating func resume(elapsed: Interval) {
        if heldLoops == loopCount { heldUntil = elapsed }
        heldLoops -= 1
    }
}
