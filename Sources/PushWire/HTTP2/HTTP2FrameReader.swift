/// Cuts a byte stream that arrives in any pieces into frames, and keeps at most one unfinished one.
///
/// Each call of ``next(in:)`` gives one frame, whose payload stays valid until the next call. A frame that arrived whole is a view
/// of the caller's bytes; others are put together in memory that is asked for once.
public struct HTTP2FrameReader: ~Copyable {
    /// Which side of a connection a reader is.
    public enum Role: Sendable {
        /// Reads what a server sends.
        case client
        /// Reads what a client sends, which begins with the connection preface.
        case server
    }

    /// The 24 bytes with which a client begins (RFC 9113 section 3.4).
    public static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// The longest payload that is accepted, as our own SETTINGS_MAX_FRAME_SIZE says.
    public let maxFrameSize: Int
    private var carry = OwnedBytes()
    @usableFromInline var carryCount = 0
    /// Whether the preface and the first frame are over and nothing was wrong so far.
    @usableFromInline var isPlain = false
    private var prefaceCount: Int
    private var isBroken = false

    /// Makes a reader at the start of a stream.
    public init(role: Role, maxFrameSize: Int = HTTP2FrameHeader.defaultMaxFrameSize) {
        precondition(maxFrameSize >= HTTP2FrameHeader.defaultMaxFrameSize && maxFrameSize < 1 << 24)
        self.maxFrameSize = maxFrameSize
        prefaceCount = role == .server ? 0 : Self.preface.utf8CodeUnitCount
    }

    /// How many bytes of an unfinished frame are kept; never more than the longest frame.
    public var unfinishedByteCount: Int { carryCount }

    /// Takes the next frame off the front of `input`; nil when `input` is used up.
    ///
    /// - Throws: a violation of the whole connection, after which nothing is read any more, or of one stream, after which the next
    ///   frame can be taken.
    @inlinable
    public mutating func next(in input: inout UnsafeRawBufferPointer) throws(HTTP2Violation) -> HTTP2Frame? {
        if isPlain, carryCount == 0, input.count >= HTTP2FrameHeader.byteCount, let base = input.baseAddress {
            let header = HTTP2FrameHeader(at: base)
            let byteCount = HTTP2FrameHeader.byteCount &+ header.length
            if header.length <= maxFrameSize && byteCount <= input.count {
                input = UnsafeRawBufferPointer(start: base + byteCount, count: input.count &- byteCount)
                let payload = UnsafeRawBufferPointer(
                    start: base + HTTP2FrameHeader.byteCount, count: header.length)
                let frame = HTTP2Frame(header: header, payload: payload)
                do throws(HTTP2Violation) { try frame.check() } catch { throw note(error) }
                return frame
            }
        }
        return try nextUnusual(in: &input)
    }

    /// Reads nothing any more after a violation of the whole connection.
    @usableFromInline
    mutating func note(_ violation: HTTP2Violation) -> HTTP2Violation {
        if violation.scope == .connection { (isBroken, isPlain) = (true, false) }
        return violation
    }

    /// The way of the first frame, of frames that arrive in pieces, and of streams that are over.
    @usableFromInline
    mutating func nextUnusual(in input: inout UnsafeRawBufferPointer) throws(HTTP2Violation) -> HTTP2Frame? {
        guard !isBroken else {
            input = UnsafeRawBufferPointer(start: nil, count: 0)
            return nil
        }
        do throws(HTTP2Violation) {
            guard try takePreface(from: &input), let frame = try completeFrame(from: &input) else { return nil }
            try frame.check()
            guard !isPlain else { return frame }
            guard frame.type == .settings, !frame.isAcknowledgement else { throw HTTP2Violation(.settingsFirst) }
            isPlain = true
            return frame
        } catch {
            throw note(error)
        }
    }

    private mutating func takePreface(from input: inout UnsafeRawBufferPointer) throws(HTTP2Violation) -> Bool {
        let whole = Self.preface.utf8CodeUnitCount
        guard prefaceCount < whole else { return true }
        let count = min(whole - prefaceCount, input.count)
        for offset in 0..<count where input[offset] != Self.preface.utf8Start[prefaceCount + offset] {
            throw HTTP2Violation(.preface)
        }
        prefaceCount += count
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(count))
        return prefaceCount == whole
    }

    private mutating func completeFrame(from input: inout UnsafeRawBufferPointer) throws(HTTP2Violation) -> HTTP2Frame?
    {
        guard take(upTo: HTTP2FrameHeader.byteCount, from: &input), let start = carry.all.baseAddress else {
            return nil
        }
        let header = HTTP2FrameHeader(at: start)
        guard header.length <= maxFrameSize else { throw HTTP2Violation(.frameSizeLimit) }
        let end = HTTP2FrameHeader.byteCount + header.length
        guard take(upTo: end, from: &input) else { return nil }
        carryCount = 0
        return HTTP2Frame(header: header, payload: carry.view(HTTP2FrameHeader.byteCount..<end))
    }

    /// Moves bytes into the unfinished frame until it has `count`; returns whether it has.
    private mutating func take(upTo count: Int, from input: inout UnsafeRawBufferPointer) -> Bool {
        if carryCount >= count { return true }
        // Short frames are the rule; the longest needs one more request for memory, once.
        carry.reserve(count <= 512 ? 512 : HTTP2FrameHeader.byteCount + maxFrameSize, keeping: carryCount)
        let taken = min(count - carryCount, input.count)
        carry.put(UnsafeRawBufferPointer(rebasing: input.prefix(taken)), at: carryCount)
        carryCount += taken
        input = UnsafeRawBufferPointer(rebasing: input.dropFirst(taken))
        return carryCount == count
    }
}
