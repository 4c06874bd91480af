internal import Primitives
internal import SecureChannel
internal import Synchronization

/// What links and loops reach without any protocol: full batches on one loop, a discarding receiver on another.
///
/// Set beside ``RawTLSPipe`` it shows what the transport itself costs or saves.
public enum LinkPump {
    /// Measures over `connectionCount` loopback connections.
    ///
    /// - Throws: ``TransportError`` when loops or the listener cannot be made.
    public static func measure(connectionCount: Int, bound: PipeBound) async throws(TransportError) -> PipeRate {
        precondition(connectionCount > 0, "a pump needs a connection")
        let contexts = try ProbeContexts()
        let senders = try EventLoop(label: "pushbench.pump.send")
        let receivers = try EventLoop(label: "pushbench.pump.receive")
        let run = PumpRun(connectionCount: connectionCount, bound: bound)
        let listener = try Listener(context: contexts.server, loops: [receivers]) { PumpReceiver(run: run, core: $0) }
        let address = listener.address
        let client = contexts.client
        senders.enqueue { core in
            for _ in 0..<connectionCount {
                let sender = PumpSender(run: run, core: core)
                _ = core.connect(to: address, context: client, serverName: "localhost", handler: sender)
            }
        }
        let rate = await run.rate()
        await senders.shutDownAndWait()
        await receivers.shutDownAndWait()
        return rate
    }
}

/// What both loops of a pump share: written at the start and end of a link, never for a batch.
private final class PumpRun: Sendable {
    private struct State {
        var unopened: Int
        var openLinks: Int
        var byteCount = 0
        var start: Instant?
        var end = Instant.zero
        var senderStart = Interval.zero
        var receiverStart = Interval.zero
        var sender = Interval.zero
        var receiver = Interval.zero
        var waiter: CheckedContinuation<PipeRate, Never>?
    }

    let bound: PipeBound
    private let state: Mutex<State>
    private let connectionCount: Int

    init(connectionCount: Int, bound: PipeBound) {
        self.bound = bound
        self.connectionCount = connectionCount
        state = Mutex(State(unopened: 2 * connectionCount, openLinks: 2 * connectionCount))
    }

    func rate() async -> PipeRate {
        await withCheckedContinuation { waiter in state.withLock { $0.waiter = waiter } }
    }

    /// One end of one link is open.
    func opened(isSender: Bool, processorTime: Interval, now: Instant) {
        state.withLock { state in
            state.unopened -= 1
            if isSender { state.senderStart = processorTime } else { state.receiverStart = processorTime }
            state.start = now
        }
    }

    /// One end of one link is over.
    func ended(isSender: Bool, byteCount: Int, processorTime: Interval, now: Instant) {
        let finished = state.withLock { state in
            state.openLinks -= 1
            state.byteCount += byteCount
            if isSender {
                state.sender = processorTime - state.senderStart
            } else {
                state.receiver = processorTime - state.receiverStart
                state.end = now
            }
            return state.openLinks == 0 ? (state.waiter.take(), Self.rate(of: state)) : (nil, nil)
        }
        if let waiter = finished.0, let rate = finished.1 { waiter.resume(returning: rate) }
    }

    private static func rate(of state: State) -> PipeRate {
        PipeRate(
            byteCount: state.byteCount, duration: state.end - (state.start ?? state.end),
            senderProcessorTime: state.sender, receiverProcessorTime: state.receiver)
    }
}

private final class PumpSender: LinkHandler {
    private let run: PumpRun
    private let core: LoopCore
    private var left: Int
    private var stopAt = Instant.distantFuture

    init(run: PumpRun, core: LoopCore) {
        self.run = run
        self.core = core
        left = run.bound.bytesPerConnection
    }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        stopAt = now + run.bound.duration
        run.opened(isSender: true, processorTime: core.processorTime, now: now)
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) {}

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        let count = now < stopAt ? min(left, buffer.count) : 0
        left -= count
        if count == 0 { link.close(.graceful(drain: .seconds(5))) }
        return count
    }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        run.ended(isSender: true, byteCount: 0, processorTime: core.processorTime, now: now)
    }
}

private final class PumpReceiver: LinkHandler {
    private let run: PumpRun
    private let core: LoopCore
    private var byteCount = 0

    init(run: PumpRun, core: LoopCore) {
        self.run = run
        self.core = core
    }

    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant) {
        run.opened(isSender: false, processorTime: core.processorTime, now: now)
    }

    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant) { byteCount += bytes.count }

    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int { 0 }

    func linkEnded(_ link: Link, end: LinkEnd, now: Instant) {
        run.ended(isSender: false, byteCount: byteCount, processorTime: core.processorTime, now: now)
    }
}
