import Primitives
import ProviderSessions
import PushWire
import RunRecords
import Workload

extension RunRecord {
    /// Tells an outcome as a record; verdict, thresholds and texts about the tool are the caller's.
    init(of outcome: RunOutcome, profile: Profile, source: NotificationSource, plan: SessionPlan) {
        self.init()
        machine = Machine.fingerprint()
        durationNs = (outcome.end - outcome.startedAt).nanoseconds
        intervals = outcome.intervals
        connections = outcome.sender.connections.sorted { $0.index < $1.index }
        ledger = LedgerRecord(outcome)
        ledger.hasIdentifiers = plan.command.hasIdentifier
        simulatorLedger = outcome.simulator?.ledger
        ledgerDifference = outcome.difference.map { Int64($0) }
        feedback = outcome.feedback.map { FeedbackRecord($0, simulator: outcome.simulator) }
        errors = ErrorCountRecord.list(of: outcome.sender.ledger)
        for (bytes, count) in outcome.sender.ledger.violationBytes { violationBytes["\(bytes)"] = Int64(count) }
        replies =
            profile.protocolName == .http2
            ? nil
            : ReplyRecord(
                sent: outcome.simulator?.ledger.repliesSent, read: Int64(outcome.sender.ledger.repliesRead),
                errorAfterWriteFailure: Int64(outcome.sender.ledger.repliesAfterWriteFailure))
        reconnects = ReconnectRecord(outcome)
        windowOverruns.count = Int64(outcome.sender.ledger.windowOverruns)
        windowOverruns.windowNeeded =
            outcome.sender.ledger.windowOverruns > 0 ? Int64(outcome.sender.ledger.windowNeeded) : nil
        resources.sender = outcome.senderUsage
        resources.simulator = outcome.simulator?.resources
        // A run that its target cut short has no rate: nobody knows what the rest would have been.
        if outcome.abort == nil || outcome.abort == .interrupted {
            let measured = outcome.measured(profile)
            measuredNs = measured.length.nanoseconds
            throughput = ThroughputRecord(measured, isScheduleMet: outcome.missedSchedule == nil)
            throughput.undisturbedPerSecond = outcome.undisturbedRate
        }
        tellMeasurements(of: outcome, profile: profile)
        calibration = outcome.calibration
        let warnings = profile.warnings
        self.warnings = warnings.isEmpty ? nil : warnings
        streams = profile.protocolName == .http2 ? StreamsRecord(outcome, profile: profile, record: self) : nil
        limit = outcome.limit(
            profile, acceptedPerSecond: throughput.acceptedPerSecond, streams: streams,
            inFlight: littlesLaw?.inFlight, schedule: schedule)
        tellCapacity()
        self.profile = profile.effectiveJSON
        profileHash = profile.hash
        verdict = VerdictRecord(of: outcome, profile: profile, limit: limit)
    }
}

extension ThroughputRecord {
    /// Rates, where there are enough notifications and enough time for any.
    init(_ part: MeasuredPart, isScheduleMet: Bool) {
        self.init()
        guard part.whyNoRate == nil else { return }
        self.init(
            accepted: isScheduleMet && part.whyNoAcceptedRate == nil ? part.accepted : nil, written: part.written,
            bytes: part.bytes, over: part.length,
            provedLength: part.provedLength)
        if acceptedPerSecond != nil, part.isLowerBound { acceptedBound = "lower" }
    }
}

extension LedgerRecord {
    fileprivate init(_ outcome: RunOutcome) {
        self.init()
        let book = outcome.sender.ledger
        generated = Int64(outcome.generated)
        accepted = Int64(book.count(of: .accepted))
        rejected = Int64(book.count(of: .rejected))
        lost = Int64(book.count(of: .lost))
        for (reason, count) in book.losses where count > 0 { lostBy[reason.rawValue] = Int64(count) }
        unknown = Int64(book.count(of: .unknown))
        unsent = Int64(book.count(of: .unsent))
        resent = Int64(book.resent)
        duplicates = outcome.simulator?.ledger.duplicates ?? 0
        proof.errorReply = Int64(book.proofs[.errorReply] ?? 0)
        proof.shutdown = Int64(book.proofs[.shutdown] ?? 0)
        proof.sentinel = Int64(book.proofs[.sentinel] ?? 0)
        proof.response = Int64(book.proofs[.response] ?? 0)
        proof.simulator = accepted - Int64(outcome.acceptedBySender)
        proof.simulatorRejected = rejected - Int64(outcome.rejectedBySender)
    }
}

extension ErrorCountRecord {
    /// Everything that a book calls an error: replies by status, then what the provider API says.
    static func list(of book: FateLedger) -> [ErrorCountRecord] {
        var list = book.errors.sorted { $0.key < $1.key }.map {
            ErrorCountRecord(status: Int($0.key.rawValue), name: $0.key.description, count: Int64($0.value))
        }
        if book.protocolViolations > 0 {
            list.append(
                ErrorCountRecord(status: nil, name: "protocol violation", count: Int64(book.protocolViolations)))
        }
        return list + Self.list(of: book.requests)
    }

    /// What the provider API says about requests, streams and connections, each kind in the order of its names.
    static func list(of book: RequestBook) -> [ErrorCountRecord] {
        var list: [ErrorCountRecord] = []
        let goneSince = book.goneSince
        for (refusal, count) in book.refusals.sorted(by: { ($0.key.status, $0.key.name) < ($1.key.status, $1.key.name) }
        ) {
            var record = ErrorCountRecord(status: refusal.status, name: refusal.name, count: Int64(count))
            (record.goneSinceFirstMs, record.goneSinceLastMs) = (
                goneSince[refusal]?.lowerBound, goneSince[refusal]?.upperBound
            )
            list.append(record)
        }
        for (code, count) in book.resets.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            list.append(ErrorCountRecord(status: nil, name: "stream reset \(code.name)", count: Int64(count)))
        }
        let goAways = book.goAways.sorted {
            ($0.key.code.rawValue, $0.key.reason) < ($1.key.code.rawValue, $1.key.reason)
        }
        for (kind, count) in goAways {
            let name = "goaway \(kind.code.name)" + (kind.reason.isEmpty ? "" : " \(kind.reason)")
            list.append(ErrorCountRecord(status: nil, name: name, count: Int64(count)))
        }
        if book.timedOut > 0 {
            list.append(ErrorCountRecord(status: nil, name: "no answer in time", count: Int64(book.timedOut)))
        }
        for (name, count) in book.violations.map({ ("\($0.key.code.name): \($0.key)", $0.value) }).sorted(by: {
            $0.0 < $1.0
        }) {
            list.append(ErrorCountRecord(status: nil, name: "violation \(name)", count: Int64(count)))
        }
        return list
    }
}

extension FeedbackRecord {
    fileprivate init(_ reading: FeedbackReading, simulator: SimulatorResult?) {
        self.init()
        tuples = Int64(reading.tupleCount)
        bytes = Int64(reading.byteCount)
        problem = reading.problem
        guard problem == nil, let simulator, let book = simulator.ledger.feedback else { return }
        agrees = book.delivered == tuples && simulator.feedbackDigest == reading.digest
    }
}
