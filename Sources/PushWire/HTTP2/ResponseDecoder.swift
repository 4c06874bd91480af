/// What the header of a response says.
public struct HTTP2ResponseHead: Hashable, Sendable {
    /// The status, 100 ... 999.
    public var status = 0
    /// The notification that `apns-id` names; nil if there is none or it is not of this run.
    public var sequence: UInt64?
    /// `retry-after` in seconds; nothing documents it, and some gateways say it.
    public var retryAfterSeconds: UInt64?

    /// Whether another, final header follows on the stream (RFC 9113 section 8.1).
    public var isInterim: Bool { status < 200 }
}

/// Reads the header blocks of responses from a peer that was told to keep no dynamic table (SETTINGS_HEADER_TABLE_SIZE of 0).
///
/// Such blocks depend on nothing before them, so the usual one need not be decoded: `:status` 200 is one byte, and it comes first.
public struct ResponseDecoder: ~Copyable {
    private let ids: NotificationIDSpace
    private var decoder: HPACKDecoder
    /// The last block, and what it said: without a table the same bytes say the same, and refusals come in rows.
    private var known = OwnedBytes()
    private var knownCount = 0
    private var knownHead = HTTP2ResponseHead()

    /// Makes a decoder for the responses to a run's requests.
    public init(ids: NotificationIDSpace, listLimit: Int = 16_384) {
        self.ids = ids
        decoder = HPACKDecoder(tableSizeLimit: 0, listLimit: listLimit)
    }

    /// Whether a block begins with `:status` 200, behind an announcement that the table has no room, which some servers put in their first
    /// response.
    @inlinable @inline(__always)
    public static func isSuccess(_ fields: UnsafeRawBufferPointer) -> Bool {
        guard let first = fields.first else { return false }
        if first == 0x88 { return true }
        return first == 0x20 && fields.count > 1 && fields[1] == 0x88
    }

    /// Decodes any header block of a response.
    ///
    /// - Throws: a violation of the connection if it cannot be decoded, ``HTTP2Rule/malformedMessage`` for the stream if it is no response.
    public mutating func decode(_ block: HTTP2HeaderBlock) throws(HTTP2Violation) -> HTTP2ResponseHead {
        if knownCount > 0, known.begins(with: block.fields, count: knownCount) { return knownHead }
        var head = HTTP2ResponseHead()
        var isValid = true
        var count = 0
        try decoder.decode(block.fields, streamID: block.streamID) { field in
            count += 1
            isValid = isValid && field.isWellFormed && !field.name.isConnectionSpecific
            switch field.name {
            case .status:
                let status = Self.number(field.value)
                isValid = isValid && count == 1 && field.value.count == 3 && status.map { $0 >= 100 } == true
                head.status = Int(status ?? 0)
            case .apnsID: head.sequence = ids.sequence(of: field.value)
            case .retryAfter: head.retryAfterSeconds = Self.number(field.value)
            default: isValid = isValid && field.nameBytes.first != UInt8(ascii: ":")
            }
        }
        guard isValid, head.status > 0 else { throw HTTP2Violation(.malformedMessage, scope: .stream(block.streamID)) }
        remember(head, of: block.fields)
        return head
    }

    private mutating func remember(_ head: HTTP2ResponseHead, of fields: UnsafeRawBufferPointer) {
        knownCount = 0
        guard fields.count <= Self.longestKnown else { return }
        known.reserve(Self.longestKnown)
        known.put(fields, at: 0)
        (knownHead, knownCount) = (head, fields.count)
    }

    private static let longestKnown = 1_024

    /// Decodes the header block behind a body, of which nothing is used (RFC 9113 section 8.1).
    ///
    /// - Throws: as ``decode(_:)``.
    public mutating func decodeTrailers(_ block: HTTP2HeaderBlock) throws(HTTP2Violation) {
        var isValid = block.endsStream
        try decoder.decode(block.fields, streamID: block.streamID) { field in
            isValid = isValid && field.isWellFormed && field.nameBytes.first != UInt8(ascii: ":")
        }
        if !isValid { throw HTTP2Violation(.malformedMessage, scope: .stream(block.streamID)) }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard 1...9 ~= bytes.count else { return nil }
        var value: UInt64 = 0
        for byte in bytes {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return nil }
            value = value * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
