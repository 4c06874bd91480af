/// The body of a response that refuses: `{"reason":"…"}`, with `"timestamp"` in milliseconds for a device token that is gone.
///
/// Apple, "Handling notification responses from APNs", table 5.
public struct RefusalBody: Hashable, Sendable {
    /// A reason, known or not.
    public enum Reason: Hashable, Sendable {
        /// A documented one.
        case known(RefusalReason)
        /// Any other text, as it stood in the body, cut at ``longestUnknownReason`` bytes.
        case unknown(String)
        /// No text at all.
        case absent
    }

    /// Why the request was refused.
    public var reason: Reason
    /// When the device token was found to be gone, in milliseconds since 1970.
    public var timestampMilliseconds: Int64?

    /// The most bytes of an unknown reason that are kept.
    public static let longestUnknownReason = 64
    private static let deepest = 16

    /// Makes a body of its parts.
    public init(reason: Reason, timestampMilliseconds: Int64? = nil) {
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
    }

    /// Reads a body; whatever is no JSON object has no reason.
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.init(reason: .absent)
        var scanner = BodyScanner(bytes)
        guard scanner.take(UInt8(ascii: "{")) else { return }
        while let key = scanner.string(), scanner.take(UInt8(ascii: ":")) {
            if key.elementsEqual("reason".utf8), let text = scanner.string() {
                reason = Self.reason(text)
            } else if key.elementsEqual("timestamp".utf8), let number = scanner.number() {
                timestampMilliseconds = number
            } else if !scanner.skipValue(deepest: Self.deepest) {
                return
            }
            guard scanner.take(UInt8(ascii: ",")) else { return }
        }
    }

    /// The text of the reason; empty if there is none.
    public var reasonName: String {
        switch reason {
        case .known(let reason): "\(reason.name)"
        case .unknown(let text): text
        case .absent: ""
        }
    }

    /// Writes the body and returns its length in bytes; an unknown reason is written as it is.
    ///
    /// - Precondition: ``maxByteCount`` bytes are writable at `destination`.
    public func write(to destination: UnsafeMutableRawPointer) -> Int {
        var text = "{\"reason\":\"\(reasonName)\""
        if let timestampMilliseconds { text += ",\"timestamp\":\(timestampMilliseconds)" }
        text += "}"
        destination.copyMemory(from: Array(text.utf8), byteCount: text.utf8.count)
        return text.utf8.count
    }

    /// The most bytes that ``write(to:)`` writes.
    public static let maxByteCount = 64 + longestUnknownReason

    private static func reason(_ text: UnsafeRawBufferPointer) -> Reason {
        if let known = RefusalReason(name: text) { return .known(known) }
        return text.isEmpty ? .absent : .unknown(String(decoding: text.prefix(longestUnknownReason), as: UTF8.self))
    }
}

/// Reads just enough JSON for the body of a refusal.
private struct BodyScanner {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    private mutating func skipBlanks() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09, 0x0A, 0x0D: offset += 1
            default: return
            }
        }
    }

    private mutating func peek() -> UInt8? {
        skipBlanks()
        return offset < bytes.count ? bytes[offset] : nil
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        offset += 1
        return true
    }

    /// The bytes between quotation marks, escapes as they stand.
    mutating func string() -> UnsafeRawBufferPointer? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = offset
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return UnsafeRawBufferPointer(rebasing: bytes[start..<offset - 1])
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        return nil
    }

    /// A whole number, any fraction left aside.
    mutating func number() -> Int64? {
        skipBlanks()
        let isNegative = take(UInt8(ascii: "-"))
        var value: Int64 = 0
        let start = offset
        while offset < bytes.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = bytes[offset] {
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(Int64(bytes[offset] - UInt8(ascii: "0")))
            guard !isTooLarge && !overflows else { return nil }
            value = sum
            offset += 1
        }
        guard offset > start else { return nil }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            while offset < bytes.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = bytes[offset] { offset += 1 }
        }
        return isNegative ? -value : value
    }

    /// Passes over any value; false if it is none or nests deeper than that.
    mutating func skipValue(deepest: Int) -> Bool {
        var depth = 0
        repeat {
            guard let byte = peek() else { return false }
            switch byte {
            case UInt8(ascii: "\""):
                guard string() != nil else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
                guard depth <= deepest else { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return false }
                depth -= 1
                offset += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return false }
                offset += 1
            default: guard skipWord() else { return false }
            }
        } while depth > 0
        return true
    }

    private mutating func skipWord() -> Bool {
        let start = offset
        while offset < bytes.count, isWordByte(bytes[offset]) { offset += 1 }
        return offset > start
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
