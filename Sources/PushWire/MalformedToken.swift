/// A frame whose declared token length is not the real one, for senders that provoke it on purpose.
///
/// No format writes such frames by itself; a whole frame is damaged afterwards, so that a reader loses its place in it.
public enum MalformedToken: String, Hashable, Sendable, CaseIterable {
    /// The token's last byte is missing: 31 bytes behind a declared length of 32.
    case missingByte
    /// The token has one byte more than declared: 32 bytes behind a declared length of 31.
    case extraByte

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
            let tokenEnd = Format.tokenOffset + tokenBytes
            // The two places overlap, which this copy allows.
            (frame + tokenEnd - 1).copyMemory(from: frame + tokenEnd, byteCount: byteCount - tokenEnd)
            if Format.command == FramedNotification.command {
                let length = UInt32(byteCount - FramedNotification.headerBytes - 1)
                frame.storeBytes(of: length.bigEndian, toByteOffset: 1, as: UInt32.self)
            }
            return byteCount - 1
        }
    }
}
