public import Primitives
internal import SecureChannel

/// How fast bytes went through TLS on this machine, both ends on it.
public struct PipeRate: Equatable, Sendable {
    /// Bytes of plaintext that the receivers got.
    public let byteCount: Int
    /// From the last handshake to the last byte.
    public let duration: Interval
    /// The processor time of the sending side.
    public let senderProcessorTime: Interval
    /// The processor time of the receiving side.
    public let receiverProcessorTime: Interval

    /// Plaintext bytes per second.
    public var bytesPerSecond: Double { duration > .zero ? Double(byteCount) / duration.seconds : 0 }
}

/// What bounds a measured transfer; whichever comes first.
public struct PipeBound: Equatable, Sendable {
    /// The most plaintext that each connection carries, in bytes.
    public var bytesPerConnection: Int
    /// The longest that the senders send.
    public var duration: Interval

    /// Makes a bound.
    public init(bytesPerConnection: Int = .max, duration: Interval) {
        self.bytesPerConnection = bytesPerConnection
        self.duration = duration
    }
}

/// A pair of contexts that trust each other, for measurements within one process.
struct ProbeContexts {
    let client: TLSContext
    let server: TLSContext

    init(tickets: TLSTickets = .none) throws(TransportError) {
        do throws(TLSFailure) {
            let authority = try CertificateAuthority()
            var options = TLSServerOptions(identity: try authority.issue(.server))
            options.tickets = tickets
            server = try TLSContext(server: options)
            client = try TLSContext(client: TLSClientOptions(trust: .authorities(pem: authority.certificatePEM)))
        } catch {
            throw .tls(error)
        }
    }
}
