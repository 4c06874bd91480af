import GatewaySimulator
import Primitives
import Transport

/// Drives one gateway session over an accepted TLS connection.
final class GatewayLink: LinkHandler {
    private let makeSession: (Instant) -> GatewaySession
    private var session: GatewaySession?
    private var pausedUntil: Instant?

    /// Makes the driver; the session begins with the connection, so that failed handshakes count for nothing.
    init(makeSession: @escaping (Instant) -> GatewaySession) { self.makeSession = makeSession }

    /// How long a closing connection is read on, so that a reset does not destroy the reply on its way.
    static let lingerTime = Interval.seconds(1)
    /// How long a half-closed connection waits for the provider's end.
    private static let halfCloseTime = Interval.seconds(3_600)

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) { session = makeSession(now) }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        session?.receive(bytes, now: now)
        settle(link)
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        let count = session?.fill(into: buffer, now: now) ?? 0
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

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) { session?.connectionEnded() }

    private func settle(_ link: Link) {
        while let action = session?.takeAction() {  // bounded: a session asks for a pause, and for fill or a close
            switch action {
            case .fill: link.requestFill()
            case .pause(let until):
                pausedUntil = max(until, pausedUntil ?? until)
                link.pauseReading()
            case .close(let mode): Self.closing(mode).map(link.close)
            }
        }
        let deadline = session?.deadline
        let pauseEnd = pausedUntil.flatMap { $0 < .distantFuture ? $0 : nil }
        if let pauseEnd {
            link.setDeadline(deadline.map { min($0, pauseEnd) } ?? pauseEnd)
        } else if let deadline {
            link.setDeadline(deadline)
        }
    }

    /// How the link is closed; nil when it stays.
    private static func closing(_ mode: CloseMode) -> LinkClosing? {
        switch mode {
        case .graceful: .graceful(drain: lingerTime)
        case .fin: .graceful(drain: .zero)
        case .abrupt: .abrupt
        case .reset: .reset
        case .halfClose: .graceful(drain: halfCloseTime)
        case .never: nil
        }
    }
}
