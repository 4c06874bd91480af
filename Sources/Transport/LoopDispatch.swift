internal import Dispatch

/// All that the project does with Dispatch: one serial queue and one read source for a loop.
///
/// The handlers are made here, from nonisolated code and marked `@Sendable`: on Linux a handler that is written in
/// main-actor code compiles and traps at its first event.
enum LoopDispatch {
    /// Starts to run the loop that `make` makes on a queue of its own, until it ends itself.
    static func start(label: String, making make: @Sendable () -> LoopCore, ended: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: label, qos: .userInitiated)
        let confined = Confined(to: queue, making: make)
        queue.async { @Sendable in confined.withValue { watch($0, confined, queue, ended) } }
    }

    /// Runs the loop whenever its epoll descriptor is readable; called on the queue.
    private static func watch(
        _ core: LoopCore, _ confined: Confined<LoopCore>, _ queue: DispatchQueue,
        _ ended: @escaping @Sendable () -> Void
    ) {
        let source = DispatchSource.makeReadSource(fileDescriptor: core.descriptor, queue: queue)
        source.setEventHandler { @Sendable in confined.withValue { $0.run() } }
        source.setCancelHandler { @Sendable in
            confined.tearDown()
            ended()
        }
        core.stop = { source.cancel() }
        source.resume()
    }
}
