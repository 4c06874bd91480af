/// Which bytes may stand in names and values of fields (RFC 9113 section 8.2.1).
public enum HTTP2FieldBytes {
    /// Whether a name has visible ASCII characters only, none of them an upper-case letter, and a colon nowhere but in front.
    public static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first, first != UInt8(ascii: ":") || bytes.count > 1 else { return false }
        for index in bytes.indices {
            switch bytes[index] {
            case 0...0x20, 0x7F...0xFF, UInt8(ascii: "A")...UInt8(ascii: "Z"): return false
            case UInt8(ascii: ":") where index > 0: return false
            default: break
            }
        }
        return true
    }

    /// Whether a value has no NUL and no end of line, and neither begins nor ends with a space or tab.
    public static func isValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first, let last = bytes.last else { return true }
        if isBlank(first) || isBlank(last) { return false }
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if hasZero(word) || hasZero(word ^ 0x0A0A_0A0A_0A0A_0A0A) || hasZero(word ^ 0x0D0D_0D0D_0D0D_0D0D) {
                return false
            }
            offset += 8
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte == 0 || byte == 0x0A || byte == 0x0D { return false }
            offset += 1
        }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether one of eight bytes is zero: only then does taking 1 from each borrow into its highest bit.
    private static func hasZero(_ word: UInt64) -> Bool {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0
    }
}
