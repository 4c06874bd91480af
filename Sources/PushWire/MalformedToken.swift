/// A frame whose token is damaged, for senders that provoke it on purpose.
///
/// No format writes such frames by itself; a whole frame is damaged afterwards. Where the declared length is not the real one, a
/// reader loses its place in the frame.
public enum MalformedToken: String, Hashable, Sendable, CaseIterable {
    /// The token's last byte is missing: 31 bytes behind a declared length of 32.
    case missingByte
    /// The token has one byte more than declared: 32 bytes behind a declared length of 31.
    case extraByte
    /// No token at all, and a declared length of 0: true to the bytes, and refused without an identifier in a command 2, whose
    /// identifier stands behind the token (Apple, "Binary Provider API", on identifier 0 in error responses).
    case empty

    /// Damages a frame of `format` in place and returns its new length in bytes; a command 2 keeps a true frame length.
    ///
    /// - Precondition: the token has at least one byte.
    public func damage<Format: NotificationFormat>(
        _ frame: UnsafeMutableRawPointer, of format: Format.Type, tokenBytes: Int, byteCount: Int
    ) -> Int {
        precondition(tokenBytes > 0, "an empty token has no byte to spare")
        switch self {
        case .extraByte:
            frame.storeBytes(
                of: UInt16(tokenBytes - 1).bigEndian, toByteOffset: Format.tokenLengthOffset, as: UInt16.self)
            return byteCount
        case .missingByte:
            return Self.remove(1, from: frame, of: format, tokenBytes: tokenBytes, byteCount: byteCount)
        case .empty:
            frame.storeBytes(of: UInt16(0), toByteOffset: Format.tokenLengthOffset, as: UInt16.self)
            return Self.remove(tokenBytes, from: frame, of: format, tokenBytes: tokenBytes, byteCount: byteCount)
        }
    }

    /// Takes the token's last `count` bytes out of the frame, whose own length stays true.
    private static func remove<Format: NotificationFormat>(
        _ count: Int, from frame: UnsafeMutableRawPointer, of format: Format.Type, tokenBytes: Int, byteCount: Int
    ) -> Int {
        let tokenEnd = Format.tokenOffset + tokenBytes
        // The two places overlap, which this copy allows.
        (frame + tokenEnd - count).copyMemory(from: frame + tokenEnd, byteCount: byteCount - tokenEnd)
        if Format.command == FramedNotification.command {
            let length = UInt32(byteCount - FramedNotification.headerBytes - count)
            frame.storeBytes(of: length.bigEndian, toByteOffset: 1, as: UInt32.self)
        }
        return byteCount - count
    }
}
