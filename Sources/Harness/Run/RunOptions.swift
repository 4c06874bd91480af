public import Primitives
public import RunRecords
import Synchronization

/// What a run is told beside its profile.
public struct RunOptions: Sendable {
    /// The program that is started as the simulator.
    public var program: String
    /// Calls for the record so far, once per interval and once at the end; also how live progress is shown.
    public var onInterval: @Sendable (RunProgress) -> Void
    /// Counts the user's orders to stop: 1 in order, 2 at once.
    public var interrupts: Interrupts
    /// The effective profile as JSON, for the simulator process.
    public var profileJSON: String
    /// Whether each interval's record keeps the histograms of its own, for an interval log.
    public var keepsIntervalHistograms = false
    /// The machine's own limits, for the record and for what bound the run; nil if they are not known.
    public var calibration: CalibrationRecord?
    /// How long no connection may last, or the simulator's book may not come, before the target counts as gone.
    public var outageLimit = Interval.seconds(30)

    /// Makes options.
    public init(
        program: String, profileJSON: String, interrupts: Interrupts = Interrupts(),
        onInterval: @escaping @Sendable (RunProgress) -> Void = { _ in }
    ) {
        self.program = program
        self.profileJSON = profileJSON
        self.interrupts = interrupts
        self.onInterval = onInterval
    }
}

/// The user's orders to stop; may be counted up from a signal handler.
public final class Interrupts: Sendable {
    private let count = Atomic<Int>(0)

    /// Makes a counter at 0.
    public init() {}

    /// Counts one more.
    public func add() { count.add(1, ordering: .relaxed) }

    /// How many there were.
    public var value: Int { count.load(ordering: .relaxed) }
}

/// What is shown while a run goes on.
public struct RunProgress: Sendable {
    /// Where a run is.
    public enum Phase: String, Sendable {
        case connecting, warmup, measuring, draining
        /// It is over, and the counts of its last interval are complete.
        case ended
    }

    /// Where the run is.
    public var phase: Phase
    /// The time since the first notification was due.
    public var elapsed: Interval
    /// The intervals so far, the newest last.
    public var intervals: [IntervalRecord]
    /// Notifications written so far.
    public var written: UInt64
    /// Notifications of the whole run; nil when time ends it.
    public var planned: UInt64?
    /// Connections that stand.
    public var openConnections: Int
    /// Attempts that failed and connections that ended without a reply that explains it, so far.
    public var connectionFailures: UInt64
}
