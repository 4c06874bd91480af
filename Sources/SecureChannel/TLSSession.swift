internal import COpenSSL

/// What a client keeps of one connection to resume it on the next, saving certificates and signatures.
///
/// Use each at most once with TLS 1.3 (RFC 8446, appendix C.4) where the peer's tickets allow; it may cross loops.
public final class TLSSession: Sendable {
    /// One owned reference to the library's session; a number because the library counts references atomically and
    /// a finished session does not change.
    private let address: UInt

    /// Takes over one reference to the library's session.
    init(owning session: OpaquePointer) { address = UInt(bitPattern: session) }

    deinit { SSL_SESSION_free(OpaquePointer(bitPattern: address)) }

    /// Offers the session on a connection that has not begun; the library adds its own reference.
    func offer(on ssl: OpaquePointer) { SSL_set_session(ssl, OpaquePointer(bitPattern: address)) }
}
