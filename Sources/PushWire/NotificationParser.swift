/// Reads notifications of commands 0, 1 and 2, in any mixture, from a byte stream, with bounds on what it accepts.
///
/// What a frame earns depends on its bytes alone, not on the pieces in which they arrive. The first thing that is wrong
/// decides, in the order of the bytes:
///
/// | what is wrong | status |
/// |---|---|
/// | the token is empty, or a command 2 has none | 2 |
/// | the payload is empty, or a command 2 has none | 4 |
/// | the token's length is not one of ``tokenBytes`` | 5 |
/// | the payload is longer than ``payloadLimit`` | 7 |
/// | command 2: an unknown or repeated item, an identifier or expiry that has not 4 bytes, a priority that is not one byte of 5 or 10, an item that does not fit into its frame | 128 |
///
/// Documents name none of the causes of 128 in particular; it is the status for what cannot be parsed (Apple, "Binary
/// Provider API", table A-4). See ``parse(_:)`` for the identifier that a refusal names.
public struct NotificationParser: Sendable {
    /// The longest payload, in bytes, that is waited for.
    public let payloadLimit: Int
    /// The token lengths, in bytes, that are taken.
    public let tokenBytes: ClosedRange<Int>
    /// Whether the form is judged; otherwise every frame whose end can be found is taken, for counting what is thrown away.
    public let judgesForm: Bool
    /// The longest command 2, header included, that is read whole before it is judged.
    @usableFromInline let wholeFrameLimit: Int
    /// Whether tokens of the usual 32 bytes are taken, so that the usual frame is told by one comparison.
    @usableFromInline let takesUsualTokens: Bool

    /// The usual token's length in bytes.
    @usableFromInline static let usualTokenBytes = 32
    /// A command 2 up to this length is read to its end even if it is wrong, for the sake of its identifier.
    private static let searchedFrameLimit = 16_384

    /// Makes a parser with the given bounds; 32-byte tokens and 2,048-byte payloads are what the late service took.
    public init(payloadLimit: Int = 2_048, tokenBytes: ClosedRange<Int> = 32...32) {
        self.init(payloadLimit: payloadLimit, tokenBytes: tokenBytes, judgesForm: true)
    }

    private init(payloadLimit: Int, tokenBytes: ClosedRange<Int>, judgesForm: Bool) {
        self.payloadLimit = payloadLimit
        self.tokenBytes = tokenBytes
        self.judgesForm = judgesForm
        let longest = FramedNotification.overheadBytes + tokenBytes.upperBound + payloadLimit
        wholeFrameLimit = max(longest, Self.searchedFrameLimit)
        takesUsualTokens = tokenBytes.contains(Self.usualTokenBytes)
    }

    /// A parser that takes every frame as long as its end can be found.
    static var takingAnyForm: NotificationParser {
        NotificationParser(payloadLimit: Int(UInt16.max), tokenBytes: 0...Int(UInt16.max), judgesForm: false)
    }

    /// The longest frame, in bytes, that this parser can ask for.
    public var frameLimit: Int { wholeFrameLimit }

    /// Looks at the start of `input` without consuming it.
    ///
    /// A refusal names the frame's identifier if it has one. In a command 2 it is looked for even behind the fault, with two
    /// exceptions: an empty token refuses at once, as the service did (pushy saw status 2 with identifier 0), and so
    /// does a frame that is longer than any that would be accepted, so that nobody makes us keep it.
    @inlinable
    public func parse(_ input: UnsafeRawBufferPointer) -> ParsedNotification {
        if let notification = usualNotification(at: input) { return .notification(notification) }
        return parseAny(input)
    }

    /// A whole command 1 with a token of the usual length and a payload within the limit; nil for everything else, which
    /// ``parseAny(_:)`` looks at.
    @inlinable @inline(__always)
    func usualNotification(at input: UnsafeRawBufferPointer) -> NotificationView? {
        let usualOffset = EnhancedNotification.payloadOffset(tokenBytes: Self.usualTokenBytes)
        guard input.count > usualOffset, let base = input.baseAddress, takesUsualTokens,
            base.load(as: UInt8.self) == EnhancedNotification.command,
            base.loadUnaligned(fromByteOffset: EnhancedNotification.tokenLengthOffset, as: UInt16.self)
                == UInt16(Self.usualTokenBytes).bigEndian
        else { return nil }
        let payloadLength = Int(
            UInt16(bigEndian: base.loadUnaligned(fromByteOffset: usualOffset &- 2, as: UInt16.self)))
        let byteCount = usualOffset &+ payloadLength
        guard payloadLength > 0 && payloadLength <= payloadLimit && byteCount <= input.count else { return nil }
        return NotificationView(
            command: EnhancedNotification.command,
            identifier: UInt32(bigEndian: base.loadUnaligned(fromByteOffset: 1, as: UInt32.self)),
            hasIdentifier: true,
            expiry: UInt32(bigEndian: base.loadUnaligned(fromByteOffset: 5, as: UInt32.self)),
            token: UnsafeRawBufferPointer(start: base + EnhancedNotification.tokenOffset, count: Self.usualTokenBytes),
            payload: UnsafeRawBufferPointer(start: base + usualOffset, count: payloadLength),
            byteCount: byteCount)
    }

    /// ``parse(_:)`` without its short way for the usual frame.
    @usableFromInline
    func parseAny(_ input: UnsafeRawBufferPointer) -> ParsedNotification {
        guard let base = input.baseAddress, input.count > 0 else { return .incomplete(neededBytes: 1) }
        let command = base.load(as: UInt8.self)
        switch command {
        case SimpleNotification.command: return parsePlain(SimpleNotification.self, base, count: input.count)
        case EnhancedNotification.command: return parsePlain(EnhancedNotification.self, base, count: input.count)
        case FramedNotification.command: return parseFramed(base, count: input.count)
        default: return .unknownCommand(command)
        }
    }

    /// Reads commands 0 and 1, in which token and payload follow each other at the frame's end.
    @inline(__always)
    private func parsePlain<Format: NotificationFormat>(
        _ format: Format.Type, _ base: UnsafeRawPointer, count: Int
    ) -> ParsedNotification {
        guard count >= Format.tokenOffset else { return .incomplete(neededBytes: Format.tokenOffset) }
        let hasIdentifier = Format.command == EnhancedNotification.command
        let identifier = hasIdentifier ? base.bigEndian32(at: 1) : 0
        func refused(_ status: ErrorStatus) -> ParsedNotification {
            .refused(
                RefusedNotification(
                    command: Format.command, status: status, identifier: identifier, hasIdentifier: hasIdentifier))
        }
        let tokenLength = base.bigEndian16(at: Format.tokenLengthOffset)
        guard tokenBytes.contains(tokenLength) else {
            return refused(tokenLength == 0 ? .missingDeviceToken : .invalidTokenSize)
        }
        let payloadOffset = Format.payloadOffset(tokenBytes: tokenLength)
        guard count >= payloadOffset else { return .incomplete(neededBytes: payloadOffset) }
        let payloadLength = base.bigEndian16(at: payloadOffset - 2)
        guard payloadLength <= payloadLimit else { return refused(.invalidPayloadSize) }
        guard payloadLength > 0 || !judgesForm else { return refused(.missingPayload) }
        let byteCount = payloadOffset + payloadLength
        guard count >= byteCount else { return .incomplete(neededBytes: byteCount) }
        return .notification(
            NotificationView(
                command: Format.command, identifier: identifier, hasIdentifier: hasIdentifier,
                expiry: hasIdentifier ? base.bigEndian32(at: 5) : 0,
                token: UnsafeRawBufferPointer(start: base + Format.tokenOffset, count: tokenLength),
                payload: UnsafeRawBufferPointer(start: base + payloadOffset, count: payloadLength),
                byteCount: byteCount))
    }
}

extension UnsafeRawPointer {
    /// The unsigned number in two bytes at an offset.
    @inline(__always)
    func bigEndian16(at offset: Int) -> Int {
        Int(UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// The unsigned number in four bytes at an offset.
    @inline(__always)
    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
