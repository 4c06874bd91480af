public import Primitives

/// How the simulator serves the HTTP/2 provider API, on a port of its own.
public struct HTTP2SimulatorSettings: Equatable, Sendable {
    /// TCP port; 0 (the default) means any free one. The real service's are 443 and 2197.
    public var port = 0
    /// Whether requests must say who sends them, by a provider token or a certificate. Default: required.
    public var authentication = Authentication.required
    /// What a provider token on a connection with a certificate earns. Default: ignored.
    public var mixedAuthentication = MixedAuthentication.ignored
    /// The keys that provider tokens may be signed with, told apart by their identifiers; none (the default) to believe every well-formed
    /// token, whoever signed it. A run's own sender then gets a key of the simulator's.
    public var keys: [ProviderKeySettings] = []
    /// How old a provider token may be. Default: 60 minutes.
    public var tokenLifetime = Interval.seconds(3_600)
    /// The shortest time from one provider token of a key to its next one. Default: 20 minutes.
    public var tokenUpdateInterval = Interval.seconds(1_200)
    /// Over what that is watched. Default: connection.
    public var tokenUpdateScope = TokenUpdateScope.connection
    /// How the reason for a key of the other environment is spelled. Default: wire.
    public var keyEnvironmentSpelling = KeyEnvironmentSpelling.wire
    /// Streams that a connection may have open at a time. Default: 1,000.
    public var maxStreams = 1_000
    /// Streams before a provider token was found good. Default: 1.
    public var streamsBeforeAuthentication = 1
    /// What a stream beyond the limit earns. Default: refusedStream.
    public var streamEnforcement = StreamEnforcement.refusedStream
    /// The window of a stream in bytes. Default: 65,535.
    public var streamWindow = 65_535
    /// The window of a connection in bytes. Default: 1 MiB.
    public var connectionWindow = 1_048_576
    /// The dynamic table's size that header blocks may use, in bytes. Default: 4,096.
    public var headerTable = 4_096
    /// The longest header list in bytes. Default: 8,000.
    public var headerList = 8_000
    /// How long a client may take for its preface and SETTINGS. Default: 10 s.
    public var prefaceTimeout = Interval.seconds(10)
    /// How long a connection may be without a request, before GOAWAY with `IdleTimeout`; nil (the default) for ever.
    public var idleTimeout: Interval?
    /// Broadcast channels of one app. Default: 10,000; 0 for an app without broadcasts.
    public var channels = 10_000
    /// When devices lost the app, in milliseconds since 1970, as 410 tells it; nil (the default) for a time of each device's own.
    public var unregisteredAt: Int64?
    /// Whether every request is answered 200 and nothing is judged, to tell the judging's cost. Default: false.
    public var acceptAll = false

    /// Makes the default service.
    public init() {}

    /// Whether requests must say who sends them.
    public enum Authentication: String, Sendable, CaseIterable {
        /// By a provider token or a certificate.
        case required
        /// They need not, and provider tokens are not looked at.
        case none
    }

    /// What a provider token on a connection with a certificate earns.
    public enum MixedAuthentication: String, Sendable, CaseIterable {
        /// Nothing: the certificate counts, as Apple documents it.
        case ignored
        /// 403 `Forbidden`.
        case forbidden
    }

    /// Over what the update rate of provider tokens is watched.
    public enum TokenUpdateScope: String, Sendable, CaseIterable {
        /// One connection.
        case connection
        /// All connections of the simulator.
        case fleet
    }

    /// How the reason for a key of the other environment is spelled.
    public enum KeyEnvironmentSpelling: String, Sendable, CaseIterable {
        /// `BadEnvironmentKeyInToken`, as it was seen.
        case wire
        /// `BadEnvironmentKeyIdInToken`, as it is documented.
        case documented
    }

    /// What a stream beyond the limit earns.
    public enum StreamEnforcement: String, Sendable, CaseIterable {
        /// RST_STREAM with REFUSED_STREAM.
        case refusedStream
        /// GOAWAY with PROTOCOL_ERROR.
        case goAway
    }
}

extension HTTP2SimulatorSettings: SettingsGroup {
    static var fields: [SettingsField<Self>] {
        let timeouts = Interval.milliseconds(1)...Interval.seconds(86_400)
        return [
            .count("port", \.port, 0...65_535), .choice("authentication", \.authentication),
            .choice("mixedAuthentication", \.mixedAuthentication), .keys,
            .interval("tokenLifetime", \.tokenLifetime, timeouts),
            .interval("tokenUpdateInterval", \.tokenUpdateInterval, .zero...Interval.seconds(86_400)),
            .choice("tokenUpdateScope", \.tokenUpdateScope),
            .choice("keyEnvironmentSpelling", \.keyEnvironmentSpelling),
            .count("maxStreams", \.maxStreams, 1...100_000),
            .count("streamsBeforeAuthentication", \.streamsBeforeAuthentication, 1...100_000),
            .choice("streamEnforcement", \.streamEnforcement),
            .bytes("streamWindow", \.streamWindow, 1...Int(Int32.max)),
            .bytes("connectionWindow", \.connectionWindow, 1_024...Int(Int32.max)),
            .bytes("headerTable", \.headerTable, 0...65_536), .bytes("headerList", \.headerList, 1_024...16_384),
            .interval("prefaceTimeout", \.prefaceTimeout, timeouts), .interval("idleTimeout", \.idleTimeout, timeouts),
            .count("channels", \.channels, 0...100_000),
            .count("unregisteredAt", \.unregisteredAt, 0...9_999_999_999_999), .flag("acceptAll", \.acceptAll),
        ]
    }
}
