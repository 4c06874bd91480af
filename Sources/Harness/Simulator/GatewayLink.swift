import GatewaySimulator
import Primitives
import SecureChannel
import Transport

/// Drives one gateway session, of whatever interface, over an accepted TLS connection.
final class GatewayLink: LinkHandler {
    private let loop: GatewayLoop
    private let interface: GatewayInterface
    private var session: (any GatewayMachine)?
    /// Whether the session wants nothing read until it says so.
    private var isHeld = false
    private var pausedUntil: Instant?
    /// How to close once the reply that was just filled is in the kernel's hands.
    private var closingBehindReply: CloseMode?
    private var isFilling = false
    private var trace: Int?
    private var hasAccepted = false
    private var life: ConnectionLife?
    private var link: Link?
    /// Its place among the loop's open connections, which the registry keeps.
    var registryIndex: Int?

    /// Makes the driver; the session begins with the connection, so that failed handshakes count for nothing.
    init(loop: GatewayLoop, interface: GatewayInterface) {
        self.loop = loop
        self.interface = interface
    }

    /// Ends the connection from outside.
    func close(_ closing: LinkClosing) {
        guard let link else { return }
        noteEnd(now: link.core.now)
        link.close(closing)
    }

    /// How long a closing connection is read on, so that a reset does not destroy the reply on its way.
    static let lingerTime = Interval.seconds(1)

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        trace = loop.traces.open(facts, at: now)
        session = loop.makeSession(interface, certificate: facts.tls.providerCertificate, now: now)
        self.link = link
        // A certificate of the other environment gets through the handshake, and then the connection is closed without a
        // word (`protocol.md` section 1.11).
        guard session != nil else {
            noteEnd(now: now)
            return link.close(.graceful(drain: Self.lingerTime))
        }
        life = loop.registry.add(self, on: link, now: now)
        settle(link)
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        life?.received(at: now)
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
        isFilling = count > 0
        settle(link)
        isFilling = false
        return count
    }

    func link(_ link: Link, flushedAt now: Instant) {
        guard let mode = closingBehindReply else { return }
        closingBehindReply = nil
        link.close(mode)
    }

    func link(_ link: Link, timerFiredAt now: Instant) {
        if let until = pausedUntil, now >= until { resumeReading(link) }
        if let fate = life?.fate(at: now) { return meet(fate, on: link) }
        session?.timerFired(now: now)
        settle(link)
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        self.link = nil
        loop.registry.remove(self)
        if case .handshakeFailed(let failure) = end { loop.handshakeFailed(failure) }
        session?.connectionEnded()
        if end == .closedLocally { noteEnd(now: now) }
    }

    /// Without a reply, the end of the connection is what the provider is told.
    private func noteEnd(now: Instant) {
        if !loop.traces.hasEnd(trace) { loop.traces.endSent(trace, at: now) }
    }

    private func meet(_ fate: ConnectionLife.Fate, on link: Link) {
        life = nil
        loop.registry.note(fate)
        switch fate {
        case .close(let closing):
            noteEnd(now: link.core.now)
            link.close(closing)
        case .swallow: link.swallow()
        }
    }

    private func settle(_ link: Link) {
        loop.work()
        while let action = session?.takeAction() {  // bounded: a session asks for each thing once
            switch action {
            case .fill: link.requestFill()
            case .pause(let until):
                pausedUntil = max(until, pausedUntil ?? until)
                link.pauseReading()
            case .hold:
                isHeld = true
                link.pauseReading()
            case .resume:
                isHeld = false
                if pausedUntil == nil { link.resumeReading() }
            case .swallow: link.swallow()
            case .close(let mode):
                noteEnd(now: link.core.now)
                if mode == .halfClose || mode == .never { resumeReading(link) }
                // A reset does not wait for the reply, which is what it is for.
                if isFilling && mode != .reset { closingBehindReply = mode } else { link.close(mode) }
            }
        }
        armDeadline(link)
    }

    private func resumeReading(_ link: Link) {
        guard pausedUntil != nil else { return }
        pausedUntil = nil
        if !isHeld { link.resumeReading() }
    }

    private func armDeadline(_ link: Link) {
        var earliest = session?.deadline ?? .distantFuture
        if let until = pausedUntil { earliest = min(earliest, until) }
        if let due = life?.deadline { earliest = min(earliest, due) }
        if earliest < .distantFuture { link.setDeadline(earliest) }
    }
}
