public import Primitives

/// How notifications are sent by the provider API over HTTP/2.
public struct HTTP2SenderSettings: Equatable, Sendable {
    /// How requests say who sends them.
    public enum Authentication: String, Sendable, CaseIterable {
        /// By a provider token in `authorization`.
        case token
        /// Only by the certificate of the connection, if there is one.
        case certificate
    }

    /// Which connections share a provider token.
    public enum TokenSharing: String, Sendable, CaseIterable {
        /// All of them, as gateways want it.
        case shared
        /// None: each connection has one of its own, to see what the gateway says about it.
        case perConnection = "per-connection"
    }

    /// How `authorization` is written.
    public enum AuthorizationIndexing: String, Sendable, CaseIterable {
        /// Once in full for each connection, then by its index in the gateway's table.
        case indexed
        /// In full in every request, as Apple advises.
        case literal
    }

    /// How requests say who sends them. Default: token.
    public var authentication = Authentication.token
    /// PEM file of the key that signs provider tokens (`.p8`); nil (the default) for the simulator's own key.
    public var keyFile: String?
    /// The identifier of that key, `kid`.
    public var keyID: String?
    /// The team whose key it is, `iss`.
    public var teamID: String?
    /// How old a provider token grows before the next one is made, 20 to 60 minutes. Default: 40 minutes.
    public var renewal = Interval.seconds(2_400)
    /// Which connections share a provider token. Default: shared.
    public var tokens = TokenSharing.shared
    /// How `authorization` is written. Default: indexed.
    public var authorizationIndexing = AuthorizationIndexing.indexed
    /// `:authority`; nil (the default) for the target's name.
    public var authority: String?
    /// `apns-topic`. Default: com.example.app.
    public var topic = "com.example.app"
    /// `apns-push-type`. Default: alert.
    public var pushType = "alert"
    /// `apns-collapse-id`, up to 64 bytes; nil (the default) for none.
    public var collapseID: String?
    /// How long an answer may take before its request is cancelled. Default: 30 s.
    public var requestTimeout = Interval.seconds(30)
    /// After what silence a PING asks whether the gateway is there. Default: 1 h.
    public var pingAfter = Interval.seconds(3_600)
    /// How long the answer to a PING may take. Default: 10 s.
    public var pingTimeout = Interval.seconds(10)
    /// Which refused notifications are sent again.
    public var retry = HTTP2RetrySettings()

    /// Makes the default.
    public init() {}
}

/// Which notifications are sent again that the provider API refused; what is never to be sent again is not, whatever these say.
public struct HTTP2RetrySettings: Equatable, Sendable {
    /// How often one goes to another connection, whose own is of no more use (`Shutdown`, `IdleTimeout`). Default: 3.
    public var otherConnection = 3
    /// How often one is sent again whose stream was refused (REFUSED_STREAM). Default: 1,000.
    public var refusedStream = 1_000
    /// How often one is sent again that was throttled (429). Default: 0.
    public var later = 0
    /// The delay before that. Default: 1 s.
    public var laterDelay = Interval.seconds(1)
    /// How often one is sent again after an error of the gateway's (5xx). Default: 0.
    public var backoff = 0
    /// The delay before the first time, doubled for each further one. Default: 15 minutes, as Apple asks for.
    public var backoffDelay = Interval.seconds(900)

    /// Makes the default.
    public init() {}
}
