/// The kind of a frame (RFC 9113 section 6).
@frozen public enum HTTP2FrameType: Hashable, Sendable {
    /// Part of a body.
    case data
    /// The beginning of a header block.
    case headers
    /// A priority, which nobody heeds any more (section 5.3.2).
    case priority
    /// The end of one stream.
    case resetStream
    /// Parameters, or the acknowledgement of such.
    case settings
    /// The announcement of a pushed response.
    case pushPromise
    /// A sign of life, or the answer to one.
    case ping
    /// The end of the connection.
    case goAway
    /// More room for DATA.
    case windowUpdate
    /// The rest of a header block.
    case continuation
    /// A kind that the RFC does not know and that must be ignored (section 5.5).
    case unknown

    /// Makes the type of a byte on the wire.
    @inlinable
    public init(code: UInt8) {
        switch code {
        case 0: self = .data
        case 1: self = .headers
        case 2: self = .priority
        case 3: self = .resetStream
        case 4: self = .settings
        case 5: self = .pushPromise
        case 6: self = .ping
        case 7: self = .goAway
        case 8: self = .windowUpdate
        case 9: self = .continuation
        default: self = .unknown
        }
    }

    /// The byte on the wire; 255 for ``unknown``.
    @inlinable public var code: UInt8 {
        switch self {
        case .data: 0
        case .headers: 1
        case .priority: 2
        case .resetStream: 3
        case .settings: 4
        case .pushPromise: 5
        case .ping: 6
        case .goAway: 7
        case .windowUpdate: 8
        case .continuation: 9
        case .unknown: 255
        }
    }
}

extension HTTP2FrameType: CustomStringConvertible {
    /// The name in the RFC.
    public var description: String {
        switch self {
        case .data: "DATA"
        case .headers: "HEADERS"
        case .priority: "PRIORITY"
        case .resetStream: "RST_STREAM"
        case .settings: "SETTINGS"
        case .pushPromise: "PUSH_PROMISE"
        case .ping: "PING"
        case .goAway: "GOAWAY"
        case .windowUpdate: "WINDOW_UPDATE"
        case .continuation: "CONTINUATION"
        case .unknown: "a frame of an unknown type"
        }
    }
}

/// The flags of a frame; what a bit means depends on the frame's type (RFC 9113 section 6).
@frozen public struct HTTP2Flags: OptionSet, Hashable, Sendable {
    /// The byte on the wire.
    public var rawValue: UInt8

    /// Makes the flags of a byte on the wire.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The last frame of a message (DATA, HEADERS).
    @inlinable public static var endStream: HTTP2Flags { HTTP2Flags(rawValue: 0x1) }
    /// An acknowledgement (SETTINGS, PING).
    @inlinable public static var acknowledgement: HTTP2Flags { HTTP2Flags(rawValue: 0x1) }
    /// The end of a header block (HEADERS, CONTINUATION).
    @inlinable public static var endHeaders: HTTP2Flags { HTTP2Flags(rawValue: 0x4) }
    /// Padding follows the content (DATA, HEADERS).
    @inlinable public static var padded: HTTP2Flags { HTTP2Flags(rawValue: 0x8) }
    /// Five bytes of priority precede the content (HEADERS).
    @inlinable public static var priority: HTTP2Flags { HTTP2Flags(rawValue: 0x20) }
}

/// The nine bytes with which every frame begins (RFC 9113 section 4.1).
@frozen public struct HTTP2FrameHeader: Hashable, Sendable {
    /// The header's length in bytes.
    @inlinable public static var byteCount: Int { 9 }
    /// The longest frame that every peer must take, and the most that is sent or accepted without SETTINGS to the contrary.
    @inlinable public static var defaultMaxFrameSize: Int { 16_384 }
    /// The highest stream identifier.
    @inlinable public static var lastStreamID: UInt32 { 0x7FFF_FFFF }

    /// The payload's length in bytes, 0 ... 2²⁴ − 1.
    public var length: Int
    /// The type's byte.
    public var typeCode: UInt8
    /// The flags.
    public var flags: HTTP2Flags
    /// The stream, 0 ... 2³¹ − 1; 0 is the connection itself.
    public var streamID: UInt32

    /// Makes a header of its fields.
    @inlinable
    public init(type: HTTP2FrameType, flags: HTTP2Flags = [], streamID: UInt32, length: Int) {
        self.length = length
        typeCode = type.code
        self.flags = flags
        self.streamID = streamID
    }

    /// Reads the header at `bytes`; the reserved bit is ignored.
    ///
    /// - Precondition: ``byteCount`` bytes are readable at `bytes`.
    @inlinable
    public init(at bytes: UnsafeRawPointer) {
        let first = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        length = Int(first >> 40)
        typeCode = UInt8(truncatingIfNeeded: first >> 32)
        flags = HTTP2Flags(rawValue: UInt8(truncatingIfNeeded: first >> 24))
        let low = UInt32(bytes.load(fromByteOffset: 8, as: UInt8.self))
        streamID = (UInt32(truncatingIfNeeded: first) << 8 | low) & Self.lastStreamID
    }

    /// The frame's type.
    @inlinable public var type: HTTP2FrameType { HTTP2FrameType(code: typeCode) }

    /// Writes the nine bytes.
    ///
    /// - Precondition: ``byteCount`` bytes are writable at `destination`; the length is below 2²⁴.
    @inlinable
    public func write(to destination: UnsafeMutableRawPointer) {
        let first =
            UInt64(truncatingIfNeeded: length) << 40 | UInt64(typeCode) << 32 | UInt64(flags.rawValue) << 24
            | UInt64(streamID >> 8)
        destination.storeBytes(of: first.bigEndian, as: UInt64.self)
        destination.storeBytes(of: UInt8(truncatingIfNeeded: streamID), toByteOffset: 8, as: UInt8.self)
    }
}
