/// The parameters that one side of a connection announces to the other (RFC 9113 section 6.5.2).
public struct HTTP2Settings: Hashable, Sendable {
    /// The largest dynamic table that the announcing side's decoder keeps, in bytes.
    public var headerTableSize: UInt32 = 4_096
    /// Whether pushed responses are welcome.
    public var isPushEnabled = true
    /// How many streams the other side may have open at once; nil while nothing was said.
    public var maxConcurrentStreams: UInt32?
    /// The room for DATA that each new stream has, 0 ... 2³¹ − 1.
    public var initialWindowSize: UInt32 = 65_535
    /// The longest frame that is accepted, 16,384 ... 2²⁴ − 1.
    public var maxFrameSize: UInt32 = 16_384
    /// The largest header list that is welcome, in bytes; nil while nothing was said.
    public var maxHeaderListSize: UInt32?

    /// The bytes of one parameter.
    static let parameterBytes = 6
    /// The most bytes that ``write(to:since:)`` writes.
    public static let maxByteCount = HTTP2FrameHeader.byteCount + 6 * parameterBytes
    /// The largest window.
    public static let maxWindowSize: UInt32 = 0x7FFF_FFFF

    /// Makes the values that hold before anything was said.
    public init() {}

    /// Takes over what a SETTINGS frame says, parameters that nobody knows left aside.
    ///
    /// - Throws: a violation of the whole connection for a value out of its range; the values before it are then taken over.
    public mutating func apply(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        var offset = 0
        while offset + Self.parameterBytes <= frame.payload.count {
            let identifier = UInt16(bigEndian: frame.payload.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            let value = UInt32(bigEndian: frame.payload.loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self))
            try set(identifier, to: value)
            offset += Self.parameterBytes
        }
    }

    private mutating func set(_ identifier: UInt16, to value: UInt32) throws(HTTP2Violation) {
        switch identifier {
        case 1: headerTableSize = value
        case 2:
            guard value <= 1 else { throw HTTP2Violation(.settingValue(identifier)) }
            isPushEnabled = value == 1
        case 3: maxConcurrentStreams = value
        case 4:
            guard value <= Self.maxWindowSize else { throw HTTP2Violation(.initialWindowSize) }
            initialWindowSize = value
        case 5:
            guard value >= 16_384 && value < 1 << 24 else { throw HTTP2Violation(.settingValue(identifier)) }
            maxFrameSize = value
        case 6: maxHeaderListSize = value
        default: break
        }
    }

    /// Writes a SETTINGS frame with what differs from `other`, what the peer knows already, and returns its length in bytes.
    ///
    /// - Precondition: ``maxByteCount`` bytes are writable at `destination`.
    public func write(to destination: UnsafeMutableRawPointer, since other: HTTP2Settings = HTTP2Settings()) -> Int {
        var end = HTTP2FrameHeader.byteCount
        func put(_ identifier: UInt16, _ value: UInt32?, _ before: UInt32?) {
            guard let value, value != before else { return }
            destination.storeBytes(of: identifier.bigEndian, toByteOffset: end, as: UInt16.self)
            destination.storeBytes(of: value.bigEndian, toByteOffset: end + 2, as: UInt32.self)
            end += Self.parameterBytes
        }
        put(1, headerTableSize, other.headerTableSize)
        put(2, isPushEnabled ? 1 : 0, other.isPushEnabled ? 1 : 0)
        put(3, maxConcurrentStreams, other.maxConcurrentStreams)
        put(4, initialWindowSize, other.initialWindowSize)
        put(5, maxFrameSize, other.maxFrameSize)
        put(6, maxHeaderListSize, other.maxHeaderListSize)
        HTTP2FrameHeader(type: .settings, streamID: 0, length: end - HTTP2FrameHeader.byteCount).write(to: destination)
        return end
    }
}
