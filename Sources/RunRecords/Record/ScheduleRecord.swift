/// What became of an open loop's schedule: `planned = sent + skipped`, always.
public struct ScheduleRecord: Codable, Equatable, Sendable {
    /// Notifications that the schedule had until its end, or until the time of the run was over.
    public var planned: Int64 = 0
    /// Those that were written at least once.
    public var sent: Int64 = 0
    /// Those that never were, by why.
    public var skipped = ScheduleReasonsRecord()
    /// Those that were written later than `load.lateAfter`, by why.
    public var late = ScheduleReasonsRecord()
    /// Times that the schedule fell behind by more than a tick.
    public var stalls: Int64 = 0
    /// Notifications handed out while it caught up, and for how long it did.
    public var caughtUp: Int64 = 0
    /// For how long it caught up.
    public var catchUpNs: Int64 = 0
    /// How many times the scheduled rate it might take for that.
    public var catchUpLimit = 0.0
    /// The most notifications handed out within a millisecond.
    public var largestBurst: Int64 = 0
    /// The coefficient of variation of the times between batches (`sendGap`), weighted by nothing; null with fewer than ten.
    @ExplicitNull public private(set) var gapVariation: Double?

    /// Makes an account of nothing.
    public init() {}

    /// Sets the coefficient of variation; one that is not finite is none.
    public mutating func setGapVariation(_ value: Double?) { gapVariation = value.flatMap { $0.isFinite ? $0 : nil } }

    /// Whether each planned notification was either sent or skipped.
    public var isBalanced: Bool { planned == sent + skipped.total }
}

/// Notifications by why they were late or skipped.
public struct ScheduleReasonsRecord: Codable, Equatable, Sendable {
    /// Connections stood, and all of them had as much on their way as windows and sockets take.
    public var windowFull: Int64 = 0
    /// Connections stood, and all of them had as many requests open as they may; HTTP/2 only.
    public var streamsTaken: Int64 = 0
    /// No connection stood.
    public var noConnection: Int64 = 0
    /// The generator itself came too late.
    public var generatorLate: Int64 = 0
    /// The run's time was over.
    public var endOfRun: Int64 = 0

    /// Makes counts of nothing.
    public init() {}

    /// All of them.
    public var total: Int64 { windowFull + streamsTaken + noConnection + generatorLate + endOfRun }
}

/// One part of a run's schedule: `warmup`, `measure` or `drain`.
public struct PhaseRecord: Codable, Equatable, Sendable {
    /// The phase's name.
    public var name: String
    /// Its start, from the start of the run.
    public var startNs: Int64
    /// Its length.
    public var lengthNs: Int64
    /// Notifications sent for the first time in it.
    public var sent: Int64 = 0
    /// Notifications written in it, again or for the first time.
    public var written: Int64 = 0
    /// Plain bytes written in it.
    public var bytes: Int64 = 0
    /// Its latencies by series; empty for `measure`, whose latencies are the record's own.
    public var latency: [String: LatencyRecord] = [:]

    /// Makes a phase in which nothing happened.
    public init(name: String, startNs: Int64, lengthNs: Int64) {
        self.name = name
        self.startNs = startNs
        self.lengthNs = lengthNs
    }
}

/// Whether a run was in a steady state while it was measured.
public struct SteadinessRecord: Codable, Equatable, Sendable {
    /// What was found.
    public enum Status: String, Codable, Sendable, CaseIterable {
        /// No figure had a trend.
        case steady
        /// At least one figure rose or fell all the time.
        case notSteady
        /// There were too few intervals to tell.
        case unknown
    }

    /// What was found.
    public var status = Status.unknown
    /// Why, one sentence for each figure with a trend, or what was missing.
    public var reasons: [String] = []

    /// Makes an outcome of nothing.
    public init() {}
}
