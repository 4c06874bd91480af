public import PushWire

/// The header fields of one request that mean something to the gateway, copied out of a header block.
///
/// A block's own bytes are gone when the next one is decoded, so what is known is kept in a buffer of a fixed size; unknown
/// fields are looked at and forgotten (`protocol.md` section 3.2: they are ignored). Reused for one request after the other.
public final class ReceivedFields {
    /// What is wrong with a header block as a whole.
    public enum Fault: Sendable {
        /// A pseudo-header is unknown, repeated or stands behind a field, or a field cannot stand in HTTP/2
        /// (RFC 9113 section 8.2): the stream ends with PROTOCOL_ERROR.
        case malformed
        /// The fields are longer than the gateway takes.
        case tooLong
    }

    /// The most bytes that are kept of one request.
    public static let capacity = 16_384

    private struct Slots {
        var starts = InlineArray<32, Int32>(repeating: -1)
        var counts = InlineArray<32, Int32>(repeating: 0)
        var used = 0
        var hasFields = false
        var isRepeated = false
        var fault: Fault?
    }

    private let bytes: UnsafeMutableRawPointer
    private let slots: UnsafeMutablePointer<Slots>

    /// Makes an empty set.
    public init() {
        precondition(HTTP2FieldName.allCases.count <= 32, "each known name has a place")
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

    /// Whether the pseudo-headers are there that every request needs (RFC 9113 section 8.3.1); some clients send `host` in place of
    /// `:authority`, and neither is asked for.
    public var isComplete: Bool { self[.method] != nil && self[.scheme] != nil && self[.path] != nil }

    /// The value of a field; nil when it did not come.
    @inline(__always)
    public subscript(name: HTTP2FieldName) -> UnsafeRawBufferPointer? {
        let index = Int(name.rawValue)
        let start = slots.pointee.starts[index]
        guard start >= 0 else { return nil }
        return UnsafeRawBufferPointer(start: bytes + Int(start), count: Int(slots.pointee.counts[index]))
    }

    /// Takes the next field of the block.
    @inline(__always)
    public func add(_ field: HPACKField) {
        add(field.name, isWellFormed: field.isWellFormed, nameBytes: field.nameBytes, value: field.value)
    }

    /// Takes the next field by its parts; the bytes of the name are looked at only for one that is not known.
    public func add(
        _ name: HTTP2FieldName, isWellFormed: Bool, nameBytes: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {
        guard isWellFormed else { return spoil(.malformed) }
        let isPseudo = name.isPseudo
        if isPseudo {
            if slots.pointee.hasFields || name == .status { return spoil(.malformed) }
        } else {
            slots.pointee.hasFields = true
        }
        if name == .other {
            if nameBytes.first == UInt8(ascii: ":") { spoil(.malformed) }
            return
        }
        if name.isConnectionSpecific || name == .te && !value.isText("trailers") { return spoil(.malformed) }
        let index = Int(name.rawValue)
        guard slots.pointee.starts[index] < 0 else {
            if isPseudo { spoil(.malformed) } else { slots.pointee.isRepeated = true }
            return
        }
        let used = slots.pointee.used
        guard used + value.count <= Self.capacity else { return spoil(.tooLong) }
        if let source = value.baseAddress { (bytes + used).copyMemory(from: source, byteCount: value.count) }
        slots.pointee.starts[index] = Int32(truncatingIfNeeded: used)
        slots.pointee.counts[index] = Int32(truncatingIfNeeded: value.count)
        slots.pointee.used = used + value.count
    }

    private func spoil(_ fault: Fault) { slots.pointee.fault = slots.pointee.fault ?? fault }
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
        return dropping(start).isText(text)
    }

    /// Whether these are the same bytes.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while index + 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if word != other.loadUnaligned(fromByteOffset: index, as: UInt64.self) { return false }
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
