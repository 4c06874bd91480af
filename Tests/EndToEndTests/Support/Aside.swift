import Foundation

/// Waits for what blocks, such as another process, on a thread of its own: all tests share the few threads of Swift's pool.
func aside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
