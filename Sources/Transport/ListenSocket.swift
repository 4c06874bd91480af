internal import CShims
internal import Glibc

/// A listening, non-blocking socket; closed unless it is given away.
struct ListenSocket: ~Copyable {
    /// Where it listens, with the real port.
    let address: SocketAddress
    let descriptor: Int32

    init(on wanted: SocketAddress, backlog: Int) throws(TransportError) {
        let descriptor = shim_tcp_socket(wanted.family, 1)
        guard descriptor >= 0 else { throw .system(.last("making a socket")) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        let isListening =
            wanted.withSystemForm { bind(descriptor, $0, $1) } == 0
            && Glibc.listen(descriptor, Int32(clamping: backlog)) == 0
        let failure = SystemFailure.last("listening on \(wanted)")
        let bound = SocketAddress { storage in
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) } == 0
        }
        guard isListening, let bound else {
            Glibc.close(descriptor)
            throw .system(failure)
        }
        address = bound
        self.descriptor = descriptor
    }

    deinit { Glibc.close(descriptor) }

    /// Hands the descriptor over to the caller.
    consuming func giveAway() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}

extension SocketAddress {
    /// Checks that a listener could be made here now, and gives the port up at once.
    ///
    /// - Throws: ``TransportError/system(_:)``, for example when the port is taken or the address not of this machine.
    public func checkListening() throws(TransportError) { _ = try ListenSocket(on: self, backlog: 1) }
}
