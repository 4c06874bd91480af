public import Primitives

/// When notifications become due.
public struct LoadSettings: Equatable, Sendable {
    /// What decides when the next notification is due.
    public enum Loop: String, Sendable, CaseIterable {
        /// As fast as windows allow.
        case closed
        /// By a schedule, whatever the gateway does.
        case open
    }

    /// How due times of an open loop are spaced.
    public enum Arrivals: String, Sendable, CaseIterable {
        /// Evenly.
        case constant
        /// At random and independently of each other, by ``WorkloadSettings/seed``: exponentially spaced.
        case poisson
        /// In groups of ``LoadSettings/burst`` at the same time.
        case bursts
    }

    /// What decides when the next notification is due. Default: closed.
    public var loop = Loop.closed
    /// Notifications per second over all connections together. An open loop needs this, or one of ``ratePerConnection``,
    /// ``stages``, ``staircase`` and ``replayFile``.
    public var rate: Rate?
    /// Notifications per second for each connection; the rate in total is this times `sender.connections`. Connections share one
    /// schedule and take its batches in turns.
    public var ratePerConnection: Rate?
    /// How due times of an open loop are spaced. Default: constant.
    public var arrivals = Arrivals.constant
    /// How many notifications a burst has; given if and only if arrivals are bursts.
    public var burst: Int?
    /// Rates that follow each other, in total over all connections; the schedule ends with the last one. Default: none.
    public var stages: [LoadStage] = []
    /// Rates that rise by steps, in total over all connections; nil for none.
    public var staircase: LoadStaircase?
    /// A file with the time of each notification from the start, one a line; nil for none.
    public var replayFile: String?
    /// The part of the schedule that this run carries out, of several that share it; nil for all of it.
    public var shard: LoadShard?
    /// How many times as fast as the schedule an open loop may be that has fallen behind, 1 to 1,000. Default: 2.
    public var catchUp = 2.0
    /// What is later than this is not sent any more, and counted; nil (the default) sends everything.
    public var skipAfter: Interval?
    /// What is written later than this counts as late. Default: 10 ms.
    public var lateAfter = Interval.milliseconds(10)

    /// Makes the default: a closed loop.
    public init() {}
}

/// A stretch of time with one rate, or with a rate that changes evenly.
public struct LoadStage: Equatable, Sendable {
    /// The rate at its beginning.
    public var rate = Rate(perSecond: 1)
    /// The rate at its end; nil for the same.
    public var to: Rate?
    /// How long it lasts; `for` in profiles.
    public var length = Interval.seconds(1)

    /// Makes a second of one a second.
    public init() {}
}

/// A rate that rises by steps: `start`, `start + step`, `start + 2 step`, …
public struct LoadStaircase: Equatable, Sendable {
    /// The first step's rate.
    public var start = Rate(perSecond: 1)
    /// By how much each step is higher than the one before.
    public var step = Rate(perSecond: 1)
    /// How many steps there are.
    public var steps = 1
    /// How long each one lasts.
    public var hold = Interval.seconds(1)

    /// The most steps, and the most stages.
    static let stepsMax = 10_000

    /// Makes one step of a second.
    public init() {}

    /// The steps as stages.
    public var stages: [LoadStage] {
        (0..<steps).map { number in
            var stage = LoadStage()
            stage.rate = Rate(perSecond: start.perSecond + Double(number) * step.perSecond)
            stage.length = hold
            return stage
        }
    }
}

/// One of several runs that share a schedule: notification k of the schedule is sent by the run with `index` = k mod `of`.
public struct LoadShard: Equatable, Sendable {
    /// Which run this is, from 0.
    public var index = 0
    /// How many runs there are.
    public var of = 1

    /// Makes the only run of one.
    public init() {}
}
