import Synchronization
import Testing

/// A value that a loop gives once and a test waits for; a cancelled wait (the time limit) throws.
final class Signal<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var isCancelled = false
        var waiter: CheckedContinuation<Value?, Never>?
    }

    private let state = Mutex(State())

    /// Whether the value is there.
    var isGiven: Bool { state.withLock { $0.value != nil } }

    func give(_ value: Value) {
        let waiter = state.withLock { state in
            guard state.value == nil else { return nil as CheckedContinuation<Value?, Never>? }
            state.value = value
            return state.waiter.take()
        }
        waiter?.resume(returning: value)
    }

    func wait(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Value {
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Value?? = state.withLock { state in
                    if state.value != nil || state.isCancelled { return state.value }
                    state.waiter = continuation
                    return .none
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.isCancelled = true
                return state.waiter.take()
            }
            waiter?.resume(returning: nil)
        }
        return try #require(value, "nothing came in time", sourceLocation: sourceLocation)
    }
}
