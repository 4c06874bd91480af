import GatewaySimulator
import Primitives
import PushWire
import SecureChannel
import Transport
import Workload

/// What is spoken on a listening port of the simulator.
enum GatewayInterface: Sendable {
    /// Commands 0, 1 and 2.
    case binary
    /// The HTTP/2 provider API.
    case http2
}

/// The simulator's share of one event loop: its own book and pace, written without locks.
final class GatewayLoop {
    let ledger: GatewayLedger
    let traces = ConnectionTraces()
    let registry: LinkRegistry
    private let settings: GatewaySimulator.GatewaySettings
    private let topics: [String]
    private let pace: GatewayPace
    private let judge: NotificationJudge
    private let requestJudge: RequestJudge
    private let limiters = TokenLimiters()
    private let extraWork: ExtraWork
    /// How many acceptances have had their extra work.
    private var workedCount: UInt64 = 0

    init(
        settings: GatewaySimulator.GatewaySettings, topics: [String], totals: FaultTotals, firstIdentifier: UInt32,
        trackedCount: UInt64, feedbackLimit: Int, store: NotificationStore?, registry: LinkRegistry,
        journal: NotificationJournal?, samplesAcceptance: Bool, api: ProviderAPI,
        extraWork: ExtraWork
    ) {
        self.extraWork = extraWork
        self.registry = registry
        self.settings = settings
        self.topics = topics
        pace = GatewayPace(settings: settings, totals: totals)
        judge = NotificationJudge(settings: settings)
        ledger = GatewayLedger(
            firstIdentifier: firstIdentifier, trackedCount: trackedCount, feedbackLimit: feedbackLimit, store: store,
            journal: journal, samplesAcceptance: samplesAcceptance)
        let desk = ProviderTokenDesk(
            settings: api.settings, environment: settings.environment, unixOffset: settings.unixOffset,
            verifier: api.verifier, fleet: api.fleet)
        requestJudge = RequestJudge(
            settings: settings, api: api.settings, desk: desk, book: api.channels,
            identifiers: IdentifierSpace(first: firstIdentifier))
    }

    /// A handler for the next accepted connection.
    func makeLink(_ interface: GatewayInterface) -> GatewayLink { GatewayLink(loop: self, interface: interface) }

    /// The session of a connection that stands; nil when its certificate is for the other environment and there is no word for that.
    func makeSession(
        _ interface: GatewayInterface, certificate: ProviderCertificate?, now: Instant
    ) -> (any GatewayMachine)? {
        pace.totals.connectionOpened(at: now)
        let own: ProviderCertificate.Environments = settings.environment == .sandbox ? .sandbox : .production
        let isForeign = certificate.map { !$0.environments.contains(own) } ?? false
        if isForeign { ledger.refuseCertificate(.otherEnvironment) }
        switch interface {
        case .binary:
            guard !isForeign else { return nil }
            return GatewaySession(
                settings: settings, judge: judge, ledger: ledger, pace: pace,
                scope: TopicScope(of: certificate, apps: topics), openedAt: now)
        case .http2:
            return HTTP2GatewaySession(
                judge: requestJudge, ledger: ledger, pace: pace, limiters: limiters,
                connection: ProviderConnection(certificateTopics: certificate?.topics),
                scope: TopicScope(of: certificate, apps: topics),
                refusal: isForeign ? "BadCertificateEnvironment" : nil, openedAt: now)
        }
    }

    /// Does the extra work of what was accepted since the last time.
    func work() {
        guard extraWork.each > .zero else { return }
        let accepted = ledger.counts.accepted
        extraWork.spend(on: accepted - workedCount)
        workedCount = accepted
    }

    /// Counts a handshake that failed, if it did for the client's certificate or protocol.
    func handshakeFailed(_ failure: TLSFailure) {
        if failure == .noApplicationProtocol { ledger.refuseProtocol() }
        switch failure.certificateFault {
        case .missing?: ledger.refuseCertificate(.missing)
        case .expired?: ledger.refuseCertificate(.expired)
        case .notYetValid?: ledger.refuseCertificate(.notYetValid)
        case .unknownAuthority?: ledger.refuseCertificate(.unknownAuthority)
        case .unusable?: ledger.refuseCertificate(.unusable)
        case nil: break
        }
    }
}

extension TopicScope {
    /// The apps that a client's certificate reaches; without one, the app under load.
    init(of certificate: ProviderCertificate?, apps: [String]) {
        if let certificate {
            self.init(certificate: certificate.topics, apps: apps)
        } else {
            self = .appUnderLoad
        }
    }
}
