/// The record of one run: what was done, what came of it, and how far that can be trusted.
///
/// Encodes to the JSON of schema `pushbench.run/1`: integers in nanoseconds or counts, rates as finite numbers, `null`
/// for what was not measured. Secrets never enter it, nor does the name of the host it ran on.
public struct RunRecord: Codable, Equatable, Sendable {
    /// The schema that this version writes and reads.
    public static let currentSchema = "pushbench.run/1"

    /// The schema's name and version.
    public var schema = RunRecord.currentSchema
    /// The program that made the record.
    public var tool = ToolRecord()
    /// The machine it ran on.
    public var machine = MachineRecord()
    /// All settings of the run; ``Profile/effectiveJSON``.
    public var profile = JSONValue.object([:])
    /// ``Profile/hash`` of the same settings.
    public var profileHash = ""
    /// When the run began, ISO 8601 in UTC.
    public var startedAt = ""
    /// From the first connection attempt to the end of the drain, or to the last interval written so far.
    public var durationNs: Int64 = 0
    /// The part of it that rates and latencies are about.
    public var measuredNs: Int64 = 0
    /// How the run ended.
    public var verdict = VerdictRecord()
    /// What kept the run from being faster; null if that is not known.
    @ExplicitNull public var limit: LimitRecord?
    /// The sender's account of every notification.
    public var ledger = LedgerRecord()
    /// The simulator's account; null if the target is another gateway or the simulator died.
    @ExplicitNull public var simulatorLedger: SimulatorLedgerRecord?
    /// Notifications about which the two accounts differ, expected 0; null without a simulator's account.
    @ExplicitNull public var ledgerDifference: Int64?
    /// What was read from the feedback service at the end; null if the profile did not ask for it.
    @ExplicitNull public var feedback: FeedbackRecord?
    /// Rates over ``measuredNs``.
    public var throughput = ThroughputRecord()
    /// Latencies of the measured part by series; `response` counts from when a notification was meant to begin, `service` from its
    /// first write, `scheduleLag` between the two, and none is mixed with another.
    public var latency: [String: LatencyRecord] = [:]
    /// What became of an open loop's schedule; null in a closed loop.
    @ExplicitNull public var schedule: ScheduleRecord?
    /// The parts of the run; null in records of versions without them.
    @ExplicitNull public var phases: [PhaseRecord]?
    /// Whether the measured part was in a steady state; null in records of versions that did not look.
    @ExplicitNull public var steadiness: SteadinessRecord?
    /// Why a figure is null, by the figure's name; null in records of versions that did not say.
    @ExplicitNull public var unmeasured: [String: String]?
    /// Errors by name, most frequent first.
    public var errors: [ErrorCountRecord] = []
    /// How target streams began that are no error replies, in hexadecimal, and how many of each: the first 16 bytes of the first 16 kinds.
    @CountsByName public var violationBytes: [String: Int64]
    /// Error replies sent and read; null in records of versions that did not count them.
    @ExplicitNull public var replies: ReplyRecord?
    /// Requests in flight; null for the binary interface.
    @ExplicitNull public var streams: StreamsRecord?
    /// What was in flight against rate × latency; null where that cannot be known, which ``unmeasured`` explains.
    @ExplicitNull public var littlesLaw: LittlesLawRecord?
    /// What about the run's settings makes its figures doubtful, one sentence each; null if nothing.
    @ExplicitNull public var warnings: [String]?
    /// Replaced connections.
    public var reconnects = ReconnectRecord()
    /// Error replies that named a notification which had already left the window.
    public var windowOverruns = WindowOverrunRecord()
    /// One entry per connection slot; may be empty in a record of a run that was killed.
    public var connections: [ConnectionRecord] = []
    /// One entry per second.
    public var intervals: [IntervalRecord] = []
    /// What the processes used.
    public var resources = ResourcesRecord()
    /// This machine's own limits; null if they were not measured.
    @ExplicitNull public var calibration: CalibrationRecord?
    /// Outcomes of the profile's thresholds.
    public var thresholds: [ThresholdRecord] = []
    /// What should hold in every run and does not, one sentence each: a fault of this program. Null in records of versions that did
    /// not look.
    @ExplicitNull public var brokenInvariants: [String]?

    /// Makes an empty record.
    public init() {}
}

/// The program that made a record.
public struct ToolRecord: Codable, Equatable, Sendable {
    /// `pushbench`.
    public var name = "pushbench"
    /// The version, for people.
    public var version = ""
    /// How it was built: `debug` or `release`, and the compiler.
    public var build = ""
    /// Versions of linked libraries by their names: `openssl`, `jemalloc`, `zlib`.
    public var libraries: [String: String] = [:]

    /// Makes an empty description.
    public init() {}
}

/// The fingerprint of a machine: enough to tell whether two runs can be compared, nothing that names it.
public struct MachineRecord: Codable, Equatable, Sendable {
    /// The processor's model name.
    public var cpuModel = ""
    /// Cores that the process may use.
    public var cores = 0
    /// Main memory in bytes.
    public var memoryBytes: Int64 = 0
    /// The kernel's release.
    public var kernel = ""
    /// The operating system's name and version.
    public var os = ""
    /// OpenSSL's version.
    public var openssl = ""

    /// Makes an empty fingerprint.
    public init() {}
}

/// How a run ended.
public struct VerdictRecord: Codable, Equatable, Sendable {
    /// A run's end in one word.
    public enum Status: String, Codable, Sendable, CaseIterable {
        /// The run has not ended yet, or was killed.
        case running
        /// All went as the profile asks.
        case passed
        /// A threshold failed or had no data, or notifications were lost or are unknown.
        case failed
        /// The run says nothing for certain.
        case inconclusive
        /// The generator was the limit: it did not meet the schedule, or a capacity was asked for that its runs cannot tell.
        case generatorLimited
        /// The schedule was not met for another reason than the generator: the target was unreachable or failing, or took no more.
        case scheduleMissed
        /// The target could not be reached.
        case unreachable
        /// Stopped by a signal.
        case interrupted
        /// A fault of this program or its machine.
        case internalError
    }

    /// The end in one word.
    public var status = Status.running
    /// Why, one sentence each; empty if passed.
    public var reasons: [String] = []
    /// The process's exit status; null while running.
    @ExplicitNull public var exitCode: Int?

    /// Makes the verdict of a run that has not ended.
    public init() {}

    /// Makes a verdict.
    public init(status: Status, reasons: [String] = [], exitCode: Int) {
        self.status = status
        self.reasons = reasons
        self.exitCode = exitCode
    }
}

/// What kept a run from being faster.
public struct LimitRecord: Codable, Equatable, Sendable {
    /// A limit in one word.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// The sender's own work.
        case generator
        /// The simulator's work; ``LimitRecord/simulatorBound`` says so whatever else was busy, too.
        case simulator
        /// The machine's processors: both sides had all they could use, or other programs had them.
        case processor
        /// Notifications waiting for proof.
        case window
        /// Streams waiting for responses.
        case streams
        /// Connections lost and replaced.
        case connections
        /// The rate that was asked for.
        case rate
        /// The target, which was unreachable or answered next to nothing.
        case target
    }

    /// The limit in one word.
    public var kind: Kind
    /// The figures that say so, for people.
    public var evidence: String
    /// The processor time of the sender's event loop that had least to spare, as a share of the time; null in records of versions
    /// that did not tell.
    @ExplicitNull public var senderBusy: Double?
    /// For which share of the time that loop was ready to run while others had the processors; null where the kernel does not tell.
    @ExplicitNull public var senderQueued: Double?
    /// The same of the simulator's event loops; null without a simulator of ours.
    @ExplicitNull public var simulatorBusy: Double?
    /// The same of the simulator's event loops; null where the kernel does not tell, too.
    @ExplicitNull public var simulatorQueued: Double?
    /// What the sender had to spare: 1 less ``senderBusy``.
    @ExplicitNull public var headroom: Double?
    /// Whether the figures say what the simulator can do: a loop of it was busy for more than 80 % of the time, or it took more
    /// than 80 % of what it can accept at all; null without a simulator of ours.
    @ExplicitNull public var simulatorBound: Bool?
    /// What the simulator can accept of such notifications without looking at them, per second, by the machine's calibration; null
    /// without one.
    @ExplicitNull public var ceilingPerSecond: Double?
    /// Accepted per second as a share of that.
    @ExplicitNull public var ceilingShare: Double?

    /// Names a limit.
    public init(kind: Kind, evidence: String) {
        self.kind = kind
        self.evidence = evidence
    }
}
