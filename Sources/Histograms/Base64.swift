/// Base64 with the standard alphabet, padded, without line breaks (RFC 4648 section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The text of `bytes`.
    static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
            var end = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let left = min(3, bytes.count - start)
                let group = (0..<3).reduce(UInt32(0)) { $0 << 8 | ($1 < left ? UInt32(bytes[start + $1]) : 0) }
                for place in 0..<4 {
                    let digit = alphabet[Int(group >> UInt32(18 - 6 * place)) & 63]
                    text[end] = place <= left ? digit : padding
                    end += 1
                }
            }
            return end
        }
    }

    /// The bytes of `text`; only the one text that ``encode(_:)`` makes of them is accepted.
    static func decode(_ text: some StringProtocol) throws(HistogramError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { throw .badBase64(offset: characters.count) }
        let digitCount = characters.count - characters.suffix(2).count { $0 == padding }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for offset in 0..<digitCount {
            guard let digit = value(of: characters[offset]) else { throw .badBase64(offset: offset) }
            pending = pending << 6 | digit
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
                pending &= 1 << pendingBits - 1
            }
        }
        // Left-over bits must be zero and fewer than a digit, or two texts would mean the same bytes.
        guard pending == 0, pendingBits < 6 else { throw .badBase64(offset: digitCount) }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
