/// The first bytes of something that a peer sent, at most 16, kept for a report of what it was.
public struct LeadingBytes: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes that are kept.
    public static let capacity = 16

    /// How many bytes there are, 0 ... ``capacity``.
    public let count: Int
    // Two words instead of an array, so that events which hold one stay free of memory of their own.
    private let words: (high: UInt64, low: UInt64)

    /// Keeps the first bytes of `input`.
    public init(_ input: UnsafeRawBufferPointer) {
        count = min(input.count, Self.capacity)
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for byte in input[..<count] {
            words.high = words.high << 8 | words.low >> 56
            words.low = words.low << 8 | UInt64(byte)
        }
        self.words = words
    }

    /// Keeps the first of some bytes.
    public init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { LeadingBytes($0) } }

    /// The bytes.
    public var bytes: [UInt8] {
        (0..<count).map { index in
            let shift = UInt64(count - 1 - index) * 8
            return UInt8(truncatingIfNeeded: shift >= 64 ? words.high >> (shift - 64) : words.low >> shift)
        }
    }

    /// The bytes in hexadecimal, as `09 08 00`.
    public var description: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(separator: " ")
    }

    /// Whether both hold the same bytes.
    public static func == (left: LeadingBytes, right: LeadingBytes) -> Bool {
        left.count == right.count && left.words == right.words
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(words.high)
        hasher.combine(words.low)
    }
}
