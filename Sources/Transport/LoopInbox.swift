internal import Glibc
internal import CShims
internal import Synchronization

/// The one door into a loop from other threads: a bounded-by-use list of bodies and the descriptor that wakes the loop.
final class LoopInbox: Sendable {
    typealias Body = @Sendable (LoopCore) -> Void

    private struct State {
        var bodies: [Body] = []
        var isClosed = false
    }

    /// An eventfd, readable while bodies wait.
    let descriptor: Int32
    private let state = Mutex(State())

    init() throws(TransportError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        if descriptor < 0 { throw .system(.last("making an event descriptor")) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Adds a body and wakes the loop; false when the loop takes no more.
    func push(_ body: @escaping Body) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.bodies.append(body)
            return (true, state.bodies.count == 1)
        }
        if isFirst { wake() }
        return isTaken
    }

    /// Makes the descriptor readable.
    func wake() { eventfd_write(descriptor, 1) }

    /// Takes all waiting bodies, and none in future when `closing`.
    func takeAll(closing: Bool = false) -> [Body] {
        var count: UInt64 = 0
        eventfd_read(descriptor, &count)
        return state.withLock { state in
            if closing { state.isClosed = true }
            defer { state.bodies = [] }
            return state.bodies
        }
    }
}
