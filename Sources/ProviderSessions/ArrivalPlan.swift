public import Primitives
public import Workload

/// An open loop's schedule, and what happens when it cannot be kept.
public struct ArrivalPlan: Hashable, Sendable {
    /// When notifications are meant to begin.
    public var schedule: ArrivalSchedule
    /// How many times as fast as the schedule an open loop may be that has fallen behind it, at least 1.
    public var catchUp = 2.0
    /// What is later than this is not written at all; nil writes everything.
    public var skipAfter: Interval?
    /// What is later than this counts as late.
    public var lateAfter = Interval.milliseconds(10)
    /// The longest time between two looks at the schedule that counts as one of its ticks; what is longer has been a stall.
    public var tick = Interval.milliseconds(10)

    /// Makes a plan that skips nothing and catches up at twice the scheduled rate.
    public init(_ schedule: ArrivalSchedule) { self.schedule = schedule }
}

/// Why a notification that was due could not be written.
public enum ArrivalHold: UInt8, Hashable, Sendable, CaseIterable {
    /// Connections stood, and all of them had as much on their way as their windows or sockets take.
    case windowFull
    /// Connections stood, and all of them had as many requests open as they may.
    case streamsTaken
    /// No connection stood.
    case noConnection
    /// A connection waited, and the generator itself came too late.
    case generatorLate
}

/// Notifications that were not handed out for being too late, and when that was decided.
public struct ArrivalSkip: Hashable, Sendable {
    /// Which ones.
    public var run: SequenceRun
    /// When they were given up, from the schedule's start.
    public var at: Interval

    /// Makes an entry.
    public init(run: SequenceRun, at: Interval) {
        self.run = run
        self.at = at
    }
}

/// What became of a schedule: planned = sent + skipped, where what the end of the run cuts off is for the caller to count.
public struct ArrivalTally: Hashable, Sendable {
    /// Notifications that were handed out late, by reason.
    public internal(set) var late: [ArrivalHold: UInt64] = [:]
    /// Notifications that were not handed out for being too late, by reason.
    public internal(set) var skipped: [ArrivalHold: UInt64] = [:]
    /// Which ones were not, in order.
    public internal(set) var skips: [ArrivalSkip] = []
    /// Why nobody takes what is due at present; nil while somebody can.
    public internal(set) var heldFor: ArrivalHold?
    /// Times that the schedule fell behind by more than a tick.
    public internal(set) var stalls: UInt64 = 0
    /// Notifications handed out while it caught up.
    public internal(set) var caughtUp: UInt64 = 0
    /// For how long it caught up.
    public internal(set) var catchUpTime = Interval.zero
    /// The most notifications that were handed out within one millisecond.
    public internal(set) var largestBurst: UInt64 = 0

    /// Makes an account of a schedule that has not begun.
    public init() {}

    /// All notifications that were too late to be handed out.
    public var skippedCount: UInt64 { skips.reduce(0) { $0 + $1.run.count } }
}
