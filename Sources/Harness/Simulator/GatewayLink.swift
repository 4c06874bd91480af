import GatewaySimulator
import Primitives
import SecureChannel
import Transport

/// Drives one gateway session over an accepted TLS connection.
final class GatewayLink: LinkHandler {
    private let loop: GatewayLoop
    private var session: GatewaySession?
    private var pausedUntil: Instant?
    private var trace: Int?
    private var hasAccepted = false

    /// Makes the driver; the session begins with the connection, so that failed handshakes count for nothing.
    init(loop: GatewayLoop) { self.loop = loop }

    /// How long a closing connection is read on, so that a reset does not destroy the reply on its way.
    static let lingerTime = Interval.seconds(1)

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        trace = loop.traces.open(facts, at: now)
        session = loop.makeSession(certificate: facts.tls.providerCertificate, now: now)
        // A certificate of the other environment gets through the handshake, and then the connection is closed without a
        // word (`protocol.md` section 1.11).
        if session == nil {
            noteEnd(now: now)
            link.close(.graceful(drain: Self.lingerTime))
        }
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        session?.receive(bytes, now: now)
        if !hasAccepted, let first = session?.firstAcceptedAt {
            hasAccepted = true
            loop.traces.firstAccepted(trace, at: first)
        }
        settle(link)
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        let count = session?.fill(into: buffer, now: now) ?? 0
        if count > 0 { loop.traces.endSent(trace, at: now) }
        settle(link)
        return count
    }

    func link(_ link: Link, timerFiredAt now: Instant) {
        if let until = pausedUntil, now >= until {
            pausedUntil = nil
            link.resumeReading()
        }
        session?.timerFired(now: now)
        settle(link)
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        if case .handshakeFailed(let failure) = end { loop.handshakeFailed(failure) }
        session?.connectionEnded()
        if end == .closedLocally { noteEnd(now: now) }
    }

    /// Without a reply, the end of the connection is what the provider is told.
    private func noteEnd(now: Instant) {
        if !loop.traces.hasEnd(trace) { loop.traces.endSent(trace, at: now) }
    }

    private func settle(_ link: Link) {
        let action = session?.takeAction()
        if case .close = action { noteEnd(now: link.core.now) }
        switch action {
        case nil: break
        case .fill: link.requestFill()
        case .pause(let until):
            pausedUntil = until
            link.pauseReading()
        case .close(.graceful): link.close(.graceful(drain: Self.lingerTime))
        case .close(.abrupt): link.close(.abrupt)
        case .close(.reset): link.close(.reset)
        }
        let deadline = session?.deadline
        if let until = pausedUntil {
            link.setDeadline(deadline.map { min($0, until) } ?? until)
        } else if let deadline {
            link.setDeadline(deadline)
        }
    }
}
