internal import Glibc
internal import Synchronization

/// A thread that may block: for measurements, and for what must not disturb the event loops.
final class BlockingThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: pthread_t
    private let isJoined = Atomic(false)

    /// Starts a thread that runs `body`.
    ///
    /// - Throws: ``TransportError/system(_:)`` when the system gives no thread.
    init(_ body: @escaping @Sendable () -> Void) throws(TransportError) {
        // The thread takes over the one reference.
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, argument)
        guard status == 0 else {
            Unmanaged<Body>.fromOpaque(argument).release()
            throw .system(SystemFailure(operation: "making a thread", code: status))
        }
        self.thread = thread
    }

    /// Waits for the thread's end; the second time at once.
    func join() {
        if !isJoined.exchange(true, ordering: .acquiringAndReleasing) { pthread_join(thread, nil) }
    }
}
