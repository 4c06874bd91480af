public import Primitives

/// The `apns-id` values of a run: UUIDs in canonical form that carry a notification's sequence number in their last twelve digits.
///
/// The first part is the run's own, and looks like that of a random UUID (RFC 9562 section 5.4); so two runs do not share values, and
/// whoever knows the run's seed reads the number back. As in the binary interface, numbers begin with 1.
public struct NotificationIDSpace: Hashable, Sendable {
    /// The length of a UUID in canonical form.
    @inlinable public static var byteCount: Int { 36 }
    /// How many notifications a run can have.
    public static let count: UInt64 = 1 << 48 - 1

    /// The first 24 characters, eight to a word as they lie in memory.
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64
    @usableFromInline let third: UInt64

    /// Makes the space of the run that `seed` determines.
    public init(seed: UInt64) {
        let high = mix64(seed ^ 0x6170_6E73_2D69_6421)
        let low = mix64(high)
        let start = HexDigits.eightDigits(high >> 32)
        let middle = HexDigits.eightDigits(high & 0xFFFF_0FFF | 0x4000)
        let end = HexDigits.eightDigits(low & 0x3FFF | 0x8000)
        let dash = UInt64(UInt8(ascii: "-"))
        // xxxxxxxx  -xxxx-4x  xx-axxx-
        first = start.bigEndian
        second = (dash << 56 | (middle >> 32) << 24 | dash << 16 | (middle >> 16) & 0xFFFF).bigEndian
        third = ((middle & 0xFFFF) << 48 | dash << 40 | (end & 0xFFFF_FFFF) << 8 | dash).bigEndian
    }

    /// Writes the UUID of notification `sequence`, counted from 0.
    ///
    /// - Precondition: ``byteCount`` bytes are writable at `destination`; `sequence` is below ``count``.
    @inlinable
    public func write(sequence: UInt64, to destination: UnsafeMutableRawPointer) {
        destination.storeBytes(of: first, as: UInt64.self)
        destination.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
        destination.storeBytes(of: third, toByteOffset: 16, as: UInt64.self)
        let number = sequence &+ 1
        let high = HexDigits.eightDigits(number >> 32 & 0xFFFF)
        destination.storeBytes(
            of: UInt32(truncatingIfNeeded: high).bigEndian, toByteOffset: 24, as: UInt32.self)
        let low = HexDigits.eightDigits(number & 0xFFFF_FFFF)
        destination.storeBytes(of: low.bigEndian, toByteOffset: 28, as: UInt64.self)
    }

    /// The sequence number that a value of either case carries; nil if it is not of this run.
    @inlinable
    public func sequence(of value: UnsafeRawBufferPointer) -> UInt64? {
        guard value.count == Self.byteCount else { return nil }
        guard Self.differsByCase(value.loadUnaligned(as: UInt64.self), first),
            Self.differsByCase(value.loadUnaligned(fromByteOffset: 8, as: UInt64.self), second),
            Self.differsByCase(value.loadUnaligned(fromByteOffset: 16, as: UInt64.self), third)
        else { return nil }
        let high = UInt64(UInt32(bigEndian: value.loadUnaligned(fromByteOffset: 24, as: UInt32.self)))
        let low = UInt64(bigEndian: value.loadUnaligned(fromByteOffset: 28, as: UInt64.self))
        guard let top = HexDigits.value(ofEight: 0x3030_3030_0000_0000 | high),
            let bottom = HexDigits.value(ofEight: low)
        else { return nil }
        let number = UInt64(top) << 32 | UInt64(bottom)
        return number == 0 ? nil : number &- 1
    }
    /// Whether eight characters are those of `lower` but for the case of letters, which is one bit of each letter.
    @inlinable @inline(__always)
    static func differsByCase(_ characters: UInt64, _ lower: UInt64) -> Bool {
        (characters ^ lower) & ~((lower & 0x4040_4040_4040_4040) >> 1) == 0
    }
}
