import Primitives

extension JSONScanner {
    /// A string from its opening to its closing quotation mark.
    @inline(__always)
    mutating func string() -> Bool {
        at += 1
        while true {  // Each pass consumes at least one byte or returns.
            skipPlain()
            let next = byte
            switch next {
            case UInt8(ascii: "\""):
                at += 1
                return true
            case UInt8(ascii: "\\"):
                guard escape() else { return false }
            case 0x80...:
                guard multibyteScalar(lead: next) else { return false }
            default:
                // A control character, or the end of the text.
                return false
            }
        }
    }

    /// Skips ASCII that needs no attention, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlain() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        while at + 8 <= count {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let slashes = word ^ (ones &* 0x5C)
            // A top bit for each byte that is not ASCII, a control character, a quotation mark or a backslash; borrows
            // reach only bytes above the first such one, so the lowest top bit is right.
            let found =
                (word | ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes))
                & tops
            guard found == 0 else {
                at += found.trailingZeroBitCount >> 3
                return
            }
            at += 8
        }
        while at < count {
            let next = base.load(fromByteOffset: at, as: UInt8.self)
            if next < 0x20 || next >= 0x80 || next == 0x22 || next == 0x5C { return }
            at += 1
        }
    }

    private mutating func escape() -> Bool {
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
            return true
        case UInt8(ascii: "u"): return unicodeEscape()
        default: return false
        }
    }

    /// `uXXXX`, and a second escape when the first is the high half of a pair.
    private mutating func unicodeEscape() -> Bool {
        let start = at - 1
        guard let unit = fourDigits() else { return false }
        switch unit {
        case 0xD800...0xDBFF:
            guard byte == UInt8(ascii: "\\") else { return fail(at: start) }
            at += 1
            guard byte == UInt8(ascii: "u") else { return fail(at: start) }
            guard let second = fourDigits() else { return false }
            return (0xDC00...0xDFFF).contains(second) ? true : fail(at: start)
        case 0xDC00...0xDFFF: return fail(at: start)
        default: return true
        }
    }

    private mutating func fail(at offset: Int) -> Bool {
        at = offset
        return false
    }

    /// The number after a `u`; the place is behind it on success.
    private mutating func fourDigits() -> UInt32? {
        at += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = HexDigits.value(of: byte) else { return nil }
            unit = unit << 4 | UInt32(digit)
            at += 1
        }
        return unit
    }

    /// A character of two to four bytes (RFC 3629, section 4).
    private mutating func multibyteScalar(lead: UInt8) -> Bool {
        let continuationCount: Int
        // The second byte's range shuts out overlong forms, surrogates and numbers over 10FFFF.
        var accepted: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: continuationCount = 1
        case 0xE0...0xEF:
            continuationCount = 2
            if lead == 0xE0 { accepted = 0xA0...0xBF }
            if lead == 0xED { accepted = 0x80...0x9F }
        case 0xF0...0xF4:
            continuationCount = 3
            if lead == 0xF0 { accepted = 0x90...0xBF }
            if lead == 0xF4 { accepted = 0x80...0x8F }
        default: return false
        }
        for _ in 0..<continuationCount {
            at += 1
            guard accepted.contains(byte) else { return false }
            accepted = 0x80...0xBF
        }
        at += 1
        return true
    }
}
