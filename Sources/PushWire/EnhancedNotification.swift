/// The layout of command 1, the "enhanced" notification.
///
/// command 1 (1) · identifier (4) · expiry (4) · token length (2) · token · payload length (2) · payload, integers big-endian.
/// Apple, Local and Remote Notification Programming Guide, "Legacy Notification Format".
public enum EnhancedNotification {
    /// The first byte of the frame.
    public static let command: UInt8 = 1
    /// Where the token begins.
    public static let tokenOffset = 11
    /// Bytes of a frame that are neither token nor payload.
    public static let overheadBytes = 13

    /// Where the payload begins, behind a token of `tokenBytes` bytes.
    @inlinable
    public static func payloadOffset(tokenBytes: Int) -> Int { overheadBytes + tokenBytes }

    /// Writes everything but token and payload, which already stand at their offsets.
    ///
    /// Encoding in place saves a copy of each part: the caller lets its sources write at ``tokenOffset`` and
    /// ``payloadOffset(tokenBytes:)`` first, since only they know how long the parts are.
    ///
    /// - Parameters:
    ///   - frame: the frame's first byte; the buffer must hold the whole frame.
    ///   - identifier: echoed by an error reply.
    ///   - expiry: UNIX seconds; 0 means that the gateway does not store the notification.
    ///   - tokenBytes: the token's length, 0 ... 65,535.
    ///   - payloadBytes: the payload's length, 0 ... 65,535.
    /// - Returns: the frame's length in bytes.
    @inlinable
    public static func frame(
        _ frame: UnsafeMutableRawPointer, identifier: UInt32, expiry: UInt32, tokenBytes: Int, payloadBytes: Int
    ) -> Int {
        frame.storeBytes(of: command, as: UInt8.self)
        frame.storeBytes(of: identifier.bigEndian, toByteOffset: 1, as: UInt32.self)
        frame.storeBytes(of: expiry.bigEndian, toByteOffset: 5, as: UInt32.self)
        frame.storeBytes(of: UInt16(tokenBytes).bigEndian, toByteOffset: 9, as: UInt16.self)
        frame.storeBytes(
            of: UInt16(payloadBytes).bigEndian, toByteOffset: tokenOffset + tokenBytes, as: UInt16.self)
        return overheadBytes + tokenBytes + payloadBytes
    }
}

/// One notification as it lies in a receive buffer; valid as long as the buffer is.
public struct NotificationView {
    /// What an error reply must echo.
    public var identifier: UInt32
    /// UNIX seconds; 0 or, read as signed, less means "do not store".
    public var expiry: UInt32
    /// The device token's bytes.
    public var token: UnsafeRawBufferPointer
    /// The payload's bytes.
    public var payload: UnsafeRawBufferPointer
    /// The length of the whole frame.
    public var byteCount: Int

    @inlinable
    init(
        identifier: UInt32, expiry: UInt32, token: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer,
        byteCount: Int
    ) {
        self.identifier = identifier
        self.expiry = expiry
        self.token = token
        self.payload = payload
        self.byteCount = byteCount
    }
}

/// What lies at the start of a receive buffer.
public enum ParsedNotification {
    /// A whole frame.
    case notification(NotificationView)
    /// The frame's start; it will be at least `neededBytes` long in all.
    case incomplete(neededBytes: Int)
    /// The frame is refused before its end is there, so that no peer decides how much we keep.
    case refused(status: ErrorStatus, identifier: UInt32)
    /// The first byte is no command that this gateway knows.
    case unknownCommand(UInt8)
}

/// Reads notifications from a byte stream, with bounds on what it accepts.
public struct NotificationParser: Sendable {
    /// The longest payload, in bytes, that is waited for.
    public var payloadLimit: Int
    /// The token lengths, in bytes, that are taken.
    public var tokenBytes: ClosedRange<Int>
    /// Whether a frame without a payload is taken as a whole one.
    public var acceptsEmptyPayload = false

    /// Makes a parser with the given bounds; 32-byte tokens and 2,048-byte payloads are what the late service took.
    public init(payloadLimit: Int = 2_048, tokenBytes: ClosedRange<Int> = 32...32) {
        self.payloadLimit = payloadLimit
        self.tokenBytes = tokenBytes
    }

    /// The longest frame, in bytes, that this parser can ask for.
    public var frameLimit: Int { EnhancedNotification.overheadBytes + tokenBytes.upperBound + payloadLimit }

    /// Looks at the start of `input` without consuming it.
    @inlinable
    public func parse(_ input: UnsafeRawBufferPointer) -> ParsedNotification {
        guard let base = input.baseAddress, input.count > 0 else { return .incomplete(neededBytes: 1) }
        let command = base.load(as: UInt8.self)
        guard command == EnhancedNotification.command else { return .unknownCommand(command) }
        guard input.count >= EnhancedNotification.tokenOffset else {
            return .incomplete(neededBytes: EnhancedNotification.tokenOffset)
        }
        let identifier = UInt32(bigEndian: base.loadUnaligned(fromByteOffset: 1, as: UInt32.self))
        let expiry = UInt32(bigEndian: base.loadUnaligned(fromByteOffset: 5, as: UInt32.self))
        let tokenLength = Int(UInt16(bigEndian: base.loadUnaligned(fromByteOffset: 9, as: UInt16.self)))
        guard tokenBytes.contains(tokenLength) else {
            let status: ErrorStatus = tokenLength == 0 ? .missingDeviceToken : .invalidTokenSize
            return .refused(status: status, identifier: identifier)
        }
        let payloadOffset = EnhancedNotification.payloadOffset(tokenBytes: tokenLength)
        guard input.count >= payloadOffset else { return .incomplete(neededBytes: payloadOffset) }
        let lengthOffset = payloadOffset - 2
        let payloadLength = Int(UInt16(bigEndian: base.loadUnaligned(fromByteOffset: lengthOffset, as: UInt16.self)))
        guard payloadLength <= payloadLimit && (payloadLength > 0 || acceptsEmptyPayload) else {
            let status: ErrorStatus = payloadLength == 0 ? .missingPayload : .invalidPayloadSize
            return .refused(status: status, identifier: identifier)
        }
        let byteCount = payloadOffset + payloadLength
        guard input.count >= byteCount else { return .incomplete(neededBytes: byteCount) }
        return .notification(
            NotificationView(
                identifier: identifier, expiry: expiry,
                token: UnsafeRawBufferPointer(start: base + EnhancedNotification.tokenOffset, count: tokenLength),
                payload: UnsafeRawBufferPointer(start: base + payloadOffset, count: payloadLength),
                byteCount: byteCount))
    }
}
