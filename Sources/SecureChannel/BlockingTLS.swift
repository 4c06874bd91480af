internal import COpenSSL

/// TLS on a blocking socket, one record to a system call: only for measuring what this machine can do that way.
///
/// It belongs to one thread. The descriptor stays the caller's.
public final class BlockingTLS {
    private let ssl: OpaquePointer

    /// Makes one side of a connection on a connected, blocking socket, and does the handshake.
    ///
    /// - Throws: ``TLSFailure`` when the handshake fails.
    public init(context: TLSContext, descriptor: Int32) throws(TLSFailure) {
        ssl = try context.makeConnection()
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw ErrorStack.failure(of: "using a socket") }
        switch context.role {
        case .client: SSL_set_connect_state(ssl)
        case .server: SSL_set_accept_state(ssl)
        }
        guard SSL_do_handshake(ssl) == 1 else { throw ErrorStack.failure(of: "the handshake", on: ssl) }
    }

    deinit { SSL_free(ssl) }

    /// Writes one record of at most 16 KiB; false when the connection is broken.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)) == Int32(clamping: bytes.count)
    }

    /// Reads at most one record and returns its size; nil at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        return count > 0 ? Int(count) : nil
    }

    /// Sends close_notify.
    public func close() { SSL_shutdown(ssl) }
}
