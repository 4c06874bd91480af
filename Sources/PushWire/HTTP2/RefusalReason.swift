/// What may be done about a notification that was refused.
public enum RetryRule: Hashable, Sendable {
    /// Nothing: the answer would be the same for ever.
    case never
    /// Nothing by itself: the request, the credentials or the account must be put right first.
    case whenCorrected
    /// Sending it again after a delay.
    case later
    /// Sending it again after fifteen minutes, with back-off.
    case backoff
    /// Sending it again on another connection.
    case otherConnection
}

/// The reasons that the provider API gives for refusing a request, as they stand in the body.
///
/// Apple, "Handling notification responses from APNs", table 4, and "Handling error responses from APNs" (broadcasts); retry rules
/// are of the former's text.
@frozen public enum RefusalReason: UInt8, Hashable, Sendable, CaseIterable {
    /// `BadCollapseId`, 400.
    case badCollapseID
    /// `BadDeviceToken`, 400.
    case badDeviceToken
    /// `BadExpirationDate`, 400.
    case badExpirationDate
    /// `BadMessageId`, 400.
    case badMessageID
    /// `BadPriority`, 400.
    case badPriority
    /// `BadTopic`, 400.
    case badTopic
    /// `DeviceTokenNotForTopic`, 400.
    case deviceTokenNotForTopic
    /// `DuplicateHeaders`, 400.
    case duplicateHeaders
    /// `IdleTimeout`, 400.
    case idleTimeout
    /// `InvalidPushType`, 400.
    case invalidPushType
    /// `MissingDeviceToken`, 400.
    case missingDeviceToken
    /// `MissingTopic`, 400.
    case missingTopic
    /// `PayloadEmpty`, 400.
    case payloadEmpty
    /// `TopicDisallowed`, 400.
    case topicDisallowed
    /// `BadCertificate`, 403.
    case badCertificate
    /// `BadCertificateEnvironment`, 403.
    case badCertificateEnvironment
    /// `ExpiredProviderToken`, 403.
    case expiredProviderToken
    /// `Forbidden`, 403.
    case forbidden
    /// `InvalidProviderToken`, 403.
    case invalidProviderToken
    /// `MissingProviderToken`, 403.
    case missingProviderToken
    /// `UnrelatedKeyIdInToken`, 403.
    case unrelatedKeyIDInToken
    /// `BadEnvironmentKeyIdInToken`, 403.
    case badEnvironmentKeyIDInToken
    /// `BadEnvironmentKeyInToken`, 403.
    case badEnvironmentKeyInToken
    /// `BadPath`, 404.
    case badPath
    /// `MethodNotAllowed`, 405.
    case methodNotAllowed
    /// `ExpiredToken`, 410.
    case expiredToken
    /// `Unregistered`, 410.
    case unregistered
    /// `PayloadTooLarge`, 413.
    case payloadTooLarge
    /// `TooManyProviderTokenUpdates`, 429.
    case tooManyProviderTokenUpdates
    /// `TooManyRequests`, 429.
    case tooManyRequests
    /// `InternalServerError`, 500.
    case internalServerError
    /// `ServiceUnavailable`, 503.
    case serviceUnavailable
    /// `Shutdown`, 503.
    case shutdown
    /// `FeatureNotEnabled`, 400.
    case featureNotEnabled
    /// `MissingChannelId`, 400.
    case missingChannelID
    /// `BadChannelId`, 400.
    case badChannelID
    /// `ChannelNotRegistered`, 400.
    case channelNotRegistered
    /// `BadRequestParams`, 400.
    case badRequestParams
    /// `BadRequestPayload`, 400.
    case badRequestPayload
    /// `MissingPushType`, 400.
    case missingPushType
    /// `CannotCreateChannelConfig`, 400.
    case cannotCreateChannelConfig
    /// `TopicMismatch`, 403.
    case topicMismatch
}
