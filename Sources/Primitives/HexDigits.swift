/// Hexadecimal digits: sixteen or eight of a number at once, and what digits stand for.
public enum HexDigits {
    /// Writes the 16 digits of `value`, highest first and in lower case.
    ///
    /// - Precondition: 16 bytes are writable at `destination`.
    @inlinable @inline(__always)
    public static func write(_ value: UInt64, to destination: UnsafeMutableRawPointer) {
        // Sequence numbers seldom have more than 32 bits, and zeros need no arithmetic.
        let high = value > 0xFFFF_FFFF ? eightDigits(value >> 32) : 0x3030_3030_3030_3030
        destination.storeBytes(of: high.bigEndian, as: UInt64.self)
        destination.storeBytes(of: eightDigits(value & 0xFFFF_FFFF).bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// Writes two digits in lower case for each byte of `bytes`.
    ///
    /// - Precondition: twice as many bytes are writable at `destination`, and the two do not overlap.
    @inlinable
    public static func write(_ bytes: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer) {
        var offset = 0
        while offset &+ 4 <= bytes.count {
            let word = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            destination.storeBytes(
                of: eightDigits(UInt64(word)).bigEndian, toByteOffset: 2 &* offset, as: UInt64.self)
            offset &+= 4
        }
        while offset < bytes.count {
            let digits = UInt16(truncatingIfNeeded: eightDigits(UInt64(bytes[offset])))
            destination.storeBytes(of: digits.bigEndian, toByteOffset: 2 &* offset, as: UInt16.self)
            offset &+= 1
        }
    }

    /// The digits of 32 bits, the highest in the highest byte.
    @inlinable @inline(__always)
    public static func eightDigits(_ value: UInt64) -> UInt64 {
        // One nibble to each byte, then 0 ... 9 and a ... f by arithmetic on all bytes.
        var nibbles = (value | value << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let letters = ((nibbles &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }

    /// The number that one digit of either case stands for, or nil.
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The number that eight digits of either case stand for, the highest in the highest byte; nil if one is no digit.
    @inlinable @inline(__always)
    public static func value(ofEight digits: UInt64) -> UInt32? {
        let letters = (digits >> 6) & 0x0101_0101_0101_0101
        let nibbles = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
        guard nibbles & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
        var value = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
        value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
        value = (value | value >> 16) & 0x0000_0000_FFFF_FFFF
        // Digits are what writing the number gives again, but for the case of letters.
        return eightDigits(value) == digits | letters << 5 ? UInt32(truncatingIfNeeded: value) : nil
    }

    /// Writes the bytes that pairs of digits of either case stand for; false if one is no digit or a digit is left over.
    ///
    /// - Precondition: half as many bytes are writable at `destination`.
    @inlinable
    public static func read(_ digits: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer) -> Bool {
        guard digits.count % 2 == 0 else { return false }
        var offset = 0
        while offset &+ 8 <= digits.count {
            let word = UInt64(bigEndian: digits.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            guard let value = value(ofEight: word) else { return false }
            destination.storeBytes(of: value.bigEndian, toByteOffset: offset >> 1, as: UInt32.self)
            offset &+= 8
        }
        while offset < digits.count {
            guard let high = value(of: digits[offset]), let low = value(of: digits[offset &+ 1]) else { return false }
            destination.storeBytes(of: high << 4 | low, toByteOffset: offset >> 1, as: UInt8.self)
            offset &+= 2
        }
        return true
    }
}
