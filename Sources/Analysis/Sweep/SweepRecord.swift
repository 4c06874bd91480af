public import RunRecords

/// What a sweep tried and found. Its JSON has the schema `pushbench.sweep/1`; a sweep that was interrupted goes on from it.
public struct SweepRecord: Codable, Equatable, Sendable {
    /// The schema that this version writes and reads.
    public static let currentSchema = "pushbench.sweep/1"

    /// The schema's name and version.
    public var schema = SweepRecord.currentSchema
    /// How the sweep ended.
    public var verdict = VerdictRecord()
    /// The program that made it.
    public var tool = ToolRecord()
    /// The machine it ran on.
    public var machine = MachineRecord()
    /// The profile's file.
    public var profileName: String
    /// ``Profile/hash`` of the profile before it was varied.
    public var profileHash: String
    /// What was varied.
    public var grid: SweepGrid
    /// How often a combination is run at most.
    public var repeats: Int
    /// Whether combinations that were clearly behind were given up.
    public var isRace: Bool
    /// The seed of the order.
    public var seed: UInt64
    /// The time that the user gave it; null for as long as it takes.
    @ExplicitNull public var budgetNs: Int64?
    /// The time that it took, added over all sittings.
    public var elapsedNs: Int64 = 0
    /// The runs, in the order in which they were made.
    public var runs: [SweepRunRecord] = []
    /// What the runs say; null before the first one.
    @ExplicitNull public var findings: SweepFindings?

    /// Makes the record of a sweep that has not begun.
    public init(profileName: String, profileHash: String, grid: SweepGrid, plan: SweepRace.Plan) {
        self.profileName = profileName
        self.profileHash = profileHash
        self.grid = grid
        repeats = plan.repeats
        isRace = plan.isRace
        seed = plan.seed
    }

    /// How it is carried out.
    public var plan: SweepRace.Plan {
        var plan = SweepRace.Plan()
        plan.repeats = repeats
        plan.isRace = isRace
        plan.seed = seed
        return plan
    }

    /// The race that each combination takes part in: one for each set of conditions.
    public var fields: [Int] {
        var numbers: [[String]: Int] = [:]
        return (0..<grid.count).map { cell in
            let condition = grid.condition(ofCell: cell)
            let number = numbers[condition] ?? numbers.count
            numbers[condition] = number
            return number
        }
    }

    /// The rates of each combination, in the order of its runs; nil for a run that did not finish.
    public var rates: [[Double?]] {
        var rates: [[Double?]] = Array(repeating: [], count: grid.count)
        for run in runs where rates.indices.contains(run.cell) { rates[run.cell].append(run.acceptedPerSecond) }
        return rates
    }
}

/// The figures of one run of a sweep.
public struct SweepRunRecord: Codable, Equatable, Sendable {
    /// The combination, by its number in the grid.
    public var cell: Int
    /// How the run ended, in one word.
    public var status: VerdictRecord.Status
    /// Why, one sentence each; empty if it passed.
    public var reasons: [String]
    /// Whether it did all that was asked of it: each notification was accepted or refused.
    public var isComplete: Bool
    /// Accepted notifications per second; null of a run that did not finish, whose rate would say nothing.
    @ExplicitNull public var acceptedPerSecond: Double?
    /// What kept it from being faster; null if that is not known.
    @ExplicitNull public var limit: LimitRecord.Kind?
    /// The time that 99 of 100 notifications waited for their batch to leave; null without enough of them.
    @ExplicitNull public var residenceP99Ns: Int64?
    /// The response time that 99 of 100 did not exceed; null where there is none.
    @ExplicitNull public var responseP99Ns: Int64?
    /// The sender's processor time for each notification written; null if nothing was.
    @ExplicitNull public var senderCPUPerNotificationNs: Double?
    /// The most memory that the sender held.
    public var senderPeakRSSBytes: Int64
    /// The most memory that the simulator held; null without its account.
    @ExplicitNull public var simulatorPeakRSSBytes: Int64?
    /// Connections that were replaced.
    public var reconnects: Int64
    /// Notifications that had followed a bad one when its error reply came, at the median; null without error replies.
    @ExplicitNull public var inFlightAtErrorP50: Int64?
    /// Notifications written again for each replaced connection; null without any.
    @ExplicitNull public var resentPerReconnect: Double?
    /// Throughput lost for each replaced connection, in notifications; null where it cannot be told.
    @ExplicitNull public var lostPerReconnect: Double?
    /// What the busiest connection wrote, in averages of all connections; null with one connection.
    @ExplicitNull public var busiestConnection: Double?
    /// What the price of a bad token rests on; null over HTTP/2, where it has none of this kind.
    @ExplicitNull public var badTokens: BadTokenRun?

    /// Whether the run followed a schedule, so that its rate is what was offered; null in records from before this was noted.
    @ExplicitNull public var isOpenLoop: Bool?

    /// Takes a run's figures.
    public init(cell: Int, _ record: RunRecord) {
        self.cell = cell
        isOpenLoop = record.schedule != nil
        status = record.verdict.status
        reasons = record.verdict.reasons
        isComplete = Self.isComplete(record)
        limit = record.limit?.kind
        senderPeakRSSBytes = record.resources.sender.peakRSSBytes
        simulatorPeakRSSBytes = record.resources.simulator?.peakRSSBytes
        reconnects = record.reconnects.count
        badTokens = BadTokenRun(record)
        guard isComplete else { return }
        acceptedPerSecond = record.throughput.acceptedPerSecond
        residenceP99Ns = record.latency["residence"]?.quantiles.p99
        responseP99Ns = (record.latency["response"] ?? record.latency["acceptance"])?.quantiles.p99
        senderCPUPerNotificationNs = Metric.plain(.senderCPUPerNotification).value(in: record)
        inFlightAtErrorP50 = record.reconnects.inFlightAtError.p50
        resentPerReconnect = record.reconnects.resentPerReconnect
        lostPerReconnect = record.reconnects.throughputLost?.perReconnect
        busiestConnection = Self.busiest(record.connections)
    }

    private static func isComplete(_ record: RunRecord) -> Bool {
        let ledger = record.ledger
        let hasEnded =
            switch record.verdict.status {
            case .passed, .failed, .generatorLimited, .scheduleMissed: true
            case .running, .inconclusive, .unreachable, .interrupted, .internalError: false
            }
        return hasEnded && ledger.generated > 0 && ledger.accepted + ledger.rejected == ledger.generated
    }

    private static func busiest(_ connections: [ConnectionRecord]) -> Double? {
        let total = connections.reduce(0) { $0 + $1.written }
        guard connections.count > 1, total > 0, let most = connections.map(\.written).max() else { return nil }
        return Double(most) * Double(connections.count) / Double(total)
    }
}

extension SweepRecord {
    /// The record as JSON with sorted keys.
    ///
    /// - Throws: ``RecordError/notEncodable(keyPath:)``.
    public func encoded() throws(RecordError) -> [UInt8] { try RecordCoding.encoded(self) }

    /// Reads the record of a sweep.
    ///
    /// - Throws: ``RecordError`` saying what is wrong with the file.
    public static func read(_ path: String) throws(RecordError) -> SweepRecord {
        try decode(RecordCoding.bytes(of: path), path: path)
    }

    /// Reads the record of a sweep from the bytes of its file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its name, for messages.
    /// - Returns: the record, whose parts belong together.
    /// - Throws: ``RecordError`` saying what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8], path: String) throws(RecordError) -> SweepRecord {
        let record: SweepRecord = try RecordCoding.decoded(bytes, path: path, schema: currentSchema)
        if let flaw = record.flaw { throw .malformed(path: path, keyPath: flaw.keyPath, reason: flaw.reason) }
        return record
    }

    /// What does not belong together in a record that somebody has edited; nil if everything does.
    private var flaw: (keyPath: String, reason: String)? {
        if grid.axes.isEmpty { return ("grid.axes", "is empty") }
        if let index = grid.axes.firstIndex(where: \.values.isEmpty) {
            return ("grid.axes[\(index)].values", "is empty")
        }
        guard grid.count <= SweepGrid.cellsMax else {
            return ("grid", "has more than \(SweepGrid.cellsMax) combinations")
        }
        let cells = 0..<grid.count
        if let index = runs.firstIndex(where: { !cells.contains($0.cell) }) {
            return ("runs[\(index)].cell", "is of a combination that the grid has not")
        }
        guard let findings else { return nil }
        if findings.cells.count != cells.count {
            return ("findings.cells", "has \(findings.cells.count) of the grid's \(cells.count) combinations")
        }
        if let index = cells.first(where: { findings.cells[$0].values != grid.values(ofCell: $0) }) {
            return ("findings.cells[\(index)].values", "are not the grid's")
        }
        let named: [(String, Int?)] =
            [
                ("best", findings.best), ("recommended", findings.recommended),
                ("cheapestNotBehind", findings.cheapestNotBehind),
            ]
            + (findings.badTokens?.prices ?? []).enumerated().map { ("badTokens.prices[\($0)].cell", $1.cell) }
            + (findings.badTokens?.curves ?? []).enumerated().flatMap { number, curve in
                [("badTokens.curves[\(number)].anchor", curve.anchor)]
                    + curve.points.enumerated().map { ("badTokens.curves[\(number)].points[\($0)].cell", $1.cell) }
            } + findings.sensitivity.enumerated().map { ("sensitivity[\($0)].cell", $1.cell) }
        let stray = named.first { $0.1.map { !cells.contains($0) } ?? false }
        return stray.map { ("findings.\($0.0)", "is a combination that the grid has not") }
    }

    /// How a sitting ended.
    public enum End: Equatable, Sendable {
        /// All runs were made.
        case complete
        /// The time that the user gave was over.
        case timeOver
        /// The user ended it by a signal, which has an exit code.
        case interrupted(exitCode: Int)
        /// The target was not there, as the verdict of a run says.
        case unreachable(VerdictRecord)
    }

    /// Ends a sitting: says what the sweep found, or why there is nothing to say yet.
    public mutating func judge(_ end: End) {
        conclude()
        switch end {
        case .interrupted(let exitCode):
            verdict = VerdictRecord(
                status: .interrupted, reasons: ["interrupted by the user; --resume goes on"], exitCode: exitCode)
        case .unreachable(let reason): verdict = reason
        case .complete, .timeOver:
            let left = end == .timeOver ? ["the time was over before all runs were made"] : []
            if let findings, findings.recommended != nil || (findings.best != nil && !grid.hasChoice) {
                verdict = VerdictRecord(status: .passed, reasons: left, exitCode: 0)
                return
            }
            let isNothing = findings?.best == nil
            verdict = VerdictRecord(
                status: isNothing ? .inconclusive : .failed,
                reasons: [findings?.reason ?? "no run was made"] + left, exitCode: isNothing ? 4 : 3)
        }
    }
}
