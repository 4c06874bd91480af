/// The header fields that the provider API or HTTP/2 itself know, so that nobody compares names twice.
@frozen public enum HTTP2FieldName: UInt8, Hashable, Sendable, CaseIterable {
    /// Any other name; its bytes stand in the field.
    case other
    /// `:authority`
    case authority
    /// `:method`
    case method
    /// `:path`
    case path
    /// `:scheme`
    case scheme
    /// `:status`
    case status
    /// `authorization`
    case authorization
    /// `content-type`
    case contentType
    /// `content-length`
    case contentLength
    /// `retry-after`
    case retryAfter
    /// `apns-id`
    case apnsID
    /// `apns-unique-id`
    case apnsUniqueID
    /// `apns-request-id`
    case apnsRequestID
    /// `apns-topic`
    case apnsTopic
    /// `apns-push-type`
    case apnsPushType
    /// `apns-expiration`
    case apnsExpiration
    /// `apns-priority`
    case apnsPriority
    /// `apns-collapse-id`
    case apnsCollapseID
    /// `apns-channel-id`
    case apnsChannelID
    /// `te`
    case te
    /// `connection`, which HTTP/2 forbids (RFC 9113 section 8.2.2), as it does the following ones.
    case connection
    /// `proxy-connection`
    case proxyConnection
    /// `keep-alive`
    case keepAlive
    /// `transfer-encoding`
    case transferEncoding
    /// `upgrade`
    case upgrade

    /// The name on the wire; empty for ``other``.
    public var text: StaticString {
        switch self {
        case .other: ""
        case .authority: ":authority"
        case .method: ":method"
        case .path: ":path"
        case .scheme: ":scheme"
        case .status: ":status"
        case .authorization: "authorization"
        case .contentType: "content-type"
        case .contentLength: "content-length"
        case .retryAfter: "retry-after"
        case .apnsID: "apns-id"
        case .apnsUniqueID: "apns-unique-id"
        case .apnsRequestID: "apns-request-id"
        case .apnsTopic: "apns-topic"
        case .apnsPushType: "apns-push-type"
        case .apnsExpiration: "apns-expiration"
        case .apnsPriority: "apns-priority"
        case .apnsCollapseID: "apns-collapse-id"
        case .apnsChannelID: "apns-channel-id"
        case .te: "te"
        case .connection: "connection"
        case .proxyConnection: "proxy-connection"
        case .keepAlive: "keep-alive"
        case .transferEncoding: "transfer-encoding"
        case .upgrade: "upgrade"
        }
    }

    /// Finds the name that these bytes are.
    public init(_ bytes: UnsafeRawBufferPointer) {
        self = Self.allCases.dropFirst().first { $0.text.equals(bytes) } ?? .other
    }

    /// Whether the name is one of the pseudo-header fields (RFC 9113 section 8.3).
    @inlinable public var isPseudo: Bool {
        switch self {
        case .authority, .method, .path, .scheme, .status: true
        default: false
        }
    }

    /// Whether the name belongs to one connection, and HTTP/2 forbids it (RFC 9113 section 8.2.2).
    public var isConnectionSpecific: Bool {
        switch self {
        case .connection, .proxyConnection, .keepAlive, .transferEncoding, .upgrade: true
        default: false
        }
    }
}

extension StaticString {
    /// Whether the text's bytes are these.
    func equals(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count where bytes[index] != utf8Start[index] { return false }
        return true
    }

    /// The text's bytes, which live as long as the program.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}
