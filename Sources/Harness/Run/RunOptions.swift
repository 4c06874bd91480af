public import Primitives
public import RunRecords
import Synchronization

/// What a run is told beside its profile.
public struct RunOptions: Sendable {
    /// The program that is started as the simulator.
    public var program: String
    /// Hears how the run goes: at the end of each interval, once at the end, and about ten times a second in between. It must not take long.
    public var onProgress: @Sendable (RunProgress) -> Void
    /// Counts the user's orders to stop: 1 in order, 2 at once.
    public var interrupts: Interrupts
    /// The effective profile as JSON, for the simulator process.
    public var profileJSON: String
    /// Whether each interval's record keeps the histograms of its own, for an interval log.
    public var keepsIntervalHistograms = false
    /// Whether each interval's end tells all latency series of the run so far, for a live view of them.
    public var tellsLatencies = false
    /// The machine's own limits, for the record and for what bound the run; nil if they are not known.
    public var calibration: CalibrationRecord?
    /// How long no connection may last, or the simulator's book may not come, before the target counts as gone.
    public var outageLimit = Interval.seconds(30)

    /// Makes options.
    public init(
        program: String, profileJSON: String, interrupts: Interrupts = Interrupts(),
        onProgress: @escaping @Sendable (RunProgress) -> Void = { _ in }
    ) {
        self.program = program
        self.profileJSON = profileJSON
        self.interrupts = interrupts
        self.onProgress = onProgress
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
