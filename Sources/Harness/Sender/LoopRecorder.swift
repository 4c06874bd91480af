import Histograms
import Primitives
import ProviderSessions
import PushWire
import RunRecords
import Transport
import Workload

/// What one event loop of the sender measures; written on that loop only, and read by value.
final class LoopRecorder {
    /// Sums since the run's start, and the series of the interval that ends, if one does.
    struct Snapshot: Sendable {
        var written: UInt64 = 0
        var resent: UInt64 = 0
        var writtenBytes: UInt64 = 0
        var settled: UInt64 = 0
        var accepted: UInt64 = 0
        var rejected: UInt64 = 0
        var reconnects: UInt64 = 0
        var unsettled: UInt64 = 0
        /// Connections that stood at any time.
        var connections: UInt64 = 0
        /// Attempts that failed because one side will not have the other's certificate.
        var certificateRefusals: UInt64 = 0
        /// Attempts after which the target would not speak the run's protocol.
        var protocolRefusals: UInt64 = 0
        /// Attempts that failed, and connections that ended without a reply that explains it.
        var connectionFailures: UInt64 = 0
        var openConnections = 0
        var lastingConnections = 0
        /// Sessions that had a connection at any time.
        var connectedSessions = 0
        /// Sessions whose requests come to nothing.
        var unansweredSessions = 0
        var finishedSessions = 0
        /// How many requests connections could have open at once in the present interval; nil for the binary interface.
        var streamLimits: ClosedRange<Int>?
        var use = LoopUse()
        var interval: SeriesSnapshots = [:]
        /// Errors by name, at the end of an interval.
        var errors: [ErrorCountRecord] = []
    }

    private(set) var ledger = FateLedger()
    private(set) var inFlightAtError: [UInt64] = []
    private(set) var reconnects = ReconnectRecorder()
    private(set) var lastProof: Instant?
    private(set) var firstWrite: Instant?
    private(set) var lastWrite: Instant?
    /// Failed attempts to connect, in the words of the layer that failed.
    private(set) var failedAttempts: [String: Int] = [:]
    private var streamLimits: ClosedRange<Int>?
    /// Those of the interval before, which hold on while no connection is open.
    private var earlierLimits: ClosedRange<Int>?
    private var certificateRefusals: UInt64 = 0
    private var protocolRefusals: UInt64 = 0
    /// When a sample of notifications was written for the first time, and when one was proved to be accepted.
    private(set) var sent = SequenceSample()
    private(set) var proved = SequenceSample()
    /// When notifications were written for the first time, and when error replies refused some, added up over all of them.
    private(set) var firstWrites = InstantSum()
    private(set) var refusedAt = InstantSum()
    /// What was sent and written in each phase.
    private(set) var phases: [RunPhase: PhaseCounts] = [:]
    /// How many values of a series are lower bounds only.
    private(set) var censored: [RunPhase: [Series: Int64]] = [:]
    /// What an event belongs to.
    private var bounds = PhaseBounds()
    private let isMeasuring: Bool
    private let schedule: ArrivalSchedule?
    private var cursor = ArrivalCursor()
    /// How long refused requests took, by reason.
    private(set) var refusals = RefusalLatencies()
    private var scheduleStart = Instant.zero
    private let lateAfter: Interval
    /// Notifications that were written late.
    private(set) var lateCount: UInt64 = 0
    /// Those of them for which the kernel was asked in time.
    private(set) var lateInSocketCount: UInt64 = 0

    private var book = SeriesBook()
    /// What an interval's own record and live views tell of.
    private static let intervalSeries: Set<Series> = [.residence, .timerLag, .service, .response, .errorReply]
    /// Errors beyond this many keep only their number, so that a gateway that refuses everything cannot fill memory.
    private static let inFlightCapacity = 100_000

    /// What one phase had.
    struct PhaseCounts: Sendable {
        var sent: UInt64 = 0
        var written: UInt64 = 0
        var bytes: UInt64 = 0
        /// Requests that were answered in it, and accepted.
        var answered: UInt64 = 0
    }

    /// Makes a recorder of an open loop's schedule, or of a closed loop.
    ///
    /// Where latencies are not measured, it only counts.
    init(_ arrivals: ArrivalPlan?, measuresLatencies: Bool = true) {
        isMeasuring = measuresLatencies
        schedule = arrivals?.schedule
        lateAfter = arrivals?.lateAfter ?? .zero
    }

    /// The series of the phase that an instant belongs to.
    subscript(_ name: Series, at instant: Instant) -> Histogram { book[name, bounds.phase(at: instant)] }

    /// Everything in the series that came into being, by phase.
    var histograms: SeriesSnapshots { book.snapshots }

    /// The schedule begins at `start`, and the phases are known.
    func begin(at start: Instant, _ bounds: PhaseBounds) {
        scheduleStart = start
        self.bounds = bounds
        reconnects.beginMeasuring(at: bounds.measureStart)
    }

    /// The phases end otherwise than was planned.
    func setPhases(_ bounds: PhaseBounds) { self.bounds = bounds }

    /// Enters one event.
    func record(_ event: SessionEvent) {
        ledger.record(event)
        switch event {
        case .wrote(let notifications, let resent, let bytes, let residence, let at):
            reconnects.wrote(notifications: notifications, resent: resent, at: at)
            firstWrite = firstWrite ?? at
            if isMeasuring, schedule != nil, let lastWrite {
                self[.sendGap, at: at].record((at - lastWrite).nanoseconds)
            }
            lastWrite = at
            if isMeasuring { self[.residence, at: at].record(residence.nanoseconds, count: Int64(notifications)) }
            let phase = bounds.phase(at: at)
            phases[phase, default: PhaseCounts()].written += notifications
            phases[phase, default: PhaseCounts()].bytes += bytes
        case .sent(let run, let at, let taken): recordSent(run, at: at, takenAt: taken)
        case .settled(let run, .accepted, _):
            if isMeasuring, let lastProof { proved.add(from: run.start, to: run.end, at: lastProof) }
        case .errorReply(let reply, _, let latency, let inFlight, let at):
            lastProof = at
            if reply.status != .shutdown, reply.status != .noError { refusedAt.add(1, at: at) }
            if inFlightAtError.count < Self.inFlightCapacity { inFlightAtError.append(inFlight) }
            if isMeasuring, let latency { self[.errorReply, at: at].record(latency.nanoseconds) }
        case .connected(let facts, _):
            recordSetUp(.connectTCP, facts.tcp.nanoseconds)
            recordSetUp(.connectTLS, facts.tls.nanoseconds)
            reconnects.connected(facts)
        case .reconnected(let reconnect):
            reconnects.reconnected(reconnect)
            recordParts(reconnect)
        case .firstProof(let delay, let at):
            self[.firstAcceptance, at: at].record(delay.nanoseconds)
        case .proved(let at): lastProof = at
        case .request(.blocked(_, let time, let at)):
            self[.blocked, at: at].record(time.nanoseconds)
        case .request(.streamLimit(let limit, _)): noteStreamLimit(limit)
        case .request(.goAway(_, reason: .known(let reason), resent: _, at: _)) where reason.isAboutCertificate:
            certificateRefusals += 1
            countFailure("connection ended by the target because of the certificate: \(reason.name)")
        case .request(.unanswered(let sequence, let writtenAt, let at)):
            recordUnanswered(sequence, writtenAt: writtenAt, at: at)
        case .request(.neverAnswered(let sequence, let at)): recordNeverAnswered(sequence, at: at)
        default: break
        }
    }

    /// A connection may have so many requests open at once.
    func noteStreamLimit(_ limit: Int) {
        streamLimits = streamLimits.map { min($0.lowerBound, limit)...max($0.upperBound, limit) } ?? limit...limit
    }

    /// Connections are set up before the phases begin, and belong to what is measured.
    private func recordSetUp(_ name: Series, _ value: Int64) { book[name, .measure].record(value) }

    /// Enters first writes: how late they are, each by itself, and when those of the sample were written.
    private func recordSent(_ run: SequenceRun, at: Instant, takenAt: Instant) {
        phases[bounds.phase(at: at), default: PhaseCounts()].sent += run.count
        firstWrites.add(Int64(run.count), at: at)
        guard isMeasuring else { return }
        sent.add(from: run.start, to: run.end, at: at)
        guard let schedule else { return }
        for sequence in run.start..<run.end {
            let intended = scheduleStart + schedule.time(of: sequence, &cursor)
            // Late is what the kernel took late, whatever kept it.
            if takenAt - intended > lateAfter {
                lateCount += 1
                if at - intended <= lateAfter { lateInSocketCount += 1 }
            }
            self[.scheduleLag, at: intended].record((at - intended).nanoseconds)
        }
    }

    /// Enters requests whose responses ended at `end`.
    func record(_ requests: UnsafeBufferPointer<RequestSample>, answeredAt end: Instant) {
        lastProof = end
        let accepted = requests.reduce(0) { $0 + ($1.isAccepted ? 1 : 0) }
        phases[bounds.phase(at: end), default: PhaseCounts()].answered += UInt64(accepted)
        guard isMeasuring else { return }
        for request in requests {
            let intended = schedule.map { scheduleStart + $0.time(of: request.sequence, &cursor) }
            let phase = intended ?? request.writtenAt
            let service = request.isAccepted ? Series.service : .serviceRefused
            self[service, at: phase].record((end - request.writtenAt).nanoseconds)
            if !request.isAccepted { refusals.record(request, answeredAt: end, in: bounds.phase(at: phase)) }
            guard let intended else { continue }
            let response = request.isAccepted ? Series.response : .responseRefused
            self[response, at: phase].record((end - intended).nanoseconds)
        }
    }

    /// Enters a request that never had an answer, with the time that it had waited: a lower bound, and counted as such.
    private func recordUnanswered(_ sequence: UInt64, writtenAt: Instant, at end: Instant) {
        guard isMeasuring else { return }
        let intended = schedule.map { scheduleStart + $0.time(of: sequence, &cursor) }
        let phase = bounds.phase(at: intended ?? writtenAt)
        book[.service, phase].record((end - writtenAt).nanoseconds)
        censored[phase, default: [:]][.service, default: 0] += 1
        recordNeverAnswered(sequence, at: end)
    }

    /// Enters a notification that the run's end left without an answer, with the time since it was meant to begin.
    private func recordNeverAnswered(_ sequence: UInt64, at end: Instant) {
        guard isMeasuring, let intended = schedule.map({ scheduleStart + $0.time(of: sequence, &cursor) }) else {
            return
        }
        let phase = bounds.phase(at: intended)
        book[.response, phase].record((end - intended).nanoseconds)
        censored[phase, default: [:]][.response, default: 0] += 1
    }

    /// Enters why an attempt to connect failed; of what a hostile gateway can vary, only the first kinds are kept.
    func recordFailedAttempt(_ end: LinkEnd) {
        if end.isCertificateRefusal { certificateRefusals += 1 }
        if end.isProtocolRefusal { protocolRefusals += 1 }
        countFailure(end.text)
    }

    /// Enters that the target chose another protocol than the one that it was offered, or none.
    func recordOtherProtocol(_ chosen: String?, wanted: String) {
        protocolRefusals += 1
        let choice = chosen.map { "chose \($0.prefix(16)) by ALPN" } ?? "chose no protocol by ALPN"
        countFailure("the target \(choice), where \(wanted) was offered and is needed")
    }

    private func countFailure(_ text: String) {
        if failedAttempts[text] != nil || failedAttempts.count < 16 { failedAttempts[text, default: 0] += 1 }
    }

    /// A session gives up while a connection of it waits for its replacement.
    func recordAbandoned(from endSeen: Instant, to now: Instant) { reconnects.abandoned(from: endSeen, to: now) }

    /// An idle timer that was due at an instant came late.
    func recordTimerLag(_ lateness: Interval, at due: Instant) {
        self[.timerLag, at: due].record(lateness.nanoseconds)
    }

    /// The sums so far; with the series of the interval that ends, if it does.
    func takeSnapshot(_ ending: IntervalEnding) -> Snapshot {
        var snapshot = Snapshot(
            written: ledger.written, resent: ledger.resent, writtenBytes: ledger.writtenBytes,
            settled: ledger.settledCount, accepted: ledger.count(of: .accepted), rejected: ledger.count(of: .rejected),
            reconnects: ledger.reconnects,
            connections: ledger.connections, certificateRefusals: certificateRefusals,
            protocolRefusals: protocolRefusals, connectionFailures: ledger.connectionFailures,
            streamLimits: streamLimits ?? earlierLimits)
        if ending != .none {
            (earlierLimits, streamLimits) = (snapshot.streamLimits, nil)
            snapshot.errors = ErrorCountRecord.list(of: ledger)
        }
        switch ending {
        case .none: break
        case .figures: snapshot.interval = book.takeInterval(of: Self.intervalSeries)
        case .histograms: snapshot.interval = book.takeInterval(of: Set(Series.allCases))
        }
        return snapshot
    }
}

/// Whether an interval of the run ends, and what is wanted of it.
enum IntervalEnding: Sendable {
    /// It goes on.
    case none
    /// The series of which an interval's record has figures.
    case figures
    /// All series.
    case histograms
}
