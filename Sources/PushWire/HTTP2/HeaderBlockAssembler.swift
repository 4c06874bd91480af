/// A whole header block: what HEADERS and the CONTINUATION frames behind it carry (RFC 9113 section 4.3).
@frozen public struct HTTP2HeaderBlock {
    /// The stream.
    public var streamID: UInt32
    /// Whether the stream's sender says nothing after it.
    public var endsStream: Bool
    /// The compressed fields; valid until the assembler or the reader moves on.
    public var fields: UnsafeRawBufferPointer

    @inlinable
    init(streamID: UInt32, endsStream: Bool, fields: UnsafeRawBufferPointer) {
        self.streamID = streamID
        self.endsStream = endsStream
        self.fields = fields
    }
}

/// Joins a HEADERS frame and the CONTINUATION frames behind it, within bounds.
///
/// A block in one frame, which is the rule, is passed on as it is.
public struct HeaderBlockAssembler: ~Copyable {
    /// The most bytes of one compressed block.
    public let blockLimit: Int
    /// The most CONTINUATION frames of one block; more of them carry nothing that fewer could not (RFC 9113 section 10.5).
    public let continuationLimit: Int
    @usableFromInline var openStreamID: UInt32 = 0
    private var endsStream = false
    private var continuationCount = 0
    private var kept = OwnedBytes()
    /// How many bytes of an unfinished block are kept.
    public private(set) var unfinishedByteCount = 0

    /// Makes an assembler with nothing in it.
    public init(blockLimit: Int = 32_768, continuationLimit: Int = 8) {
        self.blockLimit = blockLimit
        self.continuationLimit = continuationLimit
    }

    /// Takes the next frame of a connection, of whatever type; returns the header block that it completes, if any.
    ///
    /// Every frame must be shown, since none may stand within a header block but its own (RFC 9113 section 6.10).
    /// - Throws: a violation of the connection, since a block that is not decoded would break the compression state.
    @inlinable
    public mutating func take(_ frame: HTTP2Frame) throws(HTTP2Violation) -> HTTP2HeaderBlock? {
        if openStreamID == 0 {
            if frame.type == .headers && frame.header.flags.contains(.endHeaders) {
                let fields = try frame.content()
                guard fields.count <= blockLimit else { throw HTTP2Violation(.headerBlockSize) }
                return HTTP2HeaderBlock(streamID: frame.streamID, endsStream: frame.endsStream, fields: fields)
            }
            if frame.type != .headers && frame.type != .continuation { return nil }
        }
        return try join(frame)
    }

    /// Forgets an unfinished block.
    public mutating func removeAll() {
        openStreamID = 0
        unfinishedByteCount = 0
    }

    @usableFromInline
    mutating func join(_ frame: HTTP2Frame) throws(HTTP2Violation) -> HTTP2HeaderBlock? {
        if openStreamID == 0 {
            guard frame.type == .headers else { throw HTTP2Violation(.continuationOrder) }
            openStreamID = frame.streamID
            endsStream = frame.endsStream
            continuationCount = 0
            unfinishedByteCount = 0
            try append(frame.content())
        } else {
            guard frame.type == .continuation, frame.streamID == openStreamID else {
                throw HTTP2Violation(.continuationOrder)
            }
            continuationCount += 1
            guard continuationCount <= continuationLimit else { throw HTTP2Violation(.continuationCount) }
            try append(frame.payload)
        }
        guard frame.header.flags.contains(.endHeaders) else { return nil }
        let block = HTTP2HeaderBlock(
            streamID: openStreamID, endsStream: endsStream, fields: kept.view(0..<unfinishedByteCount))
        removeAll()
        return block
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Violation) {
        let count = unfinishedByteCount + bytes.count
        guard count <= blockLimit else { throw HTTP2Violation(.headerBlockSize) }
        kept.reserve(min(blockLimit, 2 * count), keeping: unfinishedByteCount)
        kept.put(bytes, at: unfinishedByteCount)
        unfinishedByteCount = count
    }
}
