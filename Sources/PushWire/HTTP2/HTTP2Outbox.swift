/// The frames of a side that are neither requests nor responses, until there is room to write them.
///
/// Most are answers, so a peer that asks and never reads would make this grow; it is bounded.
public struct HTTP2Outbox: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0
    private let limit: Int

    /// Makes an empty outbox that takes up to `limit` bytes.
    public init(limit: Int = 65_536) { self.limit = limit }

    /// Whether there is nothing to write.
    public var isEmpty: Bool { start == bytes.count }
    /// How many bytes wait.
    public var byteCount: Int { bytes.count - start }

    /// Whether the peer has left so many answers unread that it must be up to something; then the connection is to be given up.
    ///
    /// - Throws: ``HTTP2Rule/flood(_:)`` for the connection.
    public func check() throws(HTTP2Violation) {
        if byteCount > limit { throw HTTP2Violation(.flood(.unreadAnswer)) }
    }

    /// Moves as many bytes into `buffer` as have room and returns how many.
    public mutating func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(byteCount, buffer.count)
        guard count > 0 else { return 0 }
        buffer.copyBytes(from: bytes[start..<start + count])
        start += count
        if isEmpty {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 4_096)
            start = 0
        }
        return count
    }

    /// Forgets everything.
    public mutating func removeAll() { (bytes, start) = ([], 0) }

    /// Adds the connection preface of a client.
    public mutating func preface() {
        let preface = HTTP2FrameReader.preface
        bytes += UnsafeBufferPointer(start: preface.utf8Start, count: preface.utf8CodeUnitCount)
    }

    /// Adds SETTINGS with what differs from `other`.
    public mutating func settings(_ settings: HTTP2Settings, since other: HTTP2Settings = HTTP2Settings()) {
        append(HTTP2Settings.maxByteCount) { settings.write(to: $0, since: other) }
    }

    /// Adds an acknowledgement of SETTINGS.
    public mutating func settingsAcknowledgement() {
        frame(.settings, [.acknowledgement], 0, length: 0) { _ in }
    }

    /// Adds PING, or the answer to one; `data` as ``HTTP2Frame/pingData`` has it.
    public mutating func ping(_ data: UInt64, isAnswer: Bool) {
        frame(.ping, isAnswer ? [.acknowledgement] : [], 0, length: 8) { $0.storeBytes(of: data, as: UInt64.self) }
    }

    /// Adds WINDOW_UPDATE for a stream, or for the connection if `streamID` is 0.
    public mutating func windowUpdate(streamID: UInt32, increment: UInt32) {
        frame(.windowUpdate, [], streamID, length: 4) { $0.storeBytes(of: increment.bigEndian, as: UInt32.self) }
    }

    /// Adds RST_STREAM.
    public mutating func reset(streamID: UInt32, code: HTTP2ErrorCode) {
        frame(.resetStream, [], streamID, length: 4) { $0.storeBytes(of: code.rawValue.bigEndian, as: UInt32.self) }
    }

    /// Adds GOAWAY with what is to be said behind its fields.
    public mutating func goAway(lastStreamID: UInt32, code: HTTP2ErrorCode, debugData: [UInt8] = []) {
        frame(.goAway, [], 0, length: 8) {
            $0.storeBytes(of: lastStreamID.bigEndian, as: UInt32.self)
            $0.storeBytes(of: code.rawValue.bigEndian, toByteOffset: 4, as: UInt32.self)
        }
        guard !debugData.isEmpty else { return }
        let header = bytes.count - HTTP2FrameHeader.byteCount - 8
        bytes += debugData
        bytes.withUnsafeMutableBytes { all in
            guard let base = all.baseAddress else { return }
            HTTP2FrameHeader(type: .goAway, streamID: 0, length: 8 + debugData.count).write(to: base + header)
        }
    }

    /// Adds a frame of which `body` writes the payload.
    public mutating func frame(
        _ type: HTTP2FrameType, _ flags: HTTP2Flags, _ streamID: UInt32, length: Int,
        _ body: (UnsafeMutableRawPointer) -> Void
    ) {
        append(HTTP2FrameHeader.byteCount + length) { start in
            HTTP2FrameHeader(type: type, flags: flags, streamID: streamID, length: length).write(to: start)
            body(start + HTTP2FrameHeader.byteCount)
            return HTTP2FrameHeader.byteCount + length
        }
    }

    private mutating func append(_ most: Int, _ body: (UnsafeMutableRawPointer) -> Int) {
        let old = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: most))
        let written = bytes.withUnsafeMutableBytes { all in all.baseAddress.map { body($0 + old) } ?? 0 }
        bytes.removeLast(most - written)
    }
}
