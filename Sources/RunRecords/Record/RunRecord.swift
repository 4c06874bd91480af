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
    /// Latencies by series: `residence errorReply connectTCP connectTLS reconnect` in closed loops.
    public var latency: [String: LatencyRecord] = [:]
    /// Errors by name, most frequent first.
    public var errors: [ErrorCountRecord] = []
    /// How target streams began that are no error replies, in hexadecimal, and how many of each: the first 16 bytes of the first 16 kinds.
    @CountsByName public var violationBytes: [String: Int64]
    /// Error replies sent and read; null in records of versions that did not count them.
    @ExplicitNull public var replies: ReplyRecord?
    /// Requests in flight; null for the binary interface.
    @ExplicitNull public var streams: StreamsRecord?
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
        /// The generator was the limit, or the schedule was not met.
        case generatorLimited
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
        /// The simulator's work.
        case simulator
        /// The machine's processors, shared by both sides.
        case processor
        /// Notifications waiting for proof.
        case window
        /// Streams waiting for responses.
        case streams
        /// Connections lost and replaced.
        case connections
        /// The rate that was asked for.
        case rate
    }

    /// The limit in one word.
    public var kind: Kind
    /// The figures that say so, for people.
    public var evidence: String

    /// Names a limit.
    public init(kind: Kind, evidence: String) {
        self.kind = kind
        self.evidence = evidence
    }
}
