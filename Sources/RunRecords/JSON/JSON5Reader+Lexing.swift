/// Blanks, comments and texts.
extension JSON5Reader {
    /// Moves past blanks and comments.
    mutating func skipBlanks() throws(JSON5SyntaxError) {
        while let byte {
            switch byte {
            case UInt8(ascii: " "), 0x09...0x0D: advance()
            case 0xC2 where follows([0xC2, 0xA0]): offset += 2
            case 0xE2 where follows([0xE2, 0x80, 0xA8]) || follows([0xE2, 0x80, 0xA9]): offset += 3
            case 0xEF where follows([0xEF, 0xBB, 0xBF]):
                // A byte order mark takes no column.
                if offset == lineStart { lineStart += 3 }
                offset += 3
            case UInt8(ascii: "/") where follows(Array("//".utf8)):
                while let byte = self.byte, byte != 10 { _ = byte; advance() }
            case UInt8(ascii: "/") where follows(Array("/*".utf8)): try skipBlockComment()
            default: return
            }
        }
    }

    private func follows(_ sequence: [UInt8]) -> Bool { bytes[offset...].starts(with: sequence) }

    private mutating func skipBlockComment() throws(JSON5SyntaxError) {
        let start = self
        advance()
        advance()
        while !follows(Array("*/".utf8)) {
            guard !isAtEnd else { throw start.error("\"*/\"", found: "a comment without an end") }
            advance()
        }
        offset += 2
    }

    /// Reads a text in single or double quotes.
    mutating func string() throws(JSON5SyntaxError) -> String {
        let start = self
        let quote = bytes[offset]
        var units: [UInt8] = []
        advance()
        while let byte, byte != quote {
            guard byte != 10, byte != 13 else { break }
            if byte == UInt8(ascii: "\\") {
                units += try escape()
            } else {
                units.append(byte)
                advance()
            }
        }
        guard byte == quote else { throw start.error("a closing quote", found: "a text without an end") }
        advance()
        guard let text = String(validating: units, as: UTF8.self) else {
            throw start.error("UTF-8", found: "a text of other bytes")
        }
        return text
    }

    /// Reads what follows a backslash, and returns the bytes that it stands for.
    private mutating func escape() throws(JSON5SyntaxError) -> [UInt8] {
        let start = self
        advance()
        guard let byte else { throw start.error("a character after the backslash") }
        advance()
        switch byte {
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "v"): return [11]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "0"): return [0]
        case 10: return []
        case 13:
            if self.byte == 10 { advance() }
            return []
        case UInt8(ascii: "x"):
            return Array(String(Character(try scalar(try hexadecimal(digits: 2), from: start))).utf8)
        case UInt8(ascii: "u"): return Array(String(Character(try unicodeEscape(from: start))).utf8)
        default: return [byte]
        }
    }

    private mutating func unicodeEscape(from start: JSON5Reader) throws(JSON5SyntaxError) -> Unicode.Scalar {
        let high = try hexadecimal(digits: 4)
        guard 0xD800...0xDBFF ~= high else { return try scalar(high, from: start) }
        guard skip("\\"), skip("u") else { throw start.error("two surrogates", found: "one surrogate") }
        let low = try hexadecimal(digits: 4)
        guard 0xDC00...0xDFFF ~= low else { throw start.error("two surrogates", found: "one surrogate") }
        return try scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), from: start)
    }

    private func scalar(_ code: UInt32, from start: JSON5Reader) throws(JSON5SyntaxError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(code) else { throw start.error("two surrogates", found: "one surrogate") }
        return scalar
    }

    private mutating func hexadecimal(digits count: Int) throws(JSON5SyntaxError) -> UInt32 {
        let digits = bytes[offset...].prefix(count)
        guard digits.count == count, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("\(count) hexadecimal digits") }
        offset += count
        return code
    }
}

/// A number of JSON5, written as quantities are read: decimal digits, at most one point between digits, no exponent.
struct JSON5Number: Equatable {
    let text: String

    /// Reads a whole word; nil if it is not a number. `Infinity` and `NaN` are numbers of JSON5 that no setting takes.
    init?(_ word: String) {
        var rest = Substring(word)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest.removeFirst() }
        guard let plain = Self.magnitude(String(rest)) else { return nil }
        text = isNegative ? "-" + plain : plain
    }

    private static func magnitude(_ word: String) -> String? {
        if word == "Infinity" || word == "NaN" { return word }
        if word.hasPrefix("0x") || word.hasPrefix("0X") {
            guard word.utf8.dropFirst(2).first.map(JSON5Reader.isWord) == true, !word.contains("+") else { return nil }
            return UInt64(word.dropFirst(2), radix: 16).map { "\($0)" }
        }
        let digits = word.replacing("_", with: "")
        let groupsAreSound = !word.hasPrefix("_") && !word.hasSuffix("_") && !word.contains("__")
        guard groupsAreSound, digits.utf8.allSatisfy({ JSON5Reader.isDigit($0) || ".eE+-".utf8.contains($0) }) else {
            return nil
        }
        guard digits != "." else { return nil }
        let padded = digits.hasPrefix(".") ? "0" + digits : digits
        guard padded.first?.isNumber == true, let value = Double(padded.hasSuffix(".") ? padded + "0" : padded) else {
            return nil
        }
        // Leading zeros would be octal elsewhere, and JSON5 refuses them.
        guard !(padded.count > 1 && padded.hasPrefix("0") && padded.dropFirst().first?.isNumber == true) else {
            return nil
        }
        if padded.contains(where: { $0 == "e" || $0 == "E" }) {
            return value.magnitude < 0x1p63 && value == value.rounded(.towardZero) ? "\(Int64(value))" : "\(value)"
        }
        return padded.hasSuffix(".") ? String(padded.dropLast()) : padded
    }
}
