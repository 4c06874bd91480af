/// How far a handshake has come.
public enum TLSHandshakeStep: Equatable, Sendable {
    /// The peer's next bytes are needed.
    case wantsInput
    /// Both sides agree; application data may flow.
    case done
    /// The peer closed properly before the handshake was done.
    case closed
    /// It cannot succeed any more; the output holds our alert, if there is one to send.
    case failed(TLSFailure)
}

/// What one call of ``TLSChannel/read(into:output:)`` did.
public struct TLSReadStep: Equatable, Sendable {
    /// Why the call ended.
    public enum Reason: Equatable, Sendable {
        /// All lent input is used.
        case wantsInput
        /// The buffer for plaintext is full; call again.
        case plaintextFull
        /// The peer's close_notify: it sends nothing more.
        case closed
        /// The connection is broken.
        case failed(TLSFailure)
    }

    /// How many bytes of plaintext there are.
    public let byteCount: Int
    /// Why the call ended.
    public let reason: Reason
}

/// What the two sides agreed on in the handshake.
public struct TLSFacts: Equatable, Sendable {
    /// The version that is spoken.
    public let version: TLSVersion
    /// The cipher suite's name in the library.
    public let cipher: String
    /// Whether an earlier session was resumed, as the library tells it.
    public let isResumed: Bool
    /// The application protocol agreed by ALPN, if any.
    public let applicationProtocol: String?
    /// Whether the peer showed a certificate (on this connection or on the one that was resumed).
    public let hasPeerCertificate: Bool
    /// What a client's certificate says, on the server's side only; nil when the client showed none.
    public let providerCertificate: ProviderCertificate?
}
