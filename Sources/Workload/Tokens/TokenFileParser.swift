import Primitives

/// Reads a token file line by line; columns are bytes from 1.
struct TokenFileParser {
    let text: UnsafeRawBufferPointer
    let fileName: String
    let acceptedBytes: ClosedRange<Int>
    private(set) var bytes: [UInt8] = []
    /// The start of every token, then the end of the last.
    private(set) var starts = [0]
    private(set) var shortest = Int.max
    private(set) var longest = 0
    private var line = 1
    private var lineStart = 0
    private var at = 0

    init(text: UnsafeRawBufferPointer, fileName: String, acceptedBytes: ClosedRange<Int>) {
        self.text = text
        self.fileName = fileName
        self.acceptedBytes = acceptedBytes
    }

    private var column: Int { at - lineStart + 1 }
    private var isAtLineEnd: Bool { at == text.count || text[at] == UInt8(ascii: "\n") }

    mutating func parse() throws(TokenFileError) {
        bytes.reserveCapacity(text.count / 2)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        lineStart = at
        while at < text.count {
            try parseLine()
            at += 1
            line += 1
            lineStart = at
        }
    }

    /// Reads up to the line's end and leaves the place there.
    private mutating func parseLine() throws(TokenFileError) {
        skipSpace()
        let tokenColumn = column
        let isBracketed = !isAtLineEnd && text[at] == UInt8(ascii: "<")
        if isBracketed { at += 1 }
        let digitCount = try parseDigits()
        if isBracketed {
            guard !isAtLineEnd, text[at] == UInt8(ascii: ">") else {
                throw .unclosedBracket(file: fileName, line: line, column: column)
            }
            at += 1
            skipSpace()
        }
        try endLine()
        if isBracketed || digitCount > 0 { try add(digitCount: digitCount, column: tokenColumn) }
    }

    /// Appends the digits' bytes, spaces between them left out, and returns the number of digits.
    private mutating func parseDigits() throws(TokenFileError) -> Int {
        var digitCount = 0
        var high: UInt8 = 0
        var behindLastDigit = at
        while !isAtLineEnd {
            if let digit = HexDigits.value(of: text[at]) {
                if digitCount & 1 == 0 { high = digit << 4 } else { bytes.append(high | digit) }
                digitCount += 1
                behindLastDigit = at + 1
            } else if !Self.isSpace(text[at]) {
                break
            }
            at += 1
        }
        guard digitCount & 1 == 1 else { return digitCount }
        // A digit that is missing because something else stands there is better named by what stands there.
        if !isAtLineEnd, text[at] != UInt8(ascii: "#"), text[at] != UInt8(ascii: ">") { try endLine() }
        throw .oddDigitCount(
            file: fileName, line: line, column: behindLastDigit - lineStart + 1, digitCount: digitCount)
    }

    /// Accepts the line's end or a comment.
    private mutating func endLine() throws(TokenFileError) {
        guard !isAtLineEnd else { return }
        guard text[at] == UInt8(ascii: "#") else {
            throw .unexpectedByte(file: fileName, line: line, column: column, found: text[at])
        }
        while !isAtLineEnd { at += 1 }
    }

    private mutating func add(digitCount: Int, column: Int) throws(TokenFileError) {
        let length = digitCount / 2
        guard acceptedBytes.contains(length) else {
            throw .wrongLength(
                file: fileName, line: line, column: column, foundBytes: length, accepted: acceptedBytes)
        }
        shortest = min(shortest, length)
        longest = max(longest, length)
        starts.append(bytes.count)
    }

    private mutating func skipSpace() {
        while !isAtLineEnd, Self.isSpace(text[at]) { at += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
