import Histograms
import Primitives
import ProviderSessions
import RunRecords
import SecureChannel
import Transport
import Workload

/// The sender's share of one event loop: its sessions and what they measure.
final class SenderLoop {
    /// What a loop leaves behind at the end of a run; those of several loops are added up.
    struct Result: Sendable {
        var ledger = FateLedger()
        var histograms: SeriesSnapshots = [:]
        var refusals: RefusalLatencies.Snapshots = [:]
        var phases: [RunPhase: LoopRecorder.PhaseCounts] = [:]
        /// How many values of a series are lower bounds only.
        var censored: [RunPhase: [Series: Int64]] = [:]
        /// When a sample of notifications was first written, and when proved.
        var sent = SequenceSample()
        var proved = SequenceSample()
        /// When notifications were written for the first time, and when error replies refused some.
        var firstWrites = InstantSum()
        var refusedAt = InstantSum()
        /// How many requests were in flight over time.
        var flight = FlightClock()
        /// Notifications that were written late.
        var lateCount: UInt64 = 0
        /// Those of them for which the kernel was asked in time.
        var lateInSocketCount: UInt64 = 0
        var inFlightAtError: [UInt64] = []
        var reconnects = ReconnectRecorder()
        /// The replacements that were kept whole.
        var reconnectEvents: [Reconnect] = []
        /// For how long windows alone kept connections from writing, added over all of them.
        var windowHeld = Interval.zero
        /// The failed attempts to connect in words, and how many there were of each kind.
        var failedAttempts: [String: Int] = [:]
        var firstWrite: Instant?
        var lastWrite: Instant?
        var lastProof: Instant?
        var connections: [ConnectionRecord] = []
        /// What each loop used, in the order of the loops.
        var uses: [LoopUse] = []
        /// What each loop used since the load began.
        var usesUnderLoad: [LoopUse] = []

        mutating func add(_ other: Result) {
            ledger.add(other.ledger)
            for (phase, series) in other.histograms {
                histograms[phase, default: [:]].merge(series, uniquingKeysWith: Self.sum)
            }
            for (phase, kinds) in other.refusals {
                refusals[phase, default: [:]].merge(kinds, uniquingKeysWith: Self.sum)
            }
            for (phase, counts) in other.phases {
                var sum = phases[phase, default: LoopRecorder.PhaseCounts()]
                sum.sent += counts.sent
                sum.written += counts.written
                sum.bytes += counts.bytes
                sum.answered += counts.answered
                phases[phase] = sum
            }
            for (phase, counts) in other.censored { censored[phase, default: [:]].merge(counts, uniquingKeysWith: +) }
            sent.add(other.sent)
            proved.add(other.proved)
            firstWrites.add(other.firstWrites)
            refusedAt.add(other.refusedAt)
            flight.add(other.flight)
            lateCount += other.lateCount
            lateInSocketCount += other.lateInSocketCount
            inFlightAtError += other.inFlightAtError
            reconnects.add(other.reconnects)
            reconnectEvents += other.reconnectEvents
            windowHeld = windowHeld + other.windowHeld
            failedAttempts.merge(other.failedAttempts, uniquingKeysWith: +)
            firstWrite = [firstWrite, other.firstWrite].compactMap { $0 }.min()
            lastWrite = [lastWrite, other.lastWrite].compactMap { $0 }.max()
            lastProof = [lastProof, other.lastProof].compactMap { $0 }.max()
            connections += other.connections
            uses += other.uses
            usesUnderLoad += other.usesUnderLoad
        }

        /// How many values a series has, over all phases.
        func count(of name: Series) -> Int64 {
            histograms.values.reduce(0) { $0 + ($1[name]?.totals.count ?? 0) + ($1[name]?.totals.invalidCount ?? 0) }
        }

        /// A series' values over all phases: how many, and their sum.
        func sum(of name: Series) -> (count: Int64, sum: Int128) {
            histograms.values.compactMap { $0[name]?.totals }.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.sum) }
        }

        static func sum(_ left: HistogramSnapshot, _ right: HistogramSnapshot) -> HistogramSnapshot {
            let sum = Histogram(left)
            sum.addOrStop(right)
            return sum.snapshot()
        }
    }

    private let core: LoopCore
    private let index: Int
    private let recorder: LoopRecorder
    private let links: [ProviderLink]
    /// Gives an open loop's batches to connections in turns; nil in a closed loop.
    private let pacing: PaceDriver?
    private let authorization: Authorization?
    private var renewal: LoopTimer?
    private let measuresLatencies: Bool
    private var hiccups: HiccupWatch?
    /// What the loop had used when the load began.
    private var earlierUse = LoopUse()

    /// What all sessions of a run are made of.
    struct Plan: Sendable {
        var sessions: SessionPlan
        /// What requests of the provider API carry; nil for the binary interface.
        var requests: RequestPlan?
        /// Who signs provider tokens; nil without such.
        var authorization: Authorization?
        var connect: ConnectPlan
        var supply: SequenceSupply
        var source: NotificationSource
        var seed: UInt64
        /// Whether latencies are measured.
        var measuresLatencies = true
        /// What each notification costs beside being sent.
        var extraWork = ExtraWork(each: .zero)

        /// Makes the session of one connection slot.
        func makeSession(slot: Int) -> any SenderSession {
            guard let requests else {
                return ProviderSession(slot: slot, plan: sessions, supply: supply, source: source, seed: seed)
            }
            return RequestSession(
                slot: slot, plan: sessions, requests: requests, supply: supply, source: source, seed: seed)
        }
    }

    /// Makes the sessions of `slots` on the loop of `core`.
    init(core: LoopCore, index: Int, slots: [Int], plan: Plan) {
        self.core = core
        self.index = index
        authorization = plan.authorization
        measuresLatencies = plan.measuresLatencies
        let recorder = LoopRecorder(plan.supply.plan, measuresLatencies: plan.measuresLatencies)
        self.recorder = recorder
        let links = slots.map { slot in
            let link = ProviderLink(
                session: plan.makeSession(slot: slot), core: core, plan: plan.connect, recorder: recorder)
            link.extraWork = plan.extraWork
            return link
        }
        self.links = links
        pacing = plan.supply.plan.map { _ in
            PaceDriver(core: core, links: links, supply: plan.supply, batch: plan.sessions.batch)
        }
    }

    /// Opens the connections.
    func start() {
        if authorization != nil {
            renewal = core.makeTimer { [weak self] _ in self?.authorize() }
            authorize()
        }
        for link in links { link.start() }
    }

    /// Gives the sessions the value of `authorization` that holds now.
    private func authorize() {
        guard let authorization else { return }
        var next = Instant.distantFuture
        for link in links {
            guard let session = link.session as? RequestSession,
                // A key that has signed before does so again; if not, requests go on with the last value.
                let value = try? authorization.value(slot: session.slot, at: core.now)
            else { continue }
            session.setAuthorization(value.bytes)
            next = min(next, value.renewAt)
        }
        renewal?.set(to: next == .distantFuture ? nil : next)
    }

    /// Lets idle connections look at the supply again.
    func wake() {
        for link in links { link.wake() }
        pacing?.wake()
    }

    /// The gateway was seen to accept notifications.
    func gatewayMoved() { for link in links { link.gatewayMoved() } }

    /// Gives up what is not settled.
    func abandon() {
        for link in links {
            if let end = link.session.openEnd, !link.session.isFinished {
                recorder.recordAbandoned(from: end, to: core.now)
            }
            link.abandon()
        }
        hiccups?.end()
        hiccups = nil
    }

    /// The phases end otherwise than was planned.
    func setPhases(_ bounds: PhaseBounds) { recorder.setPhases(bounds) }

    /// The schedule begins at `start`, and the phases are known.
    func begin(at start: Instant, _ bounds: PhaseBounds) {
        recorder.begin(at: start, bounds)
        earlierUse = core.use
        guard measuresLatencies else { return }
        hiccups = HiccupWatch(core: core) { [recorder] due, lateness in
            recorder.recordTimerLag(lateness, at: due)
        }
    }

    private func noteStreamLimits() {
        for link in links where link.session.isOpen {
            if let limit = link.session.requestLimit { recorder.noteStreamLimit(limit) }
        }
    }

    /// The sums so far; at the end of an interval with its series.
    func snapshot(_ ending: IntervalEnding) -> LoopRecorder.Snapshot {
        if ending != .none { noteStreamLimits() }
        var snapshot = recorder.takeSnapshot(ending)
        // What holds at an interval's end is what the next one begins with.
        if ending != .none { noteStreamLimits() }
        for link in links {
            snapshot.unsettled += link.unsettledCount
            snapshot.openConnections += link.session.isOpen ? 1 : 0
            snapshot.lastingConnections += link.session.isLasting(at: core.now) ? 1 : 0
            snapshot.connectedSessions += link.session.connectionCount > 0 ? 1 : 0
            snapshot.unansweredSessions += link.session.isUnanswered ? 1 : 0
            snapshot.finishedSessions += link.isFinished ? 1 : 0
        }
        snapshot.use = core.use
        return snapshot
    }

    /// Everything at the end.
    func result() -> Result {
        var result = Result(ledger: recorder.ledger, inFlightAtError: recorder.inFlightAtError)
        result.histograms = recorder.histograms
        result.refusals = recorder.refusals.snapshots
        result.phases = recorder.phases
        result.censored = recorder.censored
        result.sent = recorder.sent
        result.proved = recorder.proved
        result.firstWrites = recorder.firstWrites
        result.refusedAt = recorder.refusedAt
        for link in links { result.flight.add(link.session.flight) }
        result.lateCount = recorder.lateCount
        result.lateInSocketCount = recorder.lateInSocketCount
        result.reconnects = recorder.reconnects
        result.reconnectEvents = recorder.reconnects.events.elements
        result.windowHeld = links.reduce(.zero) { $0 + $1.session.windowHeldTime }
        result.failedAttempts = recorder.failedAttempts
        result.firstWrite = recorder.firstWrite
        result.lastWrite = recorder.lastWrite
        result.lastProof = recorder.lastProof
        let use = core.use
        result.uses = [use]
        result.usesUnderLoad = [use.since(earlierUse)]
        result.connections = links.map { link in
            var record = ConnectionRecord(index: link.session.slot, loop: index)
            record.openings = Int64(link.session.connectionCount)
            record.written = Int64(link.session.writtenCount)
            record.accepted = Int64(link.session.acceptedCount)
            record.rejected = Int64(link.session.errorReplyCount)
            record.resent = Int64(link.session.resentCount)
            record.bytes = Int64(link.session.writtenBytes)
            record.tlsVersion = link.facts?.version.description
            record.cipher = link.facts?.cipher
            record.resumed = link.facts?.isResumed
            return record
        }
        return result
    }
}
