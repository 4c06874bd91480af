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
}

/// How made-up text stands in the JSON.
public enum TextForm: String, Sendable, CaseIterable {
    /// As UTF-8.
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
            let unit = encode(nextScalar(of: alphabet))
            guard bytes.count + unit.count <= end else { break }
            bytes.append(contentsOf: unit)
        }
        while bytes.count < end { bytes.append(UInt8(ascii: ".")) }
    }

    private mutating func nextScalar(of alphabet: TextAlphabet) -> UInt32 {
        switch alphabet {
        case .ascii: nextLetter()
        case .twoByte: 0x0430 + UInt32(random.below(32))
        case .threeByte: 0x4E00 + UInt32(random.below(2_048))
        case .fourByte: 0x1F600 + UInt32(random.below(64))
        case .mixed: nextScalar(of: [.ascii, .twoByte, .threeByte, .fourByte][Int(random.below(4))])
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

    private func encode(_ value: UInt32) -> [UInt8] {
        let scalar = Unicode.Scalar(value) ?? "?"
        switch form {
        case .utf8: return Array(String(scalar).utf8)
        case .escaped:
            var unit: [UInt8] = []
            for codeUnit in UTF16.encode(scalar) ?? .init() { unit.append(contentsOf: Self.escape(codeUnit)) }
            return unit
        }
    }

    private static func escape(_ codeUnit: UInt16) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return [UInt8(ascii: "\\"), UInt8(ascii: "u")]
            + [12, 8, 4, 0].map { digits[Int(codeUnit >> UInt16($0)) & 15] }
    }
}
