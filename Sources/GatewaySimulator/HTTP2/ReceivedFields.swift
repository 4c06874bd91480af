/// The header fields of one request that mean something to the gateway, copied out of a header block.
///
/// A block's own bytes are gone when the next one is decoded, so what is known is kept in a buffer of a fixed size; unknown
/// fields are looked at and forgotten (`protocol.md` section 3.2: they are ignored). Reused for one request after the other.
public final class ReceivedFields {
    /// A field that is kept.
    public enum Name: Int, CaseIterable, Sendable {
        /// `:method`
        case method
        /// `:scheme`
        case scheme
        /// `:authority`
        case authority
        /// `:path`
        case path
        /// `authorization`
        case authorization
        /// `apns-topic`
        case topic
        /// `apns-push-type`
        case pushType
        /// `apns-id`
        case messageID
        /// `apns-expiration`
        case expiration
        /// `apns-priority`
        case priority
        /// `apns-collapse-id`
        case collapseID
        /// `apns-channel-id`
        case channelID
        /// `apns-request-id`
        case requestID
    }

    /// What is wrong with a header block as a whole.
    public enum Fault: Sendable {
        /// A pseudo-header is unknown, repeated or stands behind a field, or a name cannot stand in HTTP/2
        /// (RFC 9113 section 8.2): the stream ends with PROTOCOL_ERROR.
        case malformed
        /// The fields are longer than the gateway takes.
        case tooLong
    }

    /// The most bytes that are kept of one request.
    public static let capacity = 16_384

    private struct Slots {
        var starts = InlineArray<13, Int32>(repeating: -1)
        var counts = InlineArray<13, Int32>(repeating: 0)
        var used = 0
        var hasFields = false
        var isRepeated = false
        var fault: Fault?
    }

    private let bytes: UnsafeMutableRawPointer
    private let slots: UnsafeMutablePointer<Slots>

    /// Makes an empty set.
    public init() {
        bytes = .allocate(byteCount: Self.capacity, alignment: 16)
        slots = .allocate(capacity: 1)
        slots.initialize(to: Slots())
    }

    deinit {
        bytes.deallocate()
        slots.deinitialize(count: 1)
        slots.deallocate()
    }

    /// Forgets the last request.
    public func reset() { slots.pointee = Slots() }

    /// What is wrong with the block; nil when nothing is.
    public var fault: Fault? { slots.pointee.fault }

    /// Whether a field that is known, and no pseudo-header, came more than once.
    public var isRepeated: Bool { slots.pointee.isRepeated }

    /// The value of a field; nil when it did not come.
    @inline(__always)
    public subscript(name: Name) -> UnsafeRawBufferPointer? {
        let start = slots.pointee.starts[name.rawValue]
        guard start >= 0 else { return nil }
        return UnsafeRawBufferPointer(start: bytes + Int(start), count: Int(slots.pointee.counts[name.rawValue]))
    }

    /// Takes the next field of the block.
    public func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let first = name.first else { return spoil(.malformed) }
        let isPseudo = first == UInt8(ascii: ":")
        if isPseudo {
            if slots.pointee.hasFields { return spoil(.malformed) }
        } else {
            slots.pointee.hasFields = true
        }
        guard let known = Self.known(name) else {
            if isPseudo || !Self.isAllowed(name, value) { spoil(.malformed) }
            return
        }
        let index = known.rawValue
        guard slots.pointee.starts[index] < 0 else {
            if isPseudo { spoil(.malformed) } else { slots.pointee.isRepeated = true }
            return
        }
        let used = slots.pointee.used
        guard used + value.count <= Self.capacity else { return spoil(.tooLong) }
        if let source = value.baseAddress { (bytes + used).copyMemory(from: source, byteCount: value.count) }
        slots.pointee.starts[index] = Int32(used)
        slots.pointee.counts[index] = Int32(value.count)
        slots.pointee.used = used + value.count
    }

    private func spoil(_ fault: Fault) { slots.pointee.fault = slots.pointee.fault ?? fault }

    /// The field of a name, told apart by length first.
    private static func known(_ name: UnsafeRawBufferPointer) -> Name? {
        switch name.count {
        case 5: name.isText(":path") ? .path : nil
        case 7:
            name.isText("apns-id")
                ? .messageID : name.isText(":method") ? .method : name.isText(":scheme") ? .scheme : nil
        case 10: name.isText("apns-topic") ? .topic : name.isText(":authority") ? .authority : nil
        case 13:
            name.isText("authorization")
                ? .authorization : name.isText("apns-priority") ? .priority : nil
        case 14: name.isText("apns-push-type") ? .pushType : nil
        case 15:
            name.isText("apns-expiration")
                ? .expiration
                : name.isText("apns-channel-id") ? .channelID : name.isText("apns-request-id") ? .requestID : nil
        case 16: name.isText("apns-collapse-id") ? .collapseID : nil
        default: nil
        }
    }

    /// Whether a field that is not known may stand in a request (RFC 9113 sections 8.2.1 and 8.2.2).
    private static func isAllowed(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        for byte in name where byte <= 0x20 || byte >= 0x7F || (0x41...0x5A).contains(byte) { return false }
        if name.isText("te") { return value.isText("trailers") }
        return !["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].contains {
            name.isText($0)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are this text.
    @inline(__always)
    func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether these bytes begin with this text.
    @inline(__always)
    func begins(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Whether these bytes end with this text.
    @inline(__always)
    func ends(with text: StaticString) -> Bool {
        let start = count - text.utf8CodeUnitCount
        guard start >= 0 else { return false }
        return UnsafeRawBufferPointer(rebasing: self[start...]).isText(text)
    }

    /// Whether these are the same bytes.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index + 8 <= count {
            if loadUnaligned(fromByteOffset: index, as: UInt64.self)
                != other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            {
                return false
            }
            index += 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index += 1
        }
        return true
    }

    /// The bytes from `start` on.
    @inline(__always)
    func dropping(_ start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Swift.min(start, count)...])
    }
}
