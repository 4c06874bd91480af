internal import Dispatch

/// An object that belongs to one serial queue: the one place where confinement is promised and not proved.
///
/// The object is reached only on the queue, which is checked in release too, and is let go on it.
final class Confined<Value: AnyObject>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var value: Value?

    /// Makes the object on the queue.
    init(to queue: DispatchQueue, making make: @Sendable () -> Value) {
        self.queue = queue
        queue.sync { value = make() }
    }

    /// Calls `body` with the object.
    ///
    /// - Precondition: the caller runs on the queue, and the object was not let go.
    func withValue<Result>(_ body: (Value) -> Result) -> Result {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let value else { preconditionFailure("a confined object was used after its end") }
        return body(value)
    }

    /// Lets the object go, on its queue.
    func tearDown() {
        dispatchPrecondition(condition: .onQueue(queue))
        value = nil
    }
}
