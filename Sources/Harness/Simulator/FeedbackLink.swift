import GatewaySimulator
import Primitives
import SecureChannel
import Transport

/// Drives one feedback session over an accepted TLS connection.
final class FeedbackLink: LinkHandler {
    let session: FeedbackSession
    /// The apps whose list the client gets.
    private(set) var scope = TopicScope.appUnderLoad
    private let desk: FeedbackDesk
    /// Nil before the opening and after the end.
    private var link: Link?

    init(session: FeedbackSession, desk: FeedbackDesk) {
        self.session = session
        self.desk = desk
    }

    /// The list is there.
    func begin(with list: FeedbackList, now: Instant) {
        session.begin(with: list, now: now)
        settle()
    }

    // MARK: - LinkHandler

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        self.link = link
        scope = desk.scope(of: facts.tls.providerCertificate)
        desk.request(self, now: now)
    }

    /// A feedback client has nothing to say.
    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {}

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        session.fill(into: buffer, now: now)
    }

    func link(_ link: Link, flushedAt now: Instant) {
        session.flushed(now: now)
        settle()
    }

    func link(_ link: Link, timerFiredAt now: Instant) {
        session.timerFired(now: now)
        settle()
    }

    /// Clients that have nothing to say may say so first, and still want the list.
    func linkPeerFinished(_ link: Link, cleanly: Bool, now: Instant) -> PeerFinish { .keepSending }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        self.link = nil
        session.connectionEnded()
        desk.linkIsDone(self)
    }

    private func settle() {
        guard let link else { return }
        // Ends after one check at most, since its answer is a close or a later time.
        while let action = session.takeAction() {
            switch action {
            case .fill: link.requestFill()
            case .checkAcknowledgement:
                let isAcknowledged = link.unsentByteCount == 0 && link.unacknowledgedByteCount == 0
                session.acknowledged(isAcknowledged, now: link.core.now)
            case .close(let mode): return close(link, mode)
            }
        }
        link.setDeadline(session.deadline)
    }

    /// The list is settled before the connection has lingered, since its client may come back at once.
    private func close(_ link: Link, _ mode: GatewaySimulator.GatewaySettings.CloseMode) {
        desk.linkIsDone(self)
        switch mode {
        case .graceful: link.close(.graceful(drain: GatewayLink.lingerTime))
        case .abrupt: link.close(.abrupt)
        case .reset: link.close(.reset)
        }
    }
}
