public import Primitives
public import Workload

/// A key with which providers sign their tokens, as the gateway knows it (`protocol.md` section 3.7).
public struct ProviderKey: Hashable, Sendable {
    /// The key's identifier, 10 characters as a rule.
    public var keyID: String
    /// The identifier of the team whose key it is.
    public var teamID: String
    /// The environment that it is good for; nil for both.
    public var environment: PushEnvironment?
    /// The apps that it is good for; empty for all.
    public var topics: [String]

    /// Makes a key.
    public init(keyID: String, teamID: String, environment: PushEnvironment? = nil, topics: [String] = []) {
        self.keyID = keyID
        self.teamID = teamID
        self.environment = environment
        self.topics = topics
    }
}

/// How the gateway serves the HTTP/2 provider API, beside what ``GatewaySettings`` says of tokens and faults.
public struct ProviderAPISettings: Hashable, Sendable {
    /// Whether requests must say who sends them.
    public enum Authentication: Hashable, Sendable {
        /// By a certificate or by a provider token.
        case required
        /// They need not, and a provider token is not looked at.
        case none
    }

    /// What a provider token on a connection with a certificate earns; Apple's documents say that it is ignored.
    public enum MixedAuthentication: Hashable, Sendable {
        /// Nothing: the certificate counts.
        case ignoresToken
        /// 403 `Forbidden`.
        case forbidden
    }

    /// Over what the update rate of provider tokens is watched; Apple's present text says one connection, users saw it
    /// across connections.
    public enum TokenUpdateScope: Hashable, Sendable {
        /// One connection.
        case connection
        /// All connections of the gateway.
        case fleet
    }

    /// How the reason for a key of the other environment is spelled.
    public enum KeyEnvironmentSpelling: Hashable, Sendable {
        /// `BadEnvironmentKeyInToken`, as it was seen.
        case wire
        /// `BadEnvironmentKeyIdInToken`, as it is documented.
        case documented
    }

    /// What a stream beyond the limit earns.
    public enum StreamEnforcement: Hashable, Sendable {
        /// RST_STREAM with REFUSED_STREAM.
        case refusedStream
        /// GOAWAY with PROTOCOL_ERROR.
        case goAway
    }

    /// Whether requests must say who sends them.
    public var authentication = Authentication.required
    /// What a provider token on a connection with a certificate earns.
    public var mixedAuthentication = MixedAuthentication.ignoresToken
    /// The keys that providers may sign with; empty to believe every well-formed token, whoever signed it.
    public var providerKeys: [ProviderKey] = []
    /// The oldest that a provider token may be.
    public var tokenLifetime = Interval.seconds(3_600)
    /// How far in the future a provider token may have been issued, since clocks differ; not documented.
    public var tokenClockSkew = Interval.seconds(300)
    /// The shortest time from one provider token of a key to the next one.
    public var tokenUpdateInterval = Interval.seconds(1_200)
    /// Over what that is watched.
    public var tokenUpdateScope = TokenUpdateScope.connection
    /// How the reason for a key of the other environment is spelled.
    public var keyEnvironmentSpelling = KeyEnvironmentSpelling.wire
    /// The apps by their tokens' topic numbers; empty to take every topic for the app under load's.
    public var topics: [String] = []
    /// When devices lost the app, in milliseconds since 1970, as 410 tells it; nil for a different time for each.
    public var unregisteredAt: Int64?
    /// The most broadcast channels of one app (`protocol.md` section 4.1).
    public var channelLimit = 10_000
    /// Whether apps have broadcasts at all; otherwise 400 `FeatureNotEnabled`.
    public var hasBroadcasts = true

    /// Streams open at a time before a request was authenticated by a provider token (`protocol.md` section 3.5).
    public var streamsBeforeAuthentication: UInt32 = 1
    /// Streams open at a time.
    public var maxStreams: UInt32 = 1_000
    /// What a stream beyond the limit earns.
    public var streamEnforcement = StreamEnforcement.refusedStream
    /// The dynamic table's size that header blocks may use, in bytes.
    public var headerTableBytes: UInt32 = 4_096
    /// The window of a stream in bytes.
    public var streamWindowBytes: UInt32 = 65_535
    /// The window of a connection in bytes; below 65,535 it is held back once that much came.
    public var connectionWindowBytes: UInt32 = 1_048_576
    /// The longest header list, in bytes as RFC 9113 section 6.5.2 counts them.
    public var maxHeaderListBytes: UInt32 = 8_000
    /// How long a client may take for the preface and its SETTINGS.
    public var prefaceTimeout = Interval.seconds(10)
    /// How long a connection may be without a request; nil for ever.
    public var idleTimeout: Interval?
    /// Whether every request is answered with 200 and nothing is judged.
    public var acceptsAll = false

    /// Makes the settings of a gateway that behaves like the real one.
    public init() {}
}

/// Verifies a signature with one of the keys of ``ProviderAPISettings/providerKeys``, by its place there: the message, then
/// the 64 bytes R and S (RFC 7518 section 3.4).
public typealias SignatureVerifier =
    @Sendable (_ key: Int, _ message: UnsafeRawBufferPointer, _ signature: UnsafeRawBufferPointer) -> Bool
