internal import CShims
internal import Glibc
public import Primitives
public import SecureChannel
internal import Synchronization

/// How a listener is bounded, and how its links are made.
public struct ListenerOptions: Equatable, Sendable {
    /// The options of every accepted link.
    public var link = LinkOptions()
    /// The most connections at a time; one more is accepted and closed at once.
    public var connectionLimit = 10_000
    /// How many connections the kernel may hold for us to accept.
    public var backlog = 1_024
    /// What befalls connections before they are open.
    public var faults = AcceptFaults()

    /// Makes the default options.
    public init() {}
}

/// What a listener has counted.
public struct ListenerCounts: Equatable, Sendable {
    /// Connections accepted and given to a handler.
    public var accepted: Int
    /// Connections closed at once because there were too many.
    public var turnedAway: Int
    /// Connections reset at once by ``AcceptFaults/refusedShare``.
    ///
    /// What the kernel refuses while a listener is paused or its backlog is full is in no count here: nobody is told.
    public var refused: Int
    /// Connections whose handshake goes wrong by an ``AcceptFaults/handshakes`` fault; ``accepted`` has them too.
    public var spoiltHandshakes: Int
    /// Connections that had to wait for an ``AcceptFaults/delay``; ``accepted`` has them too.
    public var delayed: Int
    /// Times that accepting had to pause because descriptors or memory were short.
    public var localLimits: Int
    /// Connections that exist now.
    public var live: Int
    /// Times that the window of a link's ``NetworkPath`` was full, each until it had room again.
    public var pathStops: Int
    /// For how long such windows were full, added over all links.
    public var pathStopTime: Interval
}

/// Accepts TLS connections and spreads them over loops in turn.
public final class Listener: Sendable {
    /// The handlers of accepted links are made on the link's own loop.
    public typealias HandlerFactory = @Sendable (LoopCore) -> any LinkHandler

    /// Where it listens, with the real port.
    public let address: SocketAddress
    private let home: EventLoop
    private let plan: ListenerPlan

    /// Starts to listen; port 0 takes a free one.
    ///
    /// - Throws: ``TransportError/system(_:)`` when the port is taken or descriptors are short.
    public init(
        on address: SocketAddress = .loopback(port: 0), context: TLSContext, loops: [EventLoop],
        options: ListenerOptions = ListenerOptions(), handlerFactory: @escaping HandlerFactory
    ) throws(TransportError) {
        precondition(context.role == .server, "a client's context cannot accept connections")
        guard let home = loops.first else { preconditionFailure("a listener needs a loop") }
        let socket = try ListenSocket(on: address, backlog: options.backlog)
        let plan = ListenerPlan(
            address: socket.address, context: context, loops: loops, options: options, handlerFactory: handlerFactory)
        self.address = socket.address
        self.home = home
        self.plan = plan
        let descriptor = socket.giveAway()
        let isTaken = home.enqueue { core in Acceptor(core: core, plan: plan).listen(on: descriptor) }
        if !isTaken {
            Glibc.close(descriptor)
            throw .loopShutDown
        }
    }

    deinit {
        let plan = plan
        home.enqueue { $0.acceptor(of: plan)?.close() }
    }

    /// When the first connection was accepted; nil before.
    public var firstAcceptedAt: Instant? { plan.tally.firstAcceptedAt }

    /// What was counted so far.
    public var counts: ListenerCounts { plan.tally.counts }

    /// Gives the port up, so that new connections are refused; the links stay.
    public func pause() async {
        let plan = plan
        try? await home.run { $0.acceptor(of: plan)?.pause() }
    }

    /// Listens again on the same port.
    ///
    /// - Throws: ``TransportError`` when the port is taken meanwhile, or the loop or listener is closed.
    public func resume() async throws(TransportError) {
        let plan = plan
        let failure: TransportError? = try await home.run { core in
            guard let acceptor = core.acceptor(of: plan) else { return .loopShutDown }
            return acceptor.resume()
        }
        if let failure { throw failure }
    }

    /// Gives the port up for good; the links stay.
    public func close() async {
        let plan = plan
        try? await home.run { $0.acceptor(of: plan)?.close() }
    }
}

/// What an acceptor needs to know and what is counted; shared by all loops, never changed.
final class ListenerPlan: Sendable {
    let address: SocketAddress
    let context: TLSContext
    let loops: [EventLoop]
    let options: ListenerOptions
    let handlerFactory: Listener.HandlerFactory
    let tally = ListenerTally()

    init(
        address: SocketAddress, context: TLSContext, loops: [EventLoop], options: ListenerOptions,
        handlerFactory: @escaping Listener.HandlerFactory
    ) {
        self.address = address
        self.context = context
        self.loops = loops
        self.options = options
        self.handlerFactory = handlerFactory
    }
}

/// The counts of one listener, written by all its loops.
final class ListenerTally: Sendable {
    private let accepted = Atomic(0)
    private let turnedAway = Atomic(0)
    private let firstAccepted = Atomic<Int64>(.max)
    private let refused = Atomic(0)
    private let spoiltHandshakes = Atomic(0)
    private let delayed = Atomic(0)
    private let localLimits = Atomic(0)
    let paths = PathTally()
    private let live = Atomic(0)

    var liveCount: Int { live.load(ordering: .relaxed) }

    var counts: ListenerCounts {
        ListenerCounts(
            accepted: accepted.load(ordering: .relaxed), turnedAway: turnedAway.load(ordering: .relaxed),
            refused: refused.load(ordering: .relaxed), spoiltHandshakes: spoiltHandshakes.load(ordering: .relaxed),
            delayed: delayed.load(ordering: .relaxed), localLimits: localLimits.load(ordering: .relaxed),
            live: live.load(ordering: .relaxed),
            pathStops: paths.stopCount, pathStopTime: paths.fullTime)
    }

    func linkWasAccepted() {
        accepted.add(1, ordering: .relaxed)
        live.add(1, ordering: .relaxed)
    }

    /// When the first connection was accepted; nil before.
    var firstAcceptedAt: Instant? {
        let instant = Instant(nanoseconds: firstAccepted.load(ordering: .relaxed))
        return instant < .distantFuture ? instant : nil
    }

    /// A connection was accepted; returns when the first one was. Called on the listener's own loop only.
    func connectionCame(at now: Instant) -> Instant {
        if let first = firstAcceptedAt { return first }
        firstAccepted.store(now.nanoseconds, ordering: .relaxed)
        return now
    }

    func linkWasReleased() { live.subtract(1, ordering: .relaxed) }
    func linkWasTurnedAway() { turnedAway.add(1, ordering: .relaxed) }
    func linkWasRefused() { refused.add(1, ordering: .relaxed) }
    func handshakeWasSpoilt() { spoiltHandshakes.add(1, ordering: .relaxed) }
    func linkWasDelayed() { delayed.add(1, ordering: .relaxed) }
    func limitWasHit() { localLimits.add(1, ordering: .relaxed) }
}
