import Primitives
import SecureChannel
import Transport

/// A handler whose behaviour is a test's closures, and whose end can be waited for.
final class ScriptedHandler: LinkHandler {
    struct Ended: Sendable {
        let end: LinkEnd
        let counters: LinkCounters
        let received: [UInt8]
    }

    var onOpen: (Link, LinkFacts) -> Void = { _, _ in }
    var onReceive: ((Link, UnsafeRawBufferPointer) -> Void)?
    var onFill: (Link, UnsafeMutableRawBufferPointer) -> Int = { _, _ in 0 }
    var onFlush: (Link) -> Void = { _ in }
    var onTimer: (Link) -> Void = { _ in }
    var onPeerFinish: (Link, Bool) -> PeerFinish = { _, _ in .end }
    var onEnd: (Link, LinkEnd) -> Void = { _, _ in }
    /// What came, unless `onReceive` takes it.
    var received: [UInt8] = []
    let opened: Signal<LinkFacts>
    let ended: Signal<Ended>
    private var endCount = 0

    init(opened: Signal<LinkFacts> = Signal(), ended: Signal<Ended> = Signal()) {
        self.opened = opened
        self.ended = ended
    }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        onOpen(link, facts)
        opened.give(facts)
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        precondition(!bytes.isEmpty && endCount == 0)
        if let onReceive { onReceive(link, bytes) } else { received.append(contentsOf: bytes) }
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        precondition(endCount == 0)
        return onFill(link, buffer)
    }

    func link(_ link: Link, flushedAt now: Instant) { onFlush(link) }
    func link(_ link: Link, timerFiredAt now: Instant) { onTimer(link) }

    func linkPeerFinished(_ link: Link, cleanly: Bool, now: Instant) -> PeerFinish { onPeerFinish(link, cleanly) }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        endCount += 1
        precondition(endCount == 1, "a link ended twice")
        onEnd(link, end)
        forgetScript()
        ended.give(Ended(end: end, counters: link.counters, received: received))
    }

    /// A script often holds its own handler, which must not outlive the link.
    private func forgetScript() {
        onOpen = { _, _ in }
        onReceive = nil
        onFill = { _, _ in 0 }
        onFlush = { _ in }
        onTimer = { _ in }
        onPeerFinish = { _, _ in .end }
        onEnd = { _, _ in }
    }

    /// Sends these bytes, and then nothing.
    func sends(_ bytes: [UInt8], then: @escaping (Link) -> Void = { _ in }) {
        var sent = 0
        onFill = { link, buffer in
            let count = min(buffer.count, bytes.count - sent)
            guard count > 0 else { return 0 }
            bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
            sent += count
            if sent == bytes.count { then(link) }
            return count
        }
    }
}
