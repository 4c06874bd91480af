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
        var histograms: [Series: HistogramSnapshot] = [:]
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
        /// The processor time of the busiest loop.
        var busiestLoop = Interval.zero

        mutating func add(_ other: Result) {
            ledger.add(other.ledger)
            for (series, snapshot) in other.histograms {
                let sum = histograms[series].map { Histogram($0) } ?? Histogram(.runTotals)
                do {
                    try sum.add(snapshot)
                } catch {
                    preconditionFailure("all series of a run have one geometry")
                }
                histograms[series] = sum.snapshot()
            }
            inFlightAtError += other.inFlightAtError
            reconnects.add(other.reconnects)
            reconnectEvents += other.reconnectEvents
            windowHeld = windowHeld + other.windowHeld
            failedAttempts.merge(other.failedAttempts, uniquingKeysWith: +)
            firstWrite = [firstWrite, other.firstWrite].compactMap { $0 }.min()
            lastWrite = [lastWrite, other.lastWrite].compactMap { $0 }.max()
            lastProof = [lastProof, other.lastProof].compactMap { $0 }.max()
            connections += other.connections
            busiestLoop = max(busiestLoop, other.busiestLoop)
        }
    }

    private let core: LoopCore
    private let index: Int
    private let recorder = LoopRecorder()
    private let links: [ProviderLink]
    private let authorization: Authorization?
    private var renewal: LoopTimer?

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
        let recorder = recorder
        links = slots.map { slot in
            ProviderLink(
                session: plan.makeSession(slot: slot), core: core, plan: plan.connect, recorder: recorder)
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
    func wake() { for link in links { link.wake() } }

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
    }

    /// Latencies count from now on.
    func beginMeasuring(at start: Instant) { recorder.beginMeasuring(at: start) }

    /// The sums so far; at the end of an interval with its residence.
    func snapshot(_ endsInterval: Bool) -> LoopRecorder.Snapshot {
        if endsInterval {
            for link in links where link.session.isOpen {
                if let limit = link.session.requestLimit { recorder.noteStreamLimit(limit) }
            }
        }
        var snapshot = recorder.takeSnapshot(endsInterval: endsInterval)
        for link in links {
            snapshot.unsettled += link.session.unsettledCount
            snapshot.openConnections += link.session.isOpen ? 1 : 0
            snapshot.lastingConnections += link.session.isLasting(at: core.now) ? 1 : 0
            snapshot.finishedSessions += link.session.isFinished ? 1 : 0
        }
        snapshot.processorTime = core.processorTime
        return snapshot
    }

    /// Everything at the end.
    func result() -> Result {
        var result = Result(ledger: recorder.ledger, inFlightAtError: recorder.inFlightAtError)
        result.histograms = recorder.histograms
        result.reconnects = recorder.reconnects
        result.reconnectEvents = recorder.reconnects.events.elements
        result.windowHeld = links.reduce(.zero) { $0 + $1.session.windowHeldTime }
        result.failedAttempts = recorder.failedAttempts
        result.firstWrite = recorder.firstWrite
        result.lastWrite = recorder.lastWrite
        result.lastProof = recorder.lastProof
        result.busiestLoop = core.processorTime
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
