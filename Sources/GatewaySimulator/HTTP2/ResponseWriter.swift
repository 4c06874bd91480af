import PushWire

/// Writes responses as frames: HEADERS without use of the dynamic table, and DATA with a JSON body.
///
/// A client can decode each of them by itself, whatever table it keeps (RFC 7541 section 6.2.2: literals without indexing).
struct ResponseWriter {
    /// The most bytes that a response's frames take, its body aside.
    static let maxHeadBytes = 1_024

    private let uniqueIDs: NotificationIDSpace?
    private var uniqueCount: UInt64 = 0

    /// Makes a writer; `uniqueSeed` is that of `apns-unique-id`, nil to send none, as in production.
    init(uniqueSeed: UInt64?) { uniqueIDs = uniqueSeed.map { NotificationIDSpace(seed: $0) } }

    /// Writes the HEADERS frame of an answer and returns its length.
    ///
    /// - Precondition: ``maxHeadBytes`` bytes are writable at `target`.
    mutating func writeHead(
        of answer: RequestAnswer, to head: borrowing RequestHead, streamID: UInt32,
        announcesTableSize: Bool = false, into target: UnsafeMutableRawPointer
    ) -> Int {
        var end = HTTP2FrameHeader.byteCount
        // A table of no bytes, which is all that we ever use (RFC 7541 section 6.3).
        if announcesTableSize { Self.put(0x20, target, &end) }
        var channelID: [UInt8] = []
        var hasBody = false
        switch answer {
        case .accepted: Self.put(status: 200, target, &end)
        case .refused(let reason, _):
            Self.put(status: reason.status, target, &end)
            hasBody = true
        case .channels(let status, let identifier, let body):
            Self.put(status: status, target, &end)
            channelID = identifier
            hasBody = !body.isEmpty
        }
        if hasBody { Self.put(contentType, target, &end) }
        Self.put(head.kind == .device ? messageIDName : requestIDName, target, &end)
        Self.put(head.messageID, target, &end)
        if !channelID.isEmpty {
            Self.put(channelIDName, target, &end)
            Self.put(length: channelID.count, target, &end)
            for byte in channelID { Self.put(byte, target, &end) }
        }
        if head.kind == .device, let uniqueIDs {
            Self.put(uniqueIDName, target, &end)
            Self.put(UInt8(NotificationIDSpace.byteCount), target, &end)
            uniqueIDs.write(sequence: uniqueCount, to: target + end)
            uniqueCount &+= 1
            end += NotificationIDSpace.byteCount
        }
        HTTP2FrameHeader(
            type: .headers, flags: hasBody ? .endHeaders : [.endHeaders, .endStream], streamID: streamID,
            length: end - HTTP2FrameHeader.byteCount
        ).write(to: target)
        return end
    }

    /// The body of an answer; empty for none.
    static func body(of answer: RequestAnswer) -> [UInt8] {
        switch answer {
        case .accepted: []
        case .refused(let reason, let timestamp): json(reason, timestamp: timestamp)
        case .channels(_, _, let body): body
        }
    }

    /// The JSON that tells a reason, in responses and in GOAWAY.
    static func json(_ reason: RefusalReason, timestamp: Int64? = nil) -> [UInt8] {
        var text = Array(#"{"reason":""#.utf8)
        text += UnsafeBufferPointer(start: reason.name.utf8Start, count: reason.name.utf8CodeUnitCount)
        text.append(UInt8(ascii: "\""))
        if let timestamp { text += Array(#","timestamp":\#(timestamp)"#.utf8) }
        text.append(UInt8(ascii: "}"))
        return text
    }

    // MARK: - Header fields

    /// `:status`, from the static table where it stands there, with a literal value otherwise (RFC 7541 appendix A).
    private static func put(status: Int, _ target: UnsafeMutableRawPointer, _ end: inout Int) {
        switch status {
        case 200: put(0x88, target, &end)
        case 204: put(0x89, target, &end)
        case 400: put(0x8C, target, &end)
        case 404: put(0x8D, target, &end)
        case 500: put(0x8E, target, &end)
        default:
            put(0x08, target, &end)
            put(3, target, &end)
            put(UInt8(ascii: "0") + UInt8(status / 100), target, &end)
            put(UInt8(ascii: "0") + UInt8(status / 10 % 10), target, &end)
            put(UInt8(ascii: "0") + UInt8(status % 10), target, &end)
        }
    }

    private static func put(_ bytes: StaticString, _ target: UnsafeMutableRawPointer, _ end: inout Int) {
        (target + end).copyMemory(from: bytes.utf8Start, byteCount: bytes.utf8CodeUnitCount)
        end += bytes.utf8CodeUnitCount
    }

    private static func put(_ identifier: InlineArray<36, UInt8>, _ target: UnsafeMutableRawPointer, _ end: inout Int) {
        put(UInt8(NotificationIDSpace.byteCount), target, &end)
        (target + end).storeBytes(of: identifier, as: InlineArray<36, UInt8>.self)
        end += NotificationIDSpace.byteCount
    }

    /// A string's length, below 127 + 128 (RFC 7541 section 5.1).
    private static func put(length: Int, _ target: UnsafeMutableRawPointer, _ end: inout Int) {
        put(UInt8(min(length, 127)), target, &end)
        if length >= 127 { put(UInt8(min(length - 127, 127)), target, &end) }
    }

    private static func put(_ byte: UInt8, _ target: UnsafeMutableRawPointer, _ end: inout Int) {
        target.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
        end += 1
    }
}

// Literals without indexing: the name's index or the name, and for the first one the value, too.
private let contentType: StaticString = "\u{0F}\u{10}\u{10}application/json"
private let messageIDName: StaticString = "\u{00}\u{07}apns-id"
private let requestIDName: StaticString = "\u{00}\u{0F}apns-request-id"
private let uniqueIDName: StaticString = "\u{00}\u{0E}apns-unique-id"
private let channelIDName: StaticString = "\u{00}\u{0F}apns-channel-id"
