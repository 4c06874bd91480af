/// The second byte of an error reply: why the gateway refused a notification or closes the connection.
///
/// Values and meanings: Apple, Local and Remote Notification Programming Guide, "Binary Provider API", table A-4
/// (2018 edition). Any other value is kept as it came.
public struct ErrorStatus: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The byte on the wire, unsigned.
    public let rawValue: UInt8

    /// Makes the status of a byte; every byte is one.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// "No errors encountered": says nothing against the named notification, and proves nothing for it.
    public static let noError = ErrorStatus(rawValue: 0)
    /// The gateway could not process the notification.
    public static let processingError = ErrorStatus(rawValue: 1)
    /// The token is missing: its length was zero.
    public static let missingDeviceToken = ErrorStatus(rawValue: 2)
    /// The certificate names no topic.
    public static let missingTopic = ErrorStatus(rawValue: 3)
    /// The payload is missing: its length was zero.
    public static let missingPayload = ErrorStatus(rawValue: 4)
    /// The token's length is not one that the gateway takes.
    public static let invalidTokenSize = ErrorStatus(rawValue: 5)
    /// The topic's length is not one that the gateway takes.
    public static let invalidTopicSize = ErrorStatus(rawValue: 6)
    /// The payload is longer than the gateway takes.
    public static let invalidPayloadSize = ErrorStatus(rawValue: 7)
    /// The token does not belong to this gateway's environment or topic, or to no device at all.
    public static let invalidToken = ErrorStatus(rawValue: 8)
    /// The gateway shuts down; the identifier is that of the last notification that it *accepted*.
    public static let shutdown = ErrorStatus(rawValue: 10)
    /// The gateway could not parse the notification.
    public static let protocolError = ErrorStatus(rawValue: 128)
    /// None of the other values fits.
    public static let unknown = ErrorStatus(rawValue: 255)

    /// The status as reports print it; `undocumented N` for values without a documented meaning.
    public var description: String {
        switch rawValue {
        case 0: "no error"
        case 1: "processing error"
        case 2: "missing device token"
        case 3: "missing topic"
        case 4: "missing payload"
        case 5: "invalid token size"
        case 6: "invalid topic size"
        case 7: "invalid payload size"
        case 8: "invalid token"
        case 10: "shutdown"
        case 128: "protocol error"
        case 255: "unknown"
        default: "undocumented \(rawValue)"
        }
    }

    /// Orders by the byte, for reports.
    public static func < (left: ErrorStatus, right: ErrorStatus) -> Bool { left.rawValue < right.rawValue }
}
