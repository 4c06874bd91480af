/// Hexadecimal digits: sixteen of a number at once, and the value of one.
@usableFromInline
enum HexDigits {
    /// Writes the 16 digits of `value`, highest first.
    ///
    /// - Precondition: 16 bytes are writable at `destination`.
    @inlinable @inline(__always)
    static func write(_ value: UInt64, to destination: UnsafeMutableRawPointer) {
        // Sequence numbers seldom have more than 32 bits, and zeros need no arithmetic.
        let high = value > 0xFFFF_FFFF ? eightDigits(value >> 32) : 0x3030_3030_3030_3030
        destination.storeBytes(of: high.bigEndian, as: UInt64.self)
        destination.storeBytes(of: eightDigits(value & 0xFFFF_FFFF).bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// The digits of 32 bits, the highest in the highest byte.
    @inlinable @inline(__always)
    static func eightDigits(_ value: UInt64) -> UInt64 {
        // One nibble to each byte, then 0 ... 9 and a ... f by arithmetic on all bytes.
        var nibbles = (value | value << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = ((nibbles &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }

    /// The number that one digit of either case stands for, or nil.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
