public import Primitives
internal import SecureChannel
internal import Synchronization

/// How fast this machine makes TLS connections, both ends on it, one loop each.
public struct HandshakeRate: Equatable, Sendable {
    /// Connections with a full handshake.
    public var fullCount = 0
    /// Connections that resumed a session, as the library tells it.
    public var resumedCount = 0
    /// Connections that failed.
    public var failedCount = 0
    /// From the first connect to the last end.
    public var duration = Interval.zero
    /// The client loop's processor time, all of the connection included.
    public var clientProcessorTime = Interval.zero
    /// The server loop's processor time, all of the connection included.
    public var serverProcessorTime = Interval.zero

    /// Connections made per second.
    public var perSecond: Double {
        duration > .zero ? Double(fullCount + resumedCount) / duration.seconds : 0
    }
}

/// Measures handshakes: connect, shake hands, one byte each way, close.
public enum HandshakeProbe {
    /// Makes `connectionCount` connections, `inFlight` at a time, with full or resumed TLS 1.3 handshakes.
    ///
    /// When resuming, the first connection of each of the `inFlight` lanes is full and gives the ticket for the next.
    ///
    /// - Throws: ``TransportError`` when loops or the listener cannot be made.
    public static func measure(
        connectionCount: Int, inFlight: Int = 8, resuming: Bool
    ) async throws(TransportError) -> HandshakeRate {
        precondition(connectionCount > 0 && inFlight > 0, "nothing to measure")
        let contexts = try ProbeContexts(tickets: resuming ? .everyHandshake(count: 1) : .none)
        let clients = try EventLoop(label: "pushbench.probe.client")
        let servers = try EventLoop(label: "pushbench.probe.server")
        let listener = try Listener(context: contexts.server, loops: [servers]) { _ in Echo() }
        let address = listener.address
        let context = contexts.client
        let serverBefore = try await servers.run { $0.processorTime }
        var rate: HandshakeRate = await withCheckedContinuation { waiter in
            clients.enqueue { core in
                let run = ProbeRun(
                    core: core, address: address, context: context, remaining: connectionCount, waiter: waiter)
                for _ in 0..<min(inFlight, connectionCount) { ProbeLane(run: run, resuming: resuming).next() }
            }
        }
        rate.serverProcessorTime = try await servers.run { $0.processorTime } - serverBefore
        await clients.shutDownAndWait()
        await servers.shutDownAndWait()
        return rate
    }
}

/// The client side of a probe; confined to its loop.
private final class ProbeRun {
    let core: LoopCore
    let address: SocketAddress
    let context: TLSContext
    var remaining: Int
    var active = 0
    var rate = HandshakeRate()
    private let start: Instant
    private let cpu: Interval
    private let waiter: CheckedContinuation<HandshakeRate, Never>

    init(
        core: LoopCore, address: SocketAddress, context: TLSContext, remaining: Int,
        waiter: CheckedContinuation<HandshakeRate, Never>
    ) {
        self.core = core
        self.address = address
        self.context = context
        self.remaining = remaining
        self.waiter = waiter
        start = core.refreshNow()
        cpu = core.processorTime
    }

    func finish() {
        rate.duration = core.refreshNow() - start
        rate.clientProcessorTime = core.processorTime - cpu
        waiter.resume(returning: rate)
    }
}

/// One connection after the other, each with the session of the one before.
private final class ProbeLane: LinkHandler {
    private let run: ProbeRun
    private let resuming: Bool
    private var session: TLSSession?
    private var owed = 0

    init(run: ProbeRun, resuming: Bool) {
        self.run = run
        self.resuming = resuming
    }

    func next() {
        guard run.remaining > 0 else { return }
        run.remaining -= 1
        run.active += 1
        _ = run.core.connect(
            to: run.address, context: run.context, serverName: "localhost", resuming: session, handler: self)
    }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        if facts.tls.isResumed { run.rate.resumedCount += 1 } else { run.rate.fullCount += 1 }
        owed = 1
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        if resuming { session = link.takeSession() }
        // A reset leaves no port waiting, of which there are only some 28,000.
        link.close(.reset)
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        defer { owed = 0 }
        return owed
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        if end != .closedLocally { run.rate.failedCount += 1 }
        run.active -= 1
        next()
        if run.active == 0 { run.finish() }
    }
}

/// Answers each piece of input with one byte.
private final class Echo: LinkHandler {
    private var owed = 0

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {}

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {
        owed = 1
        link.requestFill()
    }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        defer { owed = 0 }
        return owed
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {}
}
