import Glibc
import Primitives
import ProviderSessions
import SecureChannel
import Transport

/// Where and how a sender's connections are opened.
struct ConnectPlan: Sendable {
    var address: SocketAddress
    var serverName: String
    var context: TLSContext
    var options: LinkOptions
    var resumes: Bool
    var attempts: AttemptPace
    /// What the target must choose by ALPN; nil where nothing is offered.
    var applicationProtocol: String?
}

/// Drives one session of whatever protocol over TLS connections: bytes and times in, actions out.
final class ProviderLink: LinkHandler {
    private(set) var session: any SenderSession
    /// Sessions before this one whose connections wait for their last answers.
    private var past: [ProviderLink] = []
    /// Who goes on with the slot; nil as long as this is who does.
    private weak var follower: ProviderLink?
    private(set) var facts: TLSFacts?
    private let core: LoopCore
    private let plan: ConnectPlan
    private let recorder: LoopRecorder
    private var link: Link?
    /// Whether the present connection has brought anything to read.
    private var hasRead = false
    private var resumable: TLSSession?
    private var timer: LoopTimer?
    private var armed: Instant?
    /// When the attempt begins that the session wants and the pace holds back.
    private var dialAt: Instant?
    /// Called when the session could write a batch and has none; nil in a closed loop, where nothing has to be waited for.
    var onWaiting: (() -> Void)?
    /// What each notification costs beside being sent.
    var extraWork = ExtraWork(each: .zero)

    init(session: any SenderSession, core: LoopCore, plan: ConnectPlan, recorder: LoopRecorder) {
        self.session = session
        self.core = core
        self.plan = plan
        self.recorder = recorder
    }

    /// Whether nothing of the slot is awaited any more.
    var isFinished: Bool { session.isFinished && past.isEmpty }

    /// How many notifications are written and not settled.
    var unsettledCount: UInt64 { past.reduce(session.unsettledCount) { $0 + $1.session.unsettledCount } }

    /// Begins the session.
    func start() {
        makeTimer()
        session.start(now: core.now)
        settle()
    }

    private func makeTimer() {
        timer = core.makeTimer { [weak self] core in
            guard let self else { return }
            armed = nil
            if let dialAt, core.now >= dialAt { dial() }
            session.timerFired(now: core.now)
            settle()
        }
    }

    /// A batch is due, or the supply has come to its end.
    func wake() {
        link?.requestFill()
        arm()
    }

    /// The gateway accepts, so a late proof is no missing one.
    func gatewayMoved() {
        session.gatewayMoved(now: core.now)
        arm()
    }

    /// Gives up what is not settled.
    func abandon() {
        for link in past { link.abandon() }
        session.abandon(now: core.now)
        settle()
    }

    // MARK: - Succession

    /// Lets another session go on with the slot, and the present one wait for its last answers.
    private func handOver(to successor: any SenderSession) {
        keepSession()
        let last = ProviderLink(session: session, core: core, plan: plan, recorder: recorder)
        (last.link, last.hasRead, last.extraWork) = (link, hasRead, extraWork)
        last.follower = self
        last.makeTimer()
        link?.handOver(to: last)
        past.append(last)
        (session, link) = (successor, nil)
        last.settle()
        session.start(now: core.now)
        settle()
    }

    /// Something happened to a session before the present one.
    private func hear(of link: ProviderLink) {
        if link.session.isFinished {
            link.timer?.cancel()
            past.removeAll { $0 === link }
        }
        session.lookAgain(now: core.now)
        settle()
    }

    // MARK: - LinkHandler

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        guard link === self.link else { return }
        if let wanted = plan.applicationProtocol, facts.tls.applicationProtocol != wanted {
            recorder.recordOtherProtocol(facts.tls.applicationProtocol, wanted: wanted)
            drop(.abrupt)
            session.connectionEnded(.handshakeFailed, now: now)
            return settle()
        }
        self.facts = facts.tls
        var connection = ConnectionFacts(
            tcp: facts.tcpTime, tls: facts.tlsTime, isResumed: facts.tls.isResumed, roundTrip: facts.roundTrip)
        connection.processorTime = facts.handshakeProcessorTime
        connection.port = facts.localPort
        session.connectionOpened(connection, now: now)
        settle()
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        guard link === self.link else { return }
        hasRead = true
        if link.hasWriteFailed { session.writeFailed() }
        session.receive(bytes, now: now)
        settle()
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        guard link === self.link else { return 0 }
        let count = session.fill(into: buffer, now: now)
        settle()
        return count
    }

    func link(_ link: Link, flushedAt now: Instant) {
        guard link === self.link else { return }
        let before = recorder.ledger.written
        session.flushed(sentAt: link.batchSentAt, now: now)
        settle()
        extraWork.spend(on: recorder.ledger.written - before)
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        guard link === self.link else { return }
        keepSession()
        self.link = nil
        // With TLS 1.3 the server judges our certificate when the handshake is over for us (RFC 8446 section 4.4.2.4).
        let isRefused = session.isConnected && !hasRead && end.isCertificateAlert
        if !session.isConnected || isRefused { recorder.recordFailedAttempt(end) }
        session.connectionEnded(isRefused ? .handshakeFailed : ConnectionEnd(end), now: now)
        settle()
    }

    // MARK: - Actions

    private func settle() {
        session.takeEvents { recorder.record($0) }
        session.takeSamples { recorder.record($0, answeredAt: $1) }
        if let successor = session.takeSuccessor() { return handOver(to: successor) }
        switch session.takeAction() {
        case nil: break
        case .connect: connect()
        case .replace:
            drop(.abrupt)
            connect()
        case .drop: drop(.abrupt)
        case .finish: drop(.graceful(drain: .milliseconds(200)))
        case .fill: link?.requestFill()
        }
        arm()
        if let onWaiting, session.isWaiting { onWaiting() }
        follower?.hear(of: self)
    }

    private func connect() {
        let start = plan.attempts.reserve(now: core.now)
        if start > core.now { dialAt = start } else { dial() }
    }

    private func dial() {
        dialAt = nil
        hasRead = false
        link = core.connect(
            to: plan.address, context: plan.context, serverName: plan.serverName,
            resuming: plan.resumes ? resumable : nil, options: plan.options, handler: self)
        resumable = nil
    }

    private func drop(_ closing: LinkClosing) {
        keepSession()
        dialAt = nil
        let last = link
        link = nil
        last?.close(closing)
    }

    private func keepSession() {
        if plan.resumes, let session = link?.takeSession() { resumable = session }
    }

    private func arm() {
        // Called for every batch, so without an array.
        let own = session.deadline
        let deadline = if let own, let dialAt { min(own, dialAt) } else { own ?? dialAt }
        guard deadline != armed else { return }
        armed = deadline
        timer?.set(to: deadline)
    }
}

extension ConnectionEnd {
    /// What a link's end means for a session.
    init(_ end: LinkEnd) {
        switch end {
        case .closedByPeer, .truncated: self = .closedByPeer
        case .readFailed(ETIMEDOUT), .writeFailed(ETIMEDOUT): self = .timedOut
        case .reset, .readFailed, .writeFailed, .tlsFailed: self = .reset
        case .connectFailed(.timedOut): self = .timedOut
        case .connectFailed: self = .refused
        case .handshakeFailed, .handshakeInterrupted: self = .handshakeFailed
        case .handshakeTimedOut: self = .timedOut
        case .localLimit: self = .localLimit
        case .closedLocally: self = .closedHere
        }
    }
}
