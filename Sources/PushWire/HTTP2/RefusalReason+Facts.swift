extension RefusalReason {
    /// Where a reason occurs.
    public struct Sources: OptionSet, Hashable, Sendable {
        /// One bit for each source.
        public var rawValue: UInt8

        /// Makes a set of its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Apple, "Handling notification responses from APNs", table 4.
        public static let notifications = Sources(rawValue: 1)
        /// Apple, "Handling error responses from APNs" (channels and broadcasts).
        public static let broadcasts = Sources(rawValue: 2)
        /// Seen on the wire, and in no document.
        public static let wire = Sources(rawValue: 4)
    }

    /// Everything that is documented about a reason.
    struct Facts: Sendable {
        var name: StaticString
        var status: Int
        var retry: RetryRule
        var sources: Sources
    }

    /// The text in the body.
    public var name: StaticString { facts.name }
    /// The HTTP status that goes with it.
    public var status: Int { facts.status }
    /// What may be done about it.
    public var retry: RetryRule { facts.retry }
    /// Where it occurs.
    public var sources: Sources { facts.sources }

    /// Whether it is about the certificate with which the connection was opened, so that the next one fares no better.
    public var isAboutCertificate: Bool { self == .badCertificate || self == .badCertificateEnvironment }

    /// Finds the reason whose text these bytes are.
    public init?(name: UnsafeRawBufferPointer) {
        guard let index = Self.table.firstIndex(where: { $0.name.equals(name) }) else { return nil }
        self.init(rawValue: UInt8(index))
    }

    /// What may be done about a status whose reason is none of the documented ones.
    public static func retry(forStatus status: Int) -> RetryRule {
        switch status {
        case 429: .later
        case 500...599: .backoff
        default: .whenCorrected
        }
    }

    private var facts: Facts { Self.table[Int(rawValue)] }

    /// By raw value. The connection that answers `Shutdown`, `IdleTimeout` or `UnrelatedKeyIdInToken` is of no more use, another one is.
    private static let table: [Facts] = [
        Facts(name: "BadCollapseId", status: 400, retry: .whenCorrected, sources: .notifications),
        Facts(name: "BadDeviceToken", status: 400, retry: .never, sources: .notifications),
        Facts(name: "BadExpirationDate", status: 400, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "BadMessageId", status: 400, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "BadPriority", status: 400, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "BadTopic", status: 400, retry: .whenCorrected, sources: .notifications),
        Facts(name: "DeviceTokenNotForTopic", status: 400, retry: .never, sources: .notifications),
        Facts(name: "DuplicateHeaders", status: 400, retry: .whenCorrected, sources: .notifications),
        Facts(name: "IdleTimeout", status: 400, retry: .otherConnection, sources: .notifications),
        Facts(name: "InvalidPushType", status: 400, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "MissingDeviceToken", status: 400, retry: .whenCorrected, sources: .notifications),
        Facts(name: "MissingTopic", status: 400, retry: .whenCorrected, sources: .notifications),
        Facts(name: "PayloadEmpty", status: 400, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "TopicDisallowed", status: 400, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "BadCertificate", status: 403, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(
            name: "BadCertificateEnvironment", status: 403, retry: .whenCorrected,
            sources: [.notifications, .broadcasts]),
        Facts(
            name: "ExpiredProviderToken", status: 403, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "Forbidden", status: 403, retry: .never, sources: .notifications),
        Facts(
            name: "InvalidProviderToken", status: 403, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(
            name: "MissingProviderToken", status: 403, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "UnrelatedKeyIdInToken", status: 403, retry: .otherConnection, sources: .notifications),
        Facts(name: "BadEnvironmentKeyIdInToken", status: 403, retry: .whenCorrected, sources: .notifications),
        Facts(name: "BadEnvironmentKeyInToken", status: 403, retry: .whenCorrected, sources: .wire),
        Facts(name: "BadPath", status: 404, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "MethodNotAllowed", status: 405, retry: .whenCorrected, sources: [.notifications, .broadcasts]),
        Facts(name: "ExpiredToken", status: 410, retry: .never, sources: .notifications),
        Facts(name: "Unregistered", status: 410, retry: .never, sources: .notifications),
        Facts(name: "PayloadTooLarge", status: 413, retry: .never, sources: [.notifications, .broadcasts]),
        Facts(name: "TooManyProviderTokenUpdates", status: 429, retry: .later, sources: [.notifications, .broadcasts]),
        Facts(name: "TooManyRequests", status: 429, retry: .later, sources: [.notifications, .broadcasts]),
        Facts(name: "InternalServerError", status: 500, retry: .backoff, sources: [.notifications, .broadcasts]),
        Facts(name: "ServiceUnavailable", status: 503, retry: .backoff, sources: [.notifications, .broadcasts]),
        Facts(name: "Shutdown", status: 503, retry: .otherConnection, sources: [.notifications, .broadcasts]),
        Facts(name: "FeatureNotEnabled", status: 400, retry: .whenCorrected, sources: .broadcasts),
        Facts(name: "MissingChannelId", status: 400, retry: .whenCorrected, sources: .broadcasts),
        Facts(name: "BadChannelId", status: 400, retry: .whenCorrected, sources: .broadcasts),
        Facts(name: "ChannelNotRegistered", status: 400, retry: .never, sources: .broadcasts),
        Facts(name: "BadRequestParams", status: 400, retry: .whenCorrected, sources: .broadcasts),
        Facts(name: "BadRequestPayload", status: 400, retry: .whenCorrected, sources: .broadcasts),
        Facts(name: "MissingPushType", status: 400, retry: .whenCorrected, sources: .broadcasts),
        Facts(name: "CannotCreateChannelConfig", status: 400, retry: .whenCorrected, sources: .broadcasts),
        Facts(name: "TopicMismatch", status: 403, retry: .whenCorrected, sources: .broadcasts),
    ]
}
