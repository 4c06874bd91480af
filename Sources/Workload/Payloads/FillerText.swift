import Primitives

/// The characters that made-up text consists of.
public enum TextAlphabet: String, Sendable, CaseIterable {
    /// Words of lower-case letters.
    case ascii
    /// Cyrillic letters, two bytes each.
    case twoByte
    /// Han characters, three bytes each.
    case threeByte
    /// Emoji, four bytes each.
    case fourByte
    /// All of them.
    case mixed
    /// Quotation marks, backslashes and control characters, which JSON takes as escapes only.
    case special
}

/// How made-up text stands in the JSON.
public enum TextForm: String, Sendable, CaseIterable {
    /// As UTF-8; what JSON does not take so as the shortest escape.
    case utf8
    /// As `\uXXXX` escapes, surrogate pairs included.
    case escaped
}

/// A source of made-up text that fills any number of bytes exactly and never cuts a character or an escape.
struct FillerText {
    let alphabet: TextAlphabet
    let form: TextForm
    private var random: SeededRandom
    private var lettersUntilSpace = 0

    init(alphabet: TextAlphabet, form: TextForm, seed: UInt64) {
        self.alphabet = alphabet
        self.form = form
        random = SeededRandom(seed: seed)
    }

    /// Appends exactly `byteCount` bytes; what is too short for one more character becomes full stops.
    mutating func append(byteCount: Int, to bytes: inout [UInt8]) {
        let end = bytes.count + byteCount
        lettersUntilSpace = 0
        while bytes.count < end {
            let scalar = nextScalar(of: alphabet)
            guard bytes.count + length(of: scalar) <= end else { break }
            append(scalar, to: &bytes)
        }
        while bytes.count < end { bytes.append(UInt8(ascii: ".")) }
    }

    private mutating func nextScalar(of alphabet: TextAlphabet) -> Unicode.Scalar {
        Unicode.Scalar(nextValue(of: alphabet)) ?? "?"
    }

    private mutating func nextValue(of alphabet: TextAlphabet) -> UInt32 {
        switch alphabet {
        case .ascii: nextLetter()
        case .twoByte: 0x0430 + UInt32(random.below(32))
        case .threeByte: 0x4E00 + UInt32(random.below(2_048))
        case .fourByte: 0x1F600 + UInt32(random.below(64))
        case .special: nextSpecial()
        case .mixed: nextValue(of: [.ascii, .twoByte, .threeByte, .fourByte][Int(random.below(4))])
        }
    }

    private mutating func nextLetter() -> UInt32 {
        if lettersUntilSpace == 0 {
            lettersUntilSpace = 2 + Int(random.below(8))
        } else {
            lettersUntilSpace -= 1
            if lettersUntilSpace == 0 { return 0x20 }
        }
        return 0x61 + UInt32(random.below(26))
    }

    /// A quotation mark, a backslash, or a control character other than NUL, at which too many readers stop.
    private mutating func nextSpecial() -> UInt32 {
        switch random.below(4) {
        case 0: 0x22
        case 1: 0x5C
        default: 1 + UInt32(random.below(31))
        }
    }

    /// The letter of JSON's short escape (RFC 8259 section 7); nil if there is none.
    private static func shortEscape(of scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "\"", "\\": UInt8(scalar.value)
        case "\u{8}": UInt8(ascii: "b")
        case "\t": UInt8(ascii: "t")
        case "\n": UInt8(ascii: "n")
        case "\u{C}": UInt8(ascii: "f")
        case "\r": UInt8(ascii: "r")
        default: nil
        }
    }

    private func length(of scalar: Unicode.Scalar) -> Int {
        guard form == .utf8 else { return 6 * UTF16.width(scalar) }
        if Self.shortEscape(of: scalar) != nil { return 2 }
        return scalar.value < 0x20 ? 6 : UTF8.width(scalar)
    }

    private func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        if form == .utf8, let letter = Self.shortEscape(of: scalar) {
            bytes += [UInt8(ascii: "\\"), letter]
        } else if form == .utf8, scalar.value >= 0x20 {
            for codeUnit in scalar.utf8 { bytes.append(codeUnit) }
        } else {
            for codeUnit in scalar.utf16 { Self.appendEscape(codeUnit, to: &bytes) }
        }
    }

    private static func appendEscape(_ codeUnit: UInt16, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(ascii: "u"))
        let digits = HexDigits.eightDigits(UInt64(codeUnit))
        for shift in [24, 16, 8, 0] as [UInt64] { bytes.append(UInt8(truncatingIfNeeded: digits >> shift)) }
    }
}
