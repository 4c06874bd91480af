/// The layout of command 0, the "simple" notification, which has no identifier.
///
/// command 0 (1) · token length (2) · token · payload length (2) · payload, integers big-endian.
/// Apple, Local and Remote Notification Programming Guide, "Legacy Notification Format".
public struct SimpleNotification: NotificationFormat {
    /// The first byte of the frame.
    public static let command: UInt8 = 0
    /// Where the token begins.
    public static let tokenOffset = 3
    /// Bytes of a frame that are neither token nor payload.
    public static let overheadBytes = 5

    /// Makes the format; it has no fields that could vary.
    @inlinable
    public init() {}

    /// Where the payload begins, behind a token of `tokenBytes` bytes.
    @inlinable
    public static func payloadOffset(tokenBytes: Int) -> Int { overheadBytes + tokenBytes }

    /// Writes everything but token and payload, which already stand at their offsets; the identifier is left out.
    @inlinable
    public func frame(
        _ frame: UnsafeMutableRawPointer, identifier: UInt32, tokenBytes: Int, payloadBytes: Int
    ) -> Int {
        frame.storeBytes(of: Self.command, as: UInt8.self)
        frame.storeBytes(of: UInt16(tokenBytes).bigEndian, toByteOffset: 1, as: UInt16.self)
        frame.storeBytes(
            of: UInt16(payloadBytes).bigEndian, toByteOffset: Self.tokenOffset + tokenBytes, as: UInt16.self)
        return Self.overheadBytes + tokenBytes + payloadBytes
    }
}
