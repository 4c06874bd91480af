import PushWire

/// Numbers, tokens and identifiers as they stand in a request's text.
enum RequestText {
    /// Reads a decimal number of 1 ... 19 digits with nothing else in it; nil for any other text.
    static func number(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard (1...19).contains(text.count) else { return nil }
        var number: Int64 = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digit))
            if overflow || carry { return nil }
            number = sum
        }
        return number
    }

    /// Reads a decimal number as it is written by everybody: without leading zeros; nil for any other text.
    static func canonicalNumber(_ text: UnsafeRawBufferPointer) -> Int64? {
        text.count > 1 && text.first == UInt8(ascii: "0") ? nil : number(text)
    }

    /// Reads `apns-priority`: 1, 5 or 10, as they are documented; nil for any other text.
    static func priority(_ text: UnsafeRawBufferPointer) -> UInt8? {
        guard let number = canonicalNumber(text), [1, 5, 10].contains(number) else { return nil }
        return UInt8(truncatingIfNeeded: number)
    }

    /// Writes the bytes that hexadecimal text of either case stands for; false when it is none.
    ///
    /// - Precondition: half of the text's length is writable at `target`.
    static func bytes(ofHex text: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> Bool {
        guard text.count.isMultiple(of: 2) else { return false }
        var index = 0
        while index + 8 <= text.count {
            guard let four = fourBytes(text.loadUnaligned(fromByteOffset: index, as: UInt64.self)) else { return false }
            target.storeBytes(of: four, toByteOffset: index >> 1, as: UInt32.self)
            index += 8
        }
        while index < text.count {
            guard let high = digit(text[index]), let low = digit(text[index + 1]) else { return false }
            target.storeBytes(of: high << 4 | low, toByteOffset: index >> 1, as: UInt8.self)
            index += 2
        }
        return true
    }

    /// The bytes of eight digits, all of them at once; nil when one is none.
    @inline(__always)
    private static func fourBytes(_ digits: UInt64) -> UInt32? {
        let digits = UInt64(littleEndian: digits)
        let letters = (digits >> 6) & 0x0101_0101_0101_0101
        let values = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
        // What the values would look like as digits must be what came, in lower case.
        let above = ((values &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
        let expected = values &+ 0x3030_3030_3030_3030 &+ above &* 0x27
        guard expected == digits | letters << 5, values & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
        var pairs = values << 4 | values >> 8
        pairs &= 0x00FF_00FF_00FF_00FF
        pairs = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: pairs | pairs >> 16).littleEndian
    }

    @inline(__always)
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether a text is a UUID in its canonical form, 8-4-4-4-12, of either case (RFC 9562 section 4).
    static func isUUID(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count == uuidByteCount else { return false }
        for index in 0..<uuidByteCount {
            let isDash = index == 8 || index == 13 || index == 18 || index == 23
            guard isDash ? text[index] == UInt8(ascii: "-") : digit(text[index]) != nil else { return false }
        }
        return true
    }

    /// The length of a UUID's canonical form.
    static let uuidByteCount = 36

    /// Writes a number as a UUID of version 4 in lower case, 36 bytes.
    static func writeUUID(high: UInt64, low: UInt64, into target: UnsafeMutableRawPointer) {
        let high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var place = 0
        for nibble in 0..<32 {
            if place == 8 || place == 13 || place == 18 || place == 23 {
                target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: place, as: UInt8.self)
                place += 1
            }
            let word = nibble < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - (nibble & 15) * 4)) & 15
            let digit = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
            target.storeBytes(of: digit, toByteOffset: place, as: UInt8.self)
            place += 1
        }
    }

    /// Decodes base64url text without padding (RFC 7515 section 2); nil when it is none.
    static func base64URL(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in text {
            guard let value = sextet(byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return bytes
    }

    /// Encodes bytes in base64 with padding (RFC 4648 section 4), as channel identifiers are.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let rest = bytes.count - start
            let word =
                UInt32(bytes[start]) << 16 | (rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                | (rest > 2 ? UInt32(bytes[start + 2]) : 0)
            for place in 0..<4 {
                let isPadding = place > rest
                let index = Int(word >> UInt32(18 - place * 6) & 63)
                text.append(isPadding ? UInt8(ascii: "=") : alphabet.utf8Start[index])
            }
        }
        return text
    }

    private static func sextet(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
