internal import Primitives

/// How a run's identifiers look in `apns-id`: UUIDs whose first 24 digits are the run's own and whose last 8 are the identifier.
///
/// Both sides make the form from the run's seed, so that the gateway tells the run's notifications from all others, and can
/// keep a bitmap of them. UUIDs are of version 4 and lower case (RFC 9562 section 4), as Apple's documents ask.
public struct NotificationIDSpace: Sendable {
    /// The length of a UUID's text.
    public static let byteCount = 36
    /// Where the identifier's 8 digits begin.
    @usableFromInline static let identifierOffset = 28

    // The first 32 bytes as four words, the last of which the identifier overwrites in part.
    @usableFromInline let words: InlineArray<4, UInt64>

    /// Makes the form of the run with this seed.
    public init(seed: UInt64) {
        var random = SeededRandom(seed: mix64(seed ^ 0x6170_6E73_2D69_6421))
        let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = random.next() & 0x3FFF_FFFF_0000_0000 | 0x8000_0000_0000_0000
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var place = 0
        for nibble in 0..<32 {
            if [8, 13, 18, 23].contains(place) { place += 1 }
            let value = UInt8(truncatingIfNeeded: (nibble < 16 ? high : low) >> UInt64(60 - (nibble & 15) * 4)) & 15
            text[place] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
            place += 1
        }
        var words = InlineArray<4, UInt64>(repeating: 0)
        for index in 0..<32 { words[index >> 3] |= UInt64(text[index]) << UInt64((index & 7) * 8) }
        self.words = words
    }

    /// Writes the 36 bytes of an identifier's UUID.
    ///
    /// - Precondition: ``byteCount`` bytes are writable at `destination`.
    @inlinable @inline(__always)
    public func write(sequence: UInt64, to destination: UnsafeMutableRawPointer) {
        for index in 0..<4 {
            destination.storeBytes(of: words[index].littleEndian, toByteOffset: index &* 8, as: UInt64.self)
        }
        writeDigits(of: UInt32(truncatingIfNeeded: sequence &+ 1), to: destination)
    }

    /// Overwrites the identifier in a UUID of this form that stands at `destination`.
    ///
    /// - Precondition: ``byteCount`` bytes are writable at `destination`.
    @inlinable @inline(__always)
    public func writeDigits(of identifier: UInt32, to destination: UnsafeMutableRawPointer) {
        // One nibble to each byte, then 0 ... 9 and a ... f by arithmetic on all bytes.
        var nibbles = (UInt64(identifier) | UInt64(identifier) << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = ((nibbles &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        let digits = nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
        destination.storeBytes(of: digits.bigEndian, toByteOffset: Self.identifierOffset, as: UInt64.self)
    }

    /// The identifier in a UUID of this form; nil for any other text.
    @inlinable @inline(__always)
    public func sequence(of text: UnsafeRawBufferPointer) -> UInt64? {
        guard text.count == Self.byteCount else { return nil }
        for index in 0..<3 {
            let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self))
            guard word == words[index] else { return nil }
        }
        let word = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: 24, as: UInt32.self))
        guard word == UInt32(truncatingIfNeeded: words[3]) else { return nil }
        let digits = UInt64(bigEndian: text.loadUnaligned(fromByteOffset: Self.identifierOffset, as: UInt64.self))
        let letters = (digits >> 6) & 0x0101_0101_0101_0101
        let nibbles = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
        // What the nibbles look like as digits must be what came.
        let above = ((nibbles &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        guard nibbles & 0xF0F0_F0F0_F0F0_F0F0 == 0,
            digits == nibbles &+ 0x3030_3030_3030_3030 &+ above &* 0x27
        else { return nil }
        var pairs = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
        pairs = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        let number = UInt64(UInt32(truncatingIfNeeded: pairs | pairs >> 16))
        return number == 0 ? nil : number &- 1
    }
}
