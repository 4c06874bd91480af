/// How a sender puts one notification into bytes: the layout of one command of the binary interface.
///
/// Frames are encoded in place, which saves a copy of each part: the caller lets its sources write token and payload at
/// ``tokenOffset`` and ``payloadOffset(tokenBytes:)`` first, since only they know how long the parts are, and then has
/// the rest written around them. Code that is generic over the format is specialised for each, so a choice costs nothing
/// per notification.
public protocol NotificationFormat: Sendable {
    /// The first byte of the frame.
    static var command: UInt8 { get }
    /// Where the token begins.
    static var tokenOffset: Int { get }
    /// Bytes of a frame that are neither token nor payload.
    static var overheadBytes: Int { get }
    /// Where the token's length stands, two bytes big-endian.
    static var tokenLengthOffset: Int { get }

    /// Where the payload begins, behind a token of `tokenBytes` bytes.
    static func payloadOffset(tokenBytes: Int) -> Int

    /// Writes everything but token and payload, which already stand at their offsets.
    ///
    /// - Parameters:
    ///   - frame: the frame's first byte; the buffer must hold the whole frame.
    ///   - identifier: echoed by an error reply; without effect in a format that has none.
    ///   - tokenBytes: the token's length, 0 ... 65,535.
    ///   - payloadBytes: the payload's length, 0 ... 65,535.
    /// - Returns: the frame's length in bytes.
    func frame(_ frame: UnsafeMutableRawPointer, identifier: UInt32, tokenBytes: Int, payloadBytes: Int) -> Int
}

extension NotificationFormat {
    /// Where the token's length stands: directly before the token in all commands.
    @inlinable
    public static var tokenLengthOffset: Int { tokenOffset - 2 }
}
