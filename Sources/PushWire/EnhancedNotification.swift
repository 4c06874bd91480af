/// The layout of command 1, the "enhanced" notification.
///
/// command 1 (1) · identifier (4) · expiry (4) · token length (2) · token · payload length (2) · payload, integers big-endian.
/// Apple, Local and Remote Notification Programming Guide, "Legacy Notification Format".
public struct EnhancedNotification: NotificationFormat {
    /// The first byte of the frame.
    public static let command: UInt8 = 1
    /// Where the token begins.
    public static let tokenOffset = 11
    /// Bytes of a frame that are neither token nor payload.
    public static let overheadBytes = 13

    /// UNIX seconds; 0 means that the gateway does not store the notification.
    public var expiry: UInt32

    /// Makes the format of notifications with one expiry.
    @inlinable
    public init(expiry: UInt32 = 0) { self.expiry = expiry }

    /// Where the payload begins, behind a token of `tokenBytes` bytes.
    @inlinable
    public static func payloadOffset(tokenBytes: Int) -> Int { overheadBytes + tokenBytes }

    /// Writes everything but token and payload, which already stand at their offsets.
    @inlinable
    public func frame(
        _ frame: UnsafeMutableRawPointer, identifier: UInt32, tokenBytes: Int, payloadBytes: Int
    ) -> Int {
        frame.storeBytes(of: Self.command, as: UInt8.self)
        frame.storeBytes(of: identifier.bigEndian, toByteOffset: 1, as: UInt32.self)
        frame.storeBytes(of: expiry.bigEndian, toByteOffset: 5, as: UInt32.self)
        frame.storeBytes(of: UInt16(tokenBytes).bigEndian, toByteOffset: 9, as: UInt16.self)
        frame.storeBytes(
            of: UInt16(payloadBytes).bigEndian, toByteOffset: Self.tokenOffset + tokenBytes, as: UInt16.self)
        return Self.overheadBytes + tokenBytes + payloadBytes
    }
}
