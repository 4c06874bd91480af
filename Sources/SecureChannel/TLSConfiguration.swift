/// A version of TLS that the channel can speak.
public enum TLSVersion: Int, Comparable, Sendable, CustomStringConvertible {
    /// TLS 1.2 (RFC 5246).
    case tls12 = 2
    /// TLS 1.3 (RFC 8446).
    case tls13 = 3

    /// Whether `left` is the older version.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }

    /// The version as people write it, "TLS 1.2".
    public var description: String { "TLS 1.\(rawValue)" }
}

/// A certificate chain (leaf first) and its private key, both as PEM text.
public struct TLSIdentity: Equatable, Sendable {
    /// The certificates, leaf first.
    public var certificateChainPEM: String
    /// The leaf's private key, not encrypted.
    public var privateKeyPEM: String

    /// Makes an identity from PEM text; it is checked when a context is made from it.
    public init(certificateChainPEM: String, privateKeyPEM: String) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}

/// Whom a client believes.
public enum TLSTrust: Equatable, Sendable {
    /// The certificate authorities in this PEM text and nobody else.
    case authorities(pem: String)
    /// The authorities that the operating system is configured with; costs about 25 ms for each context.
    case system
    /// Anybody: no verification at all, only for peers that cannot be verified.
    case anybody
}

/// How a client's connections behave.
public struct TLSClientOptions: Equatable, Sendable {
    /// Whom to believe.
    public var trust: TLSTrust
    /// The certificate to show when the server asks for one.
    public var identity: TLSIdentity?
    /// The versions to offer.
    public var versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    /// Application protocols to offer (ALPN, RFC 7301), most wanted first; none sends no such extension.
    public var applicationProtocols: [String] = []

    /// Makes options that verify against `trust` and show `identity`.
    public init(trust: TLSTrust, identity: TLSIdentity? = nil) {
        self.trust = trust
        self.identity = identity
    }
}

/// Whether a server asks its clients for certificates.
public enum TLSClientCertificates: Equatable, Sendable {
    /// It does not ask.
    case none
    /// It asks, and verifies what it gets against these authorities; a client without one may pass.
    case optional(authoritiesPEM: String)
    /// It asks, and refuses a client that has none from these authorities.
    case required(authoritiesPEM: String)
}

/// Which handshakes of a server give the client a ticket for resuming.
public enum TLSTickets: Equatable, Sendable {
    /// No handshake: nothing can be resumed.
    case none
    /// Every handshake; `count` tickets after a full one (1...8), one after a resumed one.
    case everyHandshake(count: Int)
    /// Full handshakes only, `count` tickets each (1...8); a resumed connection gives none.
    case fullHandshakes(count: Int)
}

/// How a server's connections behave.
///
/// Tickets are off by default: legacy clients see the socket readable, get nothing to read and close a healthy
/// connection.
public struct TLSServerOptions: Equatable, Sendable {
    /// The certificate to show.
    public var identity: TLSIdentity
    /// Whether to ask for client certificates.
    public var clientCertificates: TLSClientCertificates = .none
    /// Which handshakes give tickets.
    public var tickets: TLSTickets = .none
    /// The versions to accept.
    public var versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    /// Application protocols to choose from, most wanted first. A client that offers only others is refused with the alert
    /// `no_application_protocol` (RFC 7301 section 3.2); one that does not offer any is accepted without.
    public var applicationProtocols: [String] = []

    /// Makes options that show `identity`.
    public init(identity: TLSIdentity) { self.identity = identity }
}
