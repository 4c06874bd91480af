import GatewaySimulator
import Primitives
import Transport

/// Drives one gateway session over an accepted TLS connection.
final class GatewayLink: LinkHandler {
    private let makeSession: (Instant) -> GatewaySession
    private var session: GatewaySession?
    private var pausedUntil: Instant?
    private let traces: ConnectionTraces
    private var trace: Int?
    private var hasAccepted = false

    /// Makes the driver; the session begins with the connection, so that failed handshakes count for nothing.
    init(traces: ConnectionTraces, makeSession: @escaping (Instant) -> GatewaySession) {
        self.traces = traces
        self.makeSession = makeSession
    }

    /// How long a closing connection is read on, so that a reset does not destroy the reply on its way.
    static let lingerTime = Interval.seconds(1)

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        session = makeSession(now)
        trace = traces.open(facts, at: now)
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        session?.receive(bytes, now: now)
        if !hasAccepted, let first = session?.firstAcceptedAt {
            hasAccepted = true
            traces.firstAccepted(trace, at: first)
        }
        settle(link)
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        let count = session?.fill(into: buffer, now: now) ?? 0
        if count > 0 { traces.endSent(trace, at: now) }
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
        session?.connectionEnded()
        if end == .closedLocally { noteEnd(now: now) }
    }

    /// Without a reply, the end of the connection is what the provider is told.
    private func noteEnd(now: Instant) {
        if !traces.hasEnd(trace) { traces.endSent(trace, at: now) }
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
