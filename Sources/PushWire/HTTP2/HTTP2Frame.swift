/// A whole frame; the payload is a view of the reader's or the caller's bytes, and is valid only until either moves on.
///
/// Frames that an ``HTTP2FrameReader`` hands out have the right length for their type and stand on a stream or on the
/// connection as their type asks for.
@frozen public struct HTTP2Frame {
    /// The frame's first nine bytes.
    public var header: HTTP2FrameHeader
    /// Everything behind them.
    public var payload: UnsafeRawBufferPointer

    /// Makes a frame of its parts.
    @inlinable
    public init(header: HTTP2FrameHeader, payload: UnsafeRawBufferPointer) {
        self.header = header
        self.payload = payload
    }

    /// The frame's type.
    @inlinable public var type: HTTP2FrameType { header.type }
    /// The frame's stream; 0 is the connection.
    @inlinable public var streamID: UInt32 { header.streamID }
    /// Whether the frame ends its stream; for DATA and HEADERS.
    @inlinable public var endsStream: Bool { header.flags.contains(.endStream) }
    /// Whether the frame acknowledges; for SETTINGS and PING.
    @inlinable public var isAcknowledgement: Bool { header.flags.contains(.acknowledgement) }

    /// The content of a DATA or HEADERS frame, without padding and priority (RFC 9113 sections 6.1 and 6.2).
    ///
    /// - Throws: ``HTTP2Rule/padding`` if there is more padding than frame, ``HTTP2Rule/frameLength(_:)`` if the priority is cut off.
    @inlinable
    public func content() throws(HTTP2Violation) -> UnsafeRawBufferPointer {
        header.flags.isDisjoint(with: [.padded, .priority]) ? payload : try strippedContent()
    }

    @usableFromInline
    func strippedContent() throws(HTTP2Violation) -> UnsafeRawBufferPointer {
        var start = 0
        var end = payload.count
        if header.flags.contains(.padded) {
            guard let padding = payload.first, Int(padding) < payload.count else { throw HTTP2Violation(.padding) }
            start = 1
            end -= Int(padding)
        }
        if type == .headers && header.flags.contains(.priority) {
            start += 5
            guard start <= payload.count else { throw HTTP2Violation(.frameLength(.headers)) }
        }
        guard start <= end else { throw HTTP2Violation(.padding) }
        return UnsafeRawBufferPointer(rebasing: payload[start..<end])
    }

    /// By how much a WINDOW_UPDATE widens its window, 1 ... 2³¹ − 1.
    ///
    /// - Throws: ``HTTP2Rule/windowIncrement`` for 0, which ends the stream, or the connection if it is the connection's window (RFC 9113
    ///   section 6.9).
    public func windowIncrement() throws(HTTP2Violation) -> UInt32 {
        let increment = word(at: 0) & HTTP2FrameHeader.lastStreamID
        guard increment > 0 else {
            throw HTTP2Violation(.windowIncrement, scope: streamID == 0 ? .connection : .stream(streamID))
        }
        return increment
    }

    /// The error code of a RST_STREAM frame.
    public var resetCode: HTTP2ErrorCode { HTTP2ErrorCode(rawValue: word(at: 0)) }

    /// The eight bytes of a PING frame, to be sent back as they are.
    public var pingData: UInt64 { payload.loadUnaligned(as: UInt64.self) }

    /// The last stream of a GOAWAY frame that was or will be dealt with.
    public var lastStreamID: UInt32 { word(at: 0) & HTTP2FrameHeader.lastStreamID }

    /// The error code of a GOAWAY frame.
    public var goAwayCode: HTTP2ErrorCode { HTTP2ErrorCode(rawValue: word(at: 4)) }

    /// What a GOAWAY frame says behind its fields.
    public var debugData: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: payload.dropFirst(8)) }

    private func word(at offset: Int) -> UInt32 {
        UInt32(bigEndian: payload.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

extension HTTP2Frame {
    /// Refuses a frame of the wrong length, or on a stream where none belongs (RFC 9113 section 6).
    @inlinable
    func check() throws(HTTP2Violation) {
        switch type {
        case .data, .headers, .continuation:
            if streamID == 0 { throw HTTP2Violation(.streamNeeded(type)) }
        default: try checkRareType()
        }
    }

    @usableFromInline
    func checkRareType() throws(HTTP2Violation) {
        let length = payload.count
        let isOnStream = streamID != 0
        switch type {
        case .resetStream, .priority:
            guard isOnStream else { throw HTTP2Violation(.streamNeeded(type)) }
            if type == .resetStream && length != 4 { throw HTTP2Violation(.frameLength(type)) }
            // Section 6.3: the one wrong length that costs only a stream.
            if type == .priority && length != 5 {
                throw HTTP2Violation(.frameLength(type), scope: .stream(streamID))
            }
        case .settings, .ping, .goAway:
            guard !isOnStream else { throw HTTP2Violation(.connectionNeeded(type)) }
            let isRight =
                switch type {
                case .ping: length == 8
                case .goAway: length >= 8
                default: isAcknowledgement ? length == 0 : length % 6 == 0
                }
            guard isRight else { throw HTTP2Violation(.frameLength(type)) }
        case .windowUpdate:
            guard length == 4 else { throw HTTP2Violation(.frameLength(type)) }
        case .pushPromise: throw HTTP2Violation(.pushPromise)
        case .data, .headers, .continuation, .unknown: break
        }
    }
}
