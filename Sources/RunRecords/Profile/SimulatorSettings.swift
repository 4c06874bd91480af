public import Primitives
import Workload

/// How the simulator listens, judges and misbehaves.
public struct SimulatorSettings: Equatable, Sendable {
    /// The address that is listened on. Default: 127.0.0.1.
    public var address = "127.0.0.1"
    /// TCP port; 0 (the default) means any free one.
    public var port = 0
    /// What is judged.
    public var judge = JudgeSettings()
    /// The largest payload that is accepted, in bytes or as the name of an era (``PayloadEra``). Default: 2,048.
    public var payloadLimit = 2_048
    /// The token lengths that are accepted. Default: strict.
    public var tokenLength = TokenLength.strict
    /// What a byte earns that is no command. Default: protocolError.
    public var unknownCommand = UnknownCommand.protocolError
    /// What a bad notification without an identifier (command 0) earns. Default: silentClose.
    public var simpleRefusal = SimpleRefusal.silentClose
    /// The environment that is served. Default: sandbox.
    public var environment = EnvironmentName.sandbox
    /// TLS session tickets issued per full handshake; 0 means that no session can be resumed. Default: 2.
    public var tickets = 2
    /// Whether a resumed handshake gives a ticket, too, so that every connection but the first can be resumed. Default: true;
    /// false is the habit of gateways that give tickets on full handshakes only.
    public var renewTickets = true
    /// The lowest TLS version that is spoken. Default: 1.2.
    public var tlsMinVersion = TLSVersion.tls12
    /// The highest TLS version that is spoken. Default: 1.3.
    public var tlsMaxVersion = TLSVersion.tls13
    /// PEM file of the server's certificate and chain; nil (the default) for one that the simulator makes for itself. The run's
    /// own sender takes such a certificate without verifying it.
    public var certificateFile: String?
    /// PEM file of the server certificate's key; nil if it stands in ``certificateFile``.
    public var keyFile: String?
    /// File whose first line is the passphrase of the server certificate's key; nil to take it from the environment variable
    /// `PUSHBENCH_PASSPHRASE`, if that is set.
    public var passphraseFile: String?
    /// Whether clients are asked for certificates. Default: none.
    public var clientCertificates = ClientCertificates.none
    /// PEM file of the authorities that client certificates must come from; nil (the default) for the simulator's own.
    public var clientCAFile: String?
    /// The apps by their tokens' topic numbers, 0 being the app under load: a connection reaches those whose topic its
    /// certificate names. Default: none, and every certificate is one for the app under load.
    public var topics: [String] = []
    /// The certificate that the run's own sender shows, where clients are asked for one. Default: good.
    public var providerCertificate = ProviderCertificateKind.good
    /// Whether small segments leave at once (TCP_NODELAY). Default: true.
    public var noDelay = true
    /// Connections open at one time; one more is refused. Default: 100,000.
    public var maxConnections = 100_000
    /// How long a client may take from its TCP connection to the end of the TLS handshake. Default: 5 s.
    public var handshakeTimeout = Interval.seconds(5)
    /// Each socket's receive buffer in bytes. Default: 524,288: unbounded buffers hold megabytes of a fast sender, which then
    /// come out of main memory instead of a cache.
    public var receiveBuffer = 524_288
    /// Event loops; nil (the default) means one per core.
    public var loops: Int?
    /// The feedback service. Default: on a free port, tells all at once, clears what was delivered.
    public var feedback = FeedbackServiceSettings()
    /// The HTTP/2 provider API. Default: on a free port.
    public var http2 = HTTP2SimulatorSettings()
    /// Offline devices. Default: none.
    public var storage = NotificationStorageSettings()
    /// Time that a byte and its answer take on their way together; half of it in each direction, below TLS. Default: none.
    public var roundTrip = Interval.zero
    /// The most bytes on their way in on one connection, so that it carries at most this per round trip. Default: 16 MiB, enough
    /// for 1 Gbit/s at 130 ms. Of no effect without a round trip.
    public var roundTripWindow = 16 << 20
    /// The most bytes on their way in on all connections. Default: 1 GiB. Of no effect without a round trip.
    public var roundTripTotal = 1 << 30
    /// How long an event loop is busy with each notification that it accepts, beside reading and judging it, as a gateway that stores or
    /// routes; also a slowdown of known size, to see whether comparisons find it. Default: none.
    public var extraWork = Interval.zero
    /// What goes wrong, and when: the fault plan. Default: nothing.
    public var faults: [FaultSettings] = []

    /// Makes the default simulator.
    public init() {}
}

/// Whether a gateway asks its clients for certificates.
public enum ClientCertificates: String, Sendable, CaseIterable {
    /// It does not ask.
    case none
    /// It asks; a client without one may pass, one with an unusable one may not.
    case request
    /// It refuses clients without one.
    case require
}

/// What is wrong with the certificate that a run's own sender shows to the simulator; nothing, as a rule.
public enum ProviderCertificateKind: String, Sendable, CaseIterable {
    /// One for the app under load and the simulator's environment, from the right authority.
    case good
    /// None is shown.
    case missing
    /// One that was good until yesterday.
    case expired
    /// One from an authority that the simulator does not know.
    case unknownAuthority
    /// One for the other environment only.
    case otherEnvironment
    /// One for the app of topic number 1, or for an app of no number.
    case otherTopic
}

/// Payload limits of the binary interface by the era in which they held.
public enum PayloadEra: String, Sendable, CaseIterable {
    /// Up to iOS 7: 256 bytes.
    case ios7
    /// From iOS 8 on: 2,048 bytes.
    case ios8
    /// Certificates for voice over IP: 4,096 bytes.
    case voip

    /// The longest payload in bytes.
    public var limitBytes: Int {
        switch self {
        case .ios7: PayloadLimit.early
        case .ios8: PayloadLimit.binary
        case .voip: PayloadLimit.http2
        }
    }
}

/// The token lengths that the simulator accepts.
public enum TokenLength: String, Sendable, CaseIterable {
    /// 32 bytes, as was ever seen in practice.
    case strict
    /// 1 to 100 bytes, as Apple's last document allows.
    case variable
}

/// What a byte earns that is no command; Apple's documents disagree.
public enum UnknownCommand: String, Sendable, CaseIterable {
    /// Status 128 with identifier 0, then close.
    case protocolError
    /// The connection closes without a reply.
    case silentClose
}

/// What a bad notification of command 0 earns, which has no identifier that a reply could name.
public enum SimpleRefusal: String, Sendable, CaseIterable {
    /// The connection closes without a reply.
    case silentClose
    /// The status with identifier 0, then close.
    case reply
}

/// TLS versions by their names in profiles.
public enum TLSVersion: String, Comparable, Sendable, CaseIterable {
    /// TLS 1.2.
    case tls12 = "1.2"
    /// TLS 1.3.
    case tls13 = "1.3"

    /// Whether `left` is the older version.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// Which properties of a notification the simulator judges.
public struct JudgeSettings: Equatable, Sendable {
    /// What becomes of tokens that were not made with the run's seed.
    public enum ForeignTokens: String, Sendable, CaseIterable {
        /// They are taken as good.
        case accept
        /// They are refused as invalid.
        case reject
    }

    /// Whether a token's fate class counts. Default: true.
    public var tokens = true
    /// Whether a token of the other environment is refused. Default: true.
    public var environment = true
    /// Whether a payload over the limit is refused. Default: true.
    public var payloadSize = true
    /// Whether a payload must be JSON. Default: false, as the binary interface names no status for it.
    public var payloadJSON = false
    /// Whether whatever is well-formed is accepted unseen, sentinels excepted: the simulator as a sink, by which its own ceiling is
    /// measured. Nothing else is judged then. Default: false.
    public var acceptAll = false
    /// What becomes of tokens that were not made with the run's seed. Default: accept.
    public var foreignTokens = ForeignTokens.accept

    /// Makes the default judgement.
    public init() {}
}
