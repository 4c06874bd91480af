import Primitives
import ProviderSessions
public import RunRecords
import Transport
import Workload

/// Carries out one run: target, connections, phases, drain, and the books at the end.
public final class RunEngine {
    private let profile: Profile
    private let options: RunOptions
    private let plan: SessionPlan
    private let source: NotificationSource
    private let supply: SequenceSupply
    private let loopCount: Int
    private var loops: [EventLoop] = []
    private var child: SimulatorChild?
    private var feedback: ConnectPlan?
    private var monitor: RunMonitor
    private var outcome = RunOutcome()
    /// What this process had used before, for a calibration or another run.
    private var earlierUsage = ProcessResourcesRecord()

    /// How long notifications may still be written that were due when the time of the offer was over.
    private static let closingTime = Interval.milliseconds(100)
    /// How often the engine looks at the run.
    private static let tickNanoseconds: UInt64 = 10_000_000
    /// How often it tells how the run goes, within an interval.
    private static let tellTime = Interval.milliseconds(100)
    private var toldAt = Instant.zero
    private var offer: OfferWatch?

    /// Prepares a run; reads the files that the profile names.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)``.
    public init(profile: Profile, options: RunOptions) throws(HarnessError) {
        self.profile = profile
        self.options = options
        plan = profile.sessionPlan()
        source = try profile.notificationSource()
        loopCount = Self.loopCount(of: profile)
        supply = SequenceSupply(
            limit: UInt64(min(profile.workload.notifications, Profile.notificationLimit)),
            arrivals: try profile.arrivals(), connectionCount: profile.sender.connections, loopCount: loopCount,
            start: nil)
        monitor = RunMonitor(
            sessionCount: profile.sender.connections, keepsHistograms: options.keepsIntervalHistograms,
            tellsLatencies: options.tellsLatencies, countsAnswers: profile.isAnsweredByOthers)
    }

    /// What the files that the profile names make doubtful, one sentence each.
    public var warnings: [String] {
        guard let file = profile.load.replayFile, profile.workload.notifications < Profile.notificationLimit,
            UInt64(profile.workload.notifications) > supply.limit
        else { return [] }
        return [
            "load.replayFile: \(file) has \(supply.limit) times for this run, so that \(supply.limit) notifications are sent and not "
                + "\(profile.workload.notifications)"
        ]
    }

    /// Runs to the end and tells what happened as a record, also when the target is out of reach from the start.
    ///
    /// - Throws: ``HarnessError`` when the run could not begin for other reasons; what happens later is in the record.
    public func run() async throws(HarnessError) -> RunRecord {
        earlierUsage = ProcessUsage.now()
        try checkDescriptors()
        outcome.startedAt = MonotonicClock.now()
        do throws(HarnessError) {
            let target = try await Target.prepare(profile, options: options)
            child = target.child
            feedback = target.feedback
            try await makeLoops(target)
            await openConnections()
        } catch .unreachable(let reason) {
            outcome.abort = .neverConnected
            outcome.unresolved = reason
        } catch {
            await shutDown()
            throw error
        }
        if [.neverConnected, .certificateRefused, .protocolRefused].contains(outcome.abort) {
            await giveUp()
        } else {
            await offerLoad()
        }
        await collect()
        completeIntervals()
        await shutDown()
        outcome.calibration = options.calibration
        var record = RunRecord(of: outcome, profile: profile, source: source, plan: plan)
        if !warnings.isEmpty { record.warnings = (record.warnings ?? []) + warnings }
        return record
    }

    // MARK: - Setting up

    private func checkDescriptors() throws(HarnessError) {
        let available = Machine.raiseDescriptorLimit()
        let needed = RunNeed(profile).descriptors
        guard needed <= available else {
            throw .localLimit(
                "\(profile.sender.connections) connections need \(needed) file descriptors, and this process may open "
                    + "\(available) (`ulimit -Hn`); fewer connections or a higher limit are accepted")
        }
    }

    /// Half of the processors when the simulator needs the other half, else all of them; never more than connections.
    private static func loopCount(of profile: Profile) -> Int {
        var available = Machine.processorCount
        if case .simulator = profile.target { available = max(1, available / 2) }
        return min(profile.sender.loops ?? available, profile.sender.connections)
    }

    private func makeLoops(_ target: Target) async throws(HarnessError) {
        let count = loopCount
        let loopPlan = SenderLoop.Plan(
            sessions: plan, requests: profile.requestPlan(host: target.connect.serverName),
            authorization: try profile.authorization(simulated: target.signingKey), connect: target.connect,
            supply: supply, source: source, seed: profile.workload.seed,
            measuresLatencies: profile.latencies, extraWork: ExtraWork(each: profile.sender.extraWork))
        for index in 0..<count {
            let slots = Array(stride(from: index, to: profile.sender.connections, by: count))
            do throws(TransportError) {
                let loop = try EventLoop(label: "pushbench.sender.\(index)")
                loops.append(loop)
                try await loop.run { core in
                    core.tenant = SenderLoop(core: core, index: index, slots: slots, plan: loopPlan)
                }
            } catch {
                throw .localLimit("cannot start an event loop: \(error)")
            }
        }
    }

    /// Opens all connections before the load begins, so that set-up is measured apart from it.
    private func openConnections() async {
        await onEachLoop { $0.start() }
        let start = MonotonicClock.now()
        let pacing = Double(profile.sender.connections) / profile.sender.reconnect.attemptsPerSecond.perSecond
        let patience =
            profile.sender.connectTimeout + profile.sender.handshakeTimeout
            + Interval(nanoseconds: Int64(min(pacing, 3_600) * 1e9))
        while true {  // bounded by the patience
            await observe(.connecting)
            // Connections that do not last are no reason to wait for all of them at once.
            if monitor.haveAllConnected || mustAbort { return }
            if options.interrupts.value > 0 { return }
            if MonotonicClock.now() - start > patience {
                // A target whose connections do not last gets its load, and a record that says what it did.
                if !monitor.hasConnected { outcome.abort = .neverConnected }
                return
            }
            if let reason = monitor.turnedAway {
                outcome.abort = reason
                return
            }
            await tick()
        }
    }

    // MARK: - Phases

    private func offerLoad() async {
        outcome.startedAt = MonotonicClock.now()
        monitor.begin(at: outcome.startedAt)
        outcome.measureStart = outcome.startedAt + profile.phases.warmup
        var measureEnd = profile.phases.measure.map { outcome.measureStart + $0 } ?? .distantFuture
        outcome.bounds = PhaseBounds(measureStart: outcome.measureStart, measureEnd: measureEnd)
        await onEachLoop { [start = outcome.startedAt, bounds = outcome.bounds] in $0.begin(at: start, bounds) }
        offer = OfferWatch(supply, start: outcome.startedAt, end: measureEnd)
        if options.interrupts.value == 0 { supply.release(at: outcome.startedAt) }
        if supply.plan != nil, profile.phases.measure != nil { supply.close(at: measureEnd) }
        await onEachLoop { $0.wake() }
        while !mustAbort && !monitor.isFinished {  // bounded by the phases, the drain and the outage limit
            let now = MonotonicClock.now()
            if options.interrupts.value > 0, now < measureEnd {
                // The schedule ends here, too: what was due by now and nobody took is not forgotten.
                measureEnd = now
                if supply.plan != nil { supply.close(at: now) }
                await endPhases(at: now)
            }
            endOffer(at: measureEnd, now: now)
            if options.interrupts.value > 0 && monitor.written == 0 { break }
            await observe(supply.isExhausted ? .draining : now < outcome.measureStart ? .warmup : .measuring)
            if supply.isExhausted {
                if monitor.gatewayMoved { await onEachLoop { $0.gatewayMoved() } }
                if outcome.measureEnd == .zero {
                    let isClosed = supply.plan != nil && supply.scheduledCount < supply.limit
                    if isClosed { outcome.claimedInTime = outcome.claimedInTime ?? supply.claimedCount }
                    outcome.measureEnd = isClosed ? measureEnd : min(now, measureEnd)
                    await onEachLoop { $0.wake() }
                }
                if now - max(outcome.measureEnd, monitor.lastProgress) > profile.phases.drain { break }
            }
            if let reason = monitor.turnedAway { outcome.abort = reason }
            if now - max(outcome.startedAt, monitor.lastContact) > options.outageLimit {
                outcome.abort = monitor.isUnanswered ? .unanswered : .unreachable
            }
            await tick()
        }
        if options.interrupts.value > 0 { outcome.abort = outcome.abort ?? .interrupted }
        if supply.plan != nil, outcome.abort != nil { closeSchedule(at: MonotonicClock.now()) }
        supply.stop()
        // Before connections end, which would look as if none had stood.
        outcome.tally = supply.tally
        await onEachLoop { $0.abandon() }
        outcome.end = MonotonicClock.now()
    }

    /// Has what happens from now on belong to the drain, also if the run was to be measured later.
    private func endPhases(at now: Instant) async {
        outcome.bounds = outcome.bounds.ended(at: now)
        await onEachLoop { [bounds = outcome.bounds] in $0.setPhases(bounds) }
    }

    /// Ends an open loop's schedule at once, unless it has ended before.
    private func closeSchedule(at now: Instant) {
        guard outcome.claimedInTime == nil else { return }
        supply.close(at: now)
        outcome.claimedInTime = supply.claimedCount
    }

    /// Ends the offer when its time is over. What was due by then may still go for a moment, unless the user insists.
    private func endOffer(at end: Instant, now: Instant) {
        let grace = supply.plan == nil ? .zero : Self.closingTime
        if options.interrupts.value > 1 || now >= end + grace { supply.stop() }
        if now >= end, supply.plan != nil { outcome.claimedInTime = outcome.claimedInTime ?? supply.claimedCount }
    }

    /// Ends a run that never began to send.
    private func giveUp() async {
        monitor.begin(at: outcome.startedAt)
        if supply.plan != nil { supply.close(at: MonotonicClock.now()) }
        supply.stop()
        await onEachLoop { $0.abandon() }
        outcome.end = MonotonicClock.now()
    }

    /// Whether the run ends at once: the user insists, the simulator died, or nothing is reachable.
    private var mustAbort: Bool {
        if let child, child.current.hasEnded { outcome.abort = .simulatorDied }
        return outcome.abort != nil || options.interrupts.value > 1
    }

    private func tick() async { try? await Task.sleep(nanoseconds: Self.tickNanoseconds) }

    private func observe(_ phase: RunProgress.Phase) async {
        var snapshots: [LoopRecorder.Snapshot] = []
        let ending = monitor.ending(at: MonotonicClock.now())
        for loop in loops {
            if let snapshot = try? await loop.run({ ($0.tenant as? SenderLoop)?.snapshot(ending) }) {
                snapshots.append(snapshot)
            }
        }
        let now = MonotonicClock.now()
        let endsInterval = monitor.take(
            snapshots, at: now, endsInterval: ending != .none, progress: child?.lastProgress)
        guard endsInterval || now - toldAt >= Self.tellTime else { return }
        toldAt = now
        if endsInterval { offer?.take(at: now) }
        tell(phase, monitor.intervals, endsInterval: endsInterval, at: now)
    }

    // MARK: - The end

    /// Has the intervals add up to what is known now, and tells whoever follows the run of the last one, too.
    private func completeIntervals() {
        outcome.completeIntervals(countsAnswers: profile.protocolName == .http2)
        tell(.ended, outcome.intervals, endsInterval: true, at: outcome.end)
    }

    private func tell(
        _ phase: RunProgress.Phase, _ intervals: [IntervalRecord], endsInterval: Bool, at now: Instant
    ) {
        guard !intervals.isEmpty || phase != .ended else { return }
        var progress = RunProgress()
        progress.phase = phase
        progress.elapsed = now - outcome.startedAt
        progress.timeLeft = offer?.timeLeft(at: now)
        progress.endsInterval = endsInterval
        progress.planned = supply.limit < UInt64(Profile.notificationLimit) ? supply.limit : nil
        progress.offeredPerSecond = offer?.perSecond
        monitor.tell(&progress)
        progress.intervals = intervals
        if phase == .ended {
            // Now the counts are complete, and the sums are theirs.
            let accepted = intervals.compactMap(\.accepted)
            if accepted.count == intervals.count { progress.accepted = accepted.reduce(0, +) }
            progress.rejected = UInt64(clamping: intervals.reduce(0) { $0 + $1.rejected })
            progress.errors = ErrorCountRecord.list(of: outcome.sender.ledger)
        }
        options.onProgress(progress)
    }

    private func collect() async {
        var snapshots: [LoopRecorder.Snapshot] = []
        for loop in loops {
            let share = try? await loop.run { [ending = monitor.finalEnding] core in
                (core.tenant as? SenderLoop).map { ($0.snapshot(ending), $0.result()) }
            }
            guard let (snapshot, result) = share.flatMap({ $0 }) else { continue }
            snapshots.append(snapshot)
            outcome.sender.add(result)
        }
        _ = monitor.take(snapshots, at: outcome.end, endsInterval: false, progress: child?.lastProgress)
        outcome.intervals = monitor.closedIntervals(at: outcome.end)
        outcome.senderUsage = ProcessUsage.now().since(earlierUsage)
        outcome.senderUsage.loops = outcome.sender.uses.map { LoopResourcesRecord($0) }
        let claimed = supply.claimedCount
        // A run that time ends generates what it takes, or what its schedule had until its end; one with a number has planned all of them.
        let isWithoutNumber = profile.workload.notifications == Profile.notificationLimit
        let isEndedByTime = profile.phases.measure != nil && (outcome.abort == nil || isWithoutNumber)
        outcome.generated = isEndedByTime ? supply.scheduledCount : supply.limit
        outcome.tally = outcome.tally ?? supply.tally
        outcome.arrivals = supply.plan
        bookUnsent(SequenceRun(start: claimed, count: outcome.generated - claimed))
        outcome.acceptedBySender = outcome.sender.ledger.count(of: .accepted)
        outcome.rejectedBySender = outcome.sender.ledger.count(of: .rejected)
        guard let child, outcome.abort != .simulatorDied else { return }
        if case .simulator(let settings) = profile.target, settings.feedback.readAtEnd, let feedback {
            outcome.feedback = await FeedbackClient.read(from: feedback)
        }
        child.stop()
        _ = await child.wait(upTo: options.outageLimit.seconds) { $0.result != nil }
        outcome.simulator = child.current.result
        if outcome.simulator == nil { outcome.abort = outcome.abort ?? .bookMissing }
        outcome.simulatorProgress = child.current.progress.elements
        join()
        outcome.joinReconnects()
    }

    /// Enters what was skipped and what no connection took, beside what sessions had taken and not written.
    private func bookUnsent(_ rest: SequenceRun) {
        outcome.neverSent = (outcome.sender.ledger.fates[.unsent]?.runs ?? []).map {
            UnsentRun(run: $0, until: outcome.end)
        }
        let untaken =
            (outcome.tally?.skips ?? []).map { UnsentRun(run: $0.run, until: outcome.startedAt + $0.at) }
            + [UnsentRun(run: rest, until: outcome.end)]
        for part in untaken where part.run.count > 0 {
            outcome.sender.ledger.recordUnsent(part.run)
            outcome.neverSent.append(part)
        }
    }

    /// Lets the simulator's book tell about what the sender does not know, and compares the two.
    private func join() {
        guard let result = outcome.simulator, let bounds = result.acceptedStretches else { return }
        guard plan.command.hasIdentifier else {
            outcome.difference = excess(of: result.ledger)
            return
        }
        let join = LedgerJoin(accepted: bounds, refused: result.refusedStretches)
        outcome.rejectedBySender -= outcome.sender.ledger.resolve(join.fate)
        let accepted = outcome.sender.ledger.fates[.accepted] ?? []
        var difference = join.difference(from: accepted)
        let unfound = join.unfoundRejections(in: outcome.sender.ledger.fates[.rejected] ?? [])
        difference += unfound - min(unfound, UInt64(result.unlistedRefusals))
        // Damaged notifications do not carry the tokens that the sender's book has.
        if result.ledger.duplicates == 0, difference == 0, plan.malformed == nil {
            let digest = LedgerJoin.digest(of: accepted, source: source, identifiers: plan.identifiers)
            difference += digest == result.digest ? 0 : 1
        }
        outcome.difference = difference
    }

    /// How many more notifications than were written the simulator counted; without identifiers nothing else can be compared.
    private func excess(of book: SimulatorLedgerRecord) -> UInt64 {
        let counted = UInt64(clamping: book.acceptedWithoutIdentifier + book.rejectedWithoutIdentifier + book.discarded)
        let written = outcome.sender.ledger.written
        return counted > written ? counted - written : 0
    }

    private func onEachLoop(_ body: @escaping @Sendable (SenderLoop) -> Void) async {
        for loop in loops {
            try? await loop.run { core in
                if let sender = core.tenant as? SenderLoop { body(sender) }
            }
        }
    }

    private func shutDown() async {
        for loop in loops { await loop.shutDownAndWait() }
        loops = []
        child?.kill()
        child = nil
    }
}
