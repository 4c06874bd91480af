/// An error code of HTTP/2, as RST_STREAM and GOAWAY carry it (RFC 9113 section 7).
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The 32 bits on the wire; codes that the RFC does not name are kept as they are.
    public var rawValue: UInt32

    /// Makes the code of these 32 bits.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// No error: a graceful end.
    public static let noError = HTTP2ErrorCode(rawValue: 0x0)
    /// A violation for which there is no better code.
    public static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    /// The peer cannot go on for a reason of its own.
    public static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    /// A flow-control limit was exceeded.
    public static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    /// SETTINGS were not acknowledged in time.
    public static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    /// A frame for a stream that is half-closed or closed.
    public static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    /// A frame of a wrong length.
    public static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    /// The stream was refused before anything was done about it, so that it may be tried again (section 8.7).
    public static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    /// The stream is not wanted any more.
    public static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    /// The header compression state cannot be kept.
    public static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    /// A CONNECT tunnel broke.
    public static let connectError = HTTP2ErrorCode(rawValue: 0xA)
    /// The peer causes too much load.
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xB)
    /// The transport is not secure enough.
    public static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xC)
    /// HTTP/1.1 is wanted instead.
    public static let http11Required = HTTP2ErrorCode(rawValue: 0xD)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in the RFC, or `UNKNOWN_` and the number.
    public var name: String {
        let index = Int(rawValue)
        return index < Self.names.count ? Self.names[index] : "UNKNOWN_\(rawValue)"
    }
}
