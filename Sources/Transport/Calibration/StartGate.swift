internal import CShims
internal import Glibc
internal import Synchronization

/// Where threads wait until all of them are there.
final class StartGate: Sendable {
    private let missing: Atomic<Int>

    init(threadCount: Int) { missing = Atomic(threadCount) }

    func pass(count: Int) { missing.subtract(count, ordering: .acquiringAndReleasing) }

    /// Waits by looking every 100 microseconds: the wait is short and happens before anything is measured.
    func passAndWait() {
        pass(count: 1)
        while missing.load(ordering: .acquiring) > 0 { usleep(100) }
    }
}

extension ListenSocket {
    /// Makes a connection to this listener and returns both blocking ends; the caller owns them.
    func connectedPair() throws(TransportError) -> (client: Int32, server: Int32) {
        let client = shim_tcp_socket(address.family, 0)
        guard client >= 0 else { throw .system(.last("making a socket")) }
        var enabled: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled, socklen_t(MemoryLayout<Int32>.size))
        let server = address.withSystemForm { connect(client, $0, $1) } == 0 ? acceptBlocking() : -1
        guard server >= 0 else {
            let failure = SystemFailure.last("connecting to ourselves")
            close(client)
            throw .system(failure)
        }
        return (client, server)
    }

    /// Accepts one connection within a second and makes it blocking; -1 with errno set when there is none.
    private func acceptBlocking() -> Int32 {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&ready, 1, 1_000)
        var peer = sockaddr_storage()
        let server = shim_accept(descriptor, &peer)
        if server >= 0 { _ = fcntl(server, F_SETFL, 0) }
        return server
    }
}
