/// The six bytes with which the gateway answers a notification that it refuses: 8, status, identifier.
///
/// Apple, Local and Remote Notification Programming Guide, "Binary Provider API", figure A-2.
public struct ErrorReply: Hashable, Sendable {
    /// The first byte of every error reply.
    public static let command: UInt8 = 8
    /// The reply's length in bytes.
    public static let byteCount = 6

    /// Why the gateway refuses.
    public var status: ErrorStatus
    /// The identifier of the refused notification; for ``ErrorStatus/shutdown``, of the last accepted one.
    public var identifier: UInt32

    /// Makes a reply of its two fields.
    public init(status: ErrorStatus, identifier: UInt32) {
        self.status = status
        self.identifier = identifier
    }

    /// Writes the six bytes to the start of `buffer`.
    ///
    /// - Precondition: `buffer` has room for ``byteCount`` bytes.
    public func write(into buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= Self.byteCount, "an error reply needs six bytes")
        buffer[0] = Self.command
        buffer[1] = status.rawValue
        buffer.storeBytes(of: identifier.bigEndian, toByteOffset: 2, as: UInt32.self)
    }
}

/// Puts error replies together from bytes that arrive in any pieces.
public struct ErrorReplyDecoder: Sendable {
    /// What the bytes so far add up to.
    public enum Outcome: Hashable, Sendable {
        /// The reply is not complete yet.
        case incomplete
        /// A whole reply; bytes behind it were not looked at.
        case reply(ErrorReply)
        /// The stream does not begin with ``ErrorReply/command``, so what it is cannot be told; these are its first bytes.
        case violation(LeadingBytes)
    }

    private var bytes: UInt64 = 0
    /// How many bytes of an unfinished reply have arrived, 0 ... 5.
    public private(set) var pendingByteCount = 0

    /// Makes a decoder at the start of a stream.
    public init() {}

    /// Takes bytes from the stream until a reply is complete or a violation is found.
    public mutating func receive(_ input: UnsafeRawBufferPointer) -> Outcome {
        for byte in input {
            // Only the first byte of a stream can be wrong, so that what came is the stream from its start.
            if pendingByteCount == 0 && byte != ErrorReply.command { return .violation(LeadingBytes(input)) }
            bytes = bytes << 8 | UInt64(byte)
            pendingByteCount += 1
            guard pendingByteCount == ErrorReply.byteCount else { continue }
            let status = ErrorStatus(rawValue: UInt8(truncatingIfNeeded: bytes >> 32))
            let reply = ErrorReply(status: status, identifier: UInt32(truncatingIfNeeded: bytes))
            self = ErrorReplyDecoder()
            return .reply(reply)
        }
        return .incomplete
    }
}
