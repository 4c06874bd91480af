internal import CShims
internal import Glibc
internal import Primitives

/// One epoll descriptor: which sockets of a loop are ready.
struct Selector: ~Copyable {
    /// What a socket is watched for, and what it is ready for.
    struct Readiness: OptionSet {
        let rawValue: UInt32
        static let readable = Readiness(rawValue: EPOLLIN.rawValue)
        static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
        /// The peer ended its direction, or the connection is broken.
        static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
        /// An error or a complete shutdown; reported without asking.
        static let broken = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    /// The most events that one wait returns.
    static let eventCapacity = 256

    let descriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    /// Takes over an epoll descriptor.
    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        events = .allocate(capacity: Self.eventCapacity)
        events.initialize(repeating: epoll_event(), count: Self.eventCapacity)
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    /// Starts to watch a descriptor; its events carry the token.
    func add(_ socket: Int32, _ readiness: Readiness, token: UInt64) -> Bool {
        shim_epoll_control(descriptor, EPOLL_CTL_ADD, socket, readiness.rawValue, token) == 0
    }

    /// Changes what a descriptor is watched for.
    func change(_ socket: Int32, _ readiness: Readiness, token: UInt64) {
        _ = shim_epoll_control(descriptor, EPOLL_CTL_MOD, socket, readiness.rawValue, token)
    }

    /// Watches a descriptor no longer.
    func remove(_ socket: Int32) { _ = shim_epoll_control(descriptor, EPOLL_CTL_DEL, socket, 0, 0) }

    /// Waits for at most `interval` and returns how many events there are (0 also after a signal).
    func wait(atMost interval: Interval) -> Int {
        let count = shim_epoll_wait(
            descriptor, events, Int32(Self.eventCapacity), max(0, interval.nanoseconds))
        return max(0, Int(count))
    }

    /// One event of the last wait.
    func event(_ index: Int) -> (token: UInt64, readiness: Readiness) {
        let event = events[index]
        return (event.data.u64, Readiness(rawValue: event.events))
    }
}
