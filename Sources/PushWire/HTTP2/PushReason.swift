/// Why the HTTP/2 provider API refuses a request, by the names that Apple's documents give
/// ("Handling notification responses from APNs" and "Handling error responses from APNs" of broadcasts).
public enum PushReason: UInt8, Hashable, Sendable, CaseIterable {
    /// The collapse identifier is longer than 64 bytes.
    case badCollapseID
    /// The device token is malformed, or the other environment's.
    case badDeviceToken
    /// The expiration is no number.
    case badExpirationDate
    /// The notification's identifier is no UUID.
    case badMessageID
    /// The priority is not 10, 5 or 1.
    case badPriority
    /// The topic is invalid.
    case badTopic
    /// The token belongs to another app.
    case deviceTokenNotForTopic
    /// A header is repeated.
    case duplicateHeaders
    /// The connection was idle for too long.
    case idleTimeout
    /// The push type is unknown.
    case invalidPushType
    /// The path has no device token.
    case missingDeviceToken
    /// A topic is needed and there is none.
    case missingTopic
    /// There is no body.
    case payloadEmpty
    /// Pushing to that topic is not allowed.
    case topicDisallowed
    /// The client's certificate is bad.
    case badCertificate
    /// The client's certificate is for the other environment.
    case badCertificateEnvironment
    /// The provider token is more than an hour old.
    case expiredProviderToken
    /// The action is not allowed.
    case forbidden
    /// The provider token is malformed, or its signature is wrong.
    case invalidProviderToken
    /// There is neither a certificate nor a provider token.
    case missingProviderToken
    /// The token's key has nothing to do with the one that was first used on the connection.
    case unrelatedKeyIDInToken
    /// The token's key is for the other environment, as the documents spell it.
    case badEnvironmentKeyIDInToken
    /// The token's key is for the other environment, as it is spelled on the wire.
    case badEnvironmentKeyInToken
    /// There is nothing under that path.
    case badPath
    /// The method is not the path's.
    case methodNotAllowed
    /// The device token expired.
    case expiredToken
    /// The device token is no longer active for the topic.
    case unregistered
    /// The body is too long.
    case payloadTooLarge
    /// The provider token changes too often.
    case tooManyProviderTokenUpdates
    /// Too many notifications to one device token.
    case tooManyRequests
    /// Something broke.
    case internalServerError
    /// There is no service at present.
    case serviceUnavailable
    /// The server is about to stop.
    case shutdown
    /// Broadcasts are not switched on for the app.
    case featureNotEnabled
    /// A broadcast names no channel.
    case missingChannelID
    /// The channel's identifier is malformed.
    case badChannelID
    /// There is no such channel.
    case channelNotRegistered
    /// The request's parameters are wrong.
    case badRequestParams
    /// The body is not what the request needs.
    case badRequestPayload
    /// A broadcast names no push type.
    case missingPushType
    /// There are too many channels.
    case cannotCreateChannelConfig
    /// The app in the path is not the token's or the certificate's.
    case topicMismatch

    /// The reason as it stands in a response.
    public var name: StaticString {
        switch self {
        case .badCollapseID: "BadCollapseId"
        case .badDeviceToken: "BadDeviceToken"
        case .badExpirationDate: "BadExpirationDate"
        case .badMessageID: "BadMessageId"
        case .badPriority: "BadPriority"
        case .badTopic: "BadTopic"
        case .deviceTokenNotForTopic: "DeviceTokenNotForTopic"
        case .duplicateHeaders: "DuplicateHeaders"
        case .idleTimeout: "IdleTimeout"
        case .invalidPushType: "InvalidPushType"
        case .missingDeviceToken: "MissingDeviceToken"
        case .missingTopic: "MissingTopic"
        case .payloadEmpty: "PayloadEmpty"
        case .topicDisallowed: "TopicDisallowed"
        case .badCertificate: "BadCertificate"
        case .badCertificateEnvironment: "BadCertificateEnvironment"
        case .expiredProviderToken: "ExpiredProviderToken"
        case .forbidden: "Forbidden"
        case .invalidProviderToken: "InvalidProviderToken"
        case .missingProviderToken: "MissingProviderToken"
        case .unrelatedKeyIDInToken: "UnrelatedKeyIdInToken"
        case .badEnvironmentKeyIDInToken: "BadEnvironmentKeyIdInToken"
        case .badEnvironmentKeyInToken: "BadEnvironmentKeyInToken"
        case .badPath: "BadPath"
        case .methodNotAllowed: "MethodNotAllowed"
        case .expiredToken: "ExpiredToken"
        case .unregistered: "Unregistered"
        case .payloadTooLarge: "PayloadTooLarge"
        case .tooManyProviderTokenUpdates: "TooManyProviderTokenUpdates"
        case .tooManyRequests: "TooManyRequests"
        case .internalServerError: "InternalServerError"
        case .serviceUnavailable: "ServiceUnavailable"
        case .shutdown: "Shutdown"
        case .featureNotEnabled: "FeatureNotEnabled"
        case .missingChannelID: "MissingChannelId"
        case .badChannelID: "BadChannelId"
        case .channelNotRegistered: "ChannelNotRegistered"
        case .badRequestParams: "BadRequestParams"
        case .badRequestPayload: "BadRequestPayload"
        case .missingPushType: "MissingPushType"
        case .cannotCreateChannelConfig: "CannotCreateChannelConfig"
        case .topicMismatch: "TopicMismatch"
        }
    }

    /// The response's status code, 400 ... 503.
    public var status: Int {
        switch self {
        case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
            .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
            .topicMismatch:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        default: 400
        }
    }

    /// Finds a reason by its name; nil for one that no document lists.
    public init?(name: UnsafeRawBufferPointer) {
        guard let reason = Self.allCases.first(where: { $0.isNamed(name) }) else { return nil }
        self = reason
    }

    /// Finds a reason by its name; nil for one that no document lists.
    public init?(name: String) {
        guard let reason = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = reason
    }

    private func isNamed(_ text: UnsafeRawBufferPointer) -> Bool {
        let name = self.name
        return text.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}

extension PushReason: CustomStringConvertible {
    /// The reason as it stands in a response.
    public var description: String { name.description }
}
