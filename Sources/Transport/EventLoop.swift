internal import Glibc
internal import Synchronization

/// A thread of work of its own: sockets, timers and handlers that run on one serial queue and share nothing.
///
/// All connections are in one epoll descriptor behind one Dispatch source; while there is traffic the handler stays and
/// waits in the kernel itself, which costs a fraction of a Dispatch event each.
public final class EventLoop: Sendable {
    /// The name of the loop's queue.
    public let label: String
    let inbox: LoopInbox
    private let end = Mutex(EndState())

    private struct EndState {
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Makes a loop and starts it. Also ignores SIGPIPE for the whole process.
    ///
    /// - Throws: ``TransportError/system(_:)`` when descriptors are short.
    public init(label: String = "pushbench.loop") throws(TransportError) {
        _ = Self.ignoreBrokenPipes
        self.label = label
        let inbox = try LoopInbox()
        self.inbox = inbox
        let descriptors = try LoopDescriptors()
        LoopDispatch.start(
            label: label, making: { LoopCore(descriptors: descriptors, inbox: inbox) },
            ended: { [weak self] in self?.markEnded() })
    }

    deinit { shutdown() }

    /// Runs `body` on the loop, in the order of calls; false when the loop is shut down and it will never run.
    @discardableResult
    public func enqueue(_ body: @escaping @Sendable (LoopCore) -> Void) -> Bool { inbox.push(body) }

    /// Runs `body` on the loop and returns its result; for the control plane.
    ///
    /// - Throws: ``TransportError/loopShutDown``.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (LoopCore) -> Result
    ) async throws(TransportError) -> Result {
        let result: Result? = await withCheckedContinuation { continuation in
            if !enqueue({ continuation.resume(returning: body($0)) }) { continuation.resume(returning: nil) }
        }
        guard let result else { throw .loopShutDown }
        return result
    }

    /// Ends the loop soon: every link is closed abruptly and its handler told, then the descriptors are given back.
    public func shutdown() { enqueue { $0.end() } }

    /// Ends the loop and returns when nothing of it is left.
    public func shutDownAndWait() async {
        shutdown()
        await withCheckedContinuation { continuation in
            let hasEnded = end.withLock { end in
                if !end.hasEnded { end.waiters.append(continuation) }
                return end.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func markEnded() {
        let waiters = end.withLock { end in
            end.hasEnded = true
            defer { end.waiters = [] }
            return end.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Once per process: a peer that went away must be an error of the write, not the end of the process.
    private static let ignoreBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()
}
