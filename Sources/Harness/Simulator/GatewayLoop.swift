import GatewaySimulator
import Primitives
import SecureChannel
import Transport
import Workload

/// The simulator's share of one event loop: its own book and pace, written without locks.
final class GatewayLoop {
    let ledger: GatewayLedger
    let traces = ConnectionTraces()
    let registry: LinkRegistry
    private let settings: GatewaySimulator.GatewaySettings
    private let topics: [String]
    private let pace: GatewayPace
    private let judge: NotificationJudge

    init(
        settings: GatewaySimulator.GatewaySettings, topics: [String], totals: FaultTotals, firstIdentifier: UInt32,
        trackedCount: UInt64, feedbackLimit: Int, store: NotificationStore?, registry: LinkRegistry,
        journal: NotificationJournal?, samplesAcceptance: Bool
    ) {
        self.registry = registry
        self.settings = settings
        self.topics = topics
        pace = GatewayPace(settings: settings, totals: totals)
        judge = NotificationJudge(settings: settings)
        ledger = GatewayLedger(
            firstIdentifier: firstIdentifier, trackedCount: trackedCount, feedbackLimit: feedbackLimit, store: store,
            journal: journal, samplesAcceptance: samplesAcceptance)
    }

    /// A handler for the next accepted connection.
    func makeLink() -> GatewayLink { GatewayLink(loop: self) }

    /// The session of a connection that stands; nil when its certificate is for the other environment.
    func makeSession(certificate: ProviderCertificate?, now: Instant) -> GatewaySession? {
        pace.totals.connectionOpened(at: now)
        let own: ProviderCertificate.Environments = settings.environment == .sandbox ? .sandbox : .production
        if let certificate, !certificate.environments.contains(own) {
            ledger.refuseCertificate(.otherEnvironment)
            return nil
        }
        return GatewaySession(
            settings: settings, judge: judge, ledger: ledger, pace: pace,
            scope: TopicScope(of: certificate, apps: topics), openedAt: now)
    }

    /// Counts a handshake that failed, if it did for the client's certificate.
    func handshakeFailed(_ failure: TLSFailure) {
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
