import Primitives
public import RunRecords

/// What a search for capacity did and found. Its JSON has the schema `pushbench.capacity/1`.
public struct CapacityRecord: Codable, Equatable, Sendable {
    /// The schema that this version writes.
    public static let currentSchema = "pushbench.capacity/1"

    /// The schema's name and version.
    public var schema = CapacityRecord.currentSchema
    /// How the search ended.
    public var verdict = VerdictRecord()
    /// What was found; null as long as it searches.
    @ExplicitNull public var finding: CapacityFinding?
    /// Where latency begins to climb, by the curve of all tries; null if the curve has no knee.
    @ExplicitNull public var knee: LatencyKnee?
    /// The profile that was tried at many rates, by its file's name.
    public var profileName: String
    /// What was asked of the target, one condition each.
    public var serviceLevel: [String]
    /// The bracket's ends may differ by this share.
    public var tolerance: Double
    /// How often an edge of the bracket said another thing when it was tried again.
    public var contradictions = 0
    /// The tries, in their order.
    public var probes: [ProbeRecord] = []

    /// Makes the record of a search that has not begun.
    public init(profileName: String, serviceLevel: [String], tolerance: Double) {
        self.profileName = profileName
        self.serviceLevel = serviceLevel
        self.tolerance = tolerance
    }
}

extension CapacityRecord {
    /// The record as JSON with sorted keys.
    ///
    /// - Throws: ``RecordError/notEncodable(keyPath:)``.
    public func encoded() throws(RecordError) -> [UInt8] { try RecordCoding.encoded(self) }

    /// Reads the record of a search.
    ///
    /// - Throws: ``RecordError`` saying what is wrong with the file.
    public static func read(_ path: String) throws(RecordError) -> CapacityRecord {
        try decode(RecordCoding.bytes(of: path), path: path)
    }

    /// Reads the record of a search from the bytes of its file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its name, for messages.
    /// - Returns: the record.
    /// - Throws: ``RecordError`` saying what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8], path: String) throws(RecordError) -> CapacityRecord {
        let record: CapacityRecord = try RecordCoding.decoded(bytes, path: path, schema: currentSchema)
        if let other = record.probes.first(where: { $0.run.schema != RunRecord.currentSchema }) {
            throw .otherSchema(path: path, found: other.run.schema, accepted: [RunRecord.currentSchema])
        }
        return record
    }

    /// Ends the search: says what it found, or that a signal with an exit code ended it.
    public mutating func conclude(signalCode: Int?) {
        knee = latencyKnee
        if let signalCode {
            verdict = VerdictRecord(status: .interrupted, reasons: ["interrupted by the user"], exitCode: signalCode)
            return
        }
        let reasons = probes.last?.reasons ?? []
        verdict =
            switch finding?.kind {
            case .found where finding?.isConfirmed == true: VerdictRecord(status: .passed, exitCode: 0)
            case .atLeast: VerdictRecord(status: .passed, exitCode: 0)
            case .found:
                VerdictRecord(
                    status: .inconclusive, reasons: ["the long try did not hold, three times"] + reasons, exitCode: 4)
            case .generatorLimited:
                VerdictRecord(
                    status: .generatorLimited,
                    reasons: ["the target's limit lies above what this machine generates"] + reasons, exitCode: 7)
            case .nothingHolds:
                VerdictRecord(status: .failed, reasons: ["no rate held what was asked for"] + reasons, exitCode: 3)
            case .stopped: stoppedVerdict
            case nil: VerdictRecord(status: .internalError, reasons: ["the search did not end"], exitCode: 1)
            }
    }

    /// A search that a run without use ended has that run's verdict.
    private var stoppedVerdict: VerdictRecord {
        guard let last = probes.last, let code = last.run.verdict.exitCode, code != 0 else {
            return VerdictRecord(status: .inconclusive, reasons: probes.last?.reasons ?? [], exitCode: 4)
        }
        return VerdictRecord(status: last.run.verdict.status, reasons: last.reasons, exitCode: code)
    }
}

/// What a search for capacity found.
public struct CapacityFinding: Codable, Equatable, Sendable {
    /// The kinds of findings.
    public enum Kind: String, Codable, Sendable {
        /// A rate that holds, and one little above that does not.
        case found
        /// All rates held that were allowed.
        case atLeast
        /// The generator was at its end first.
        case generatorLimited
        /// No rate held.
        case nothingHolds
        /// A run could not be used.
        case stopped
    }

    /// The kind.
    public var kind: Kind
    /// The highest rate that held, per second; null if none did.
    @ExplicitNull public var sustainablePerSecond: Double?
    /// The lowest rate above it that did not, or that could not be generated, per second; null if all held.
    @ExplicitNull public var failingPerSecond: Double?
    /// Whether the long try at the rate that was found held as well; null where there was none.
    @ExplicitNull public var isConfirmed: Bool?

    /// Takes a search's finding.
    public init(_ finding: CapacitySearch.Finding) {
        switch finding {
        case .found(let sustainable, let failing, let isConfirmed):
            self.init(.found, sustainable.perSecond, failing.perSecond, isConfirmed)
        case .atLeast(let rate): self.init(.atLeast, rate.perSecond, nil)
        case .generatorLimited(let held, let tried): self.init(.generatorLimited, held?.perSecond, tried.perSecond)
        case .nothingHolds(let tried): self.init(.nothingHolds, nil, tried.perSecond)
        case .stopped(let tried): self.init(.stopped, nil, tried.perSecond)
        }
    }

    private init(_ kind: Kind, _ sustainable: Double?, _ failing: Double?, _ isConfirmed: Bool? = nil) {
        self.kind = kind
        sustainablePerSecond = sustainable
        failingPerSecond = failing
        self.isConfirmed = isConfirmed
    }
}

/// One try of a rate, with the whole record of its run.
public struct ProbeRecord: Codable, Equatable, Sendable {
    /// Why it was tried.
    public var stage: CapacitySearch.Stage
    /// The rate that was asked for, per second.
    public var ratePerSecond: Double
    /// What the schedule had, per second; null if the run has none.
    @ExplicitNull public var offeredPerSecond: Double?
    /// What was answered, per second; null if nothing proves it.
    @ExplicitNull public var answeredPerSecond: Double?
    /// What came of it.
    public var outcome: CapacitySearch.Outcome
    /// Why, one sentence each.
    public var reasons: [String]
    /// The run.
    public var run: RunRecord

    /// Notes down a try.
    public init(_ probe: CapacitySearch.Probe, _ judgement: ProbeJudge.Judgement, run: RunRecord) {
        stage = probe.stage
        ratePerSecond = probe.rate.perSecond
        offeredPerSecond = ProbeJudge.offeredPerSecond(of: run).flatMap { $0.isFinite ? $0 : nil }
        answeredPerSecond = ProbeJudge.answeredPerSecond(of: run).flatMap { $0.isFinite ? $0 : nil }
        outcome = judgement.outcome
        reasons = judgement.reasons
        self.run = run
    }
}
