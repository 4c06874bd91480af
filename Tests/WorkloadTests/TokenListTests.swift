import Testing

@testable import Workload

/// C37: token text is read strictly, and every length can be made.
@Suite struct TokenListTests {
    static func parse(_ text: String, accepted: ClosedRange<Int> = 32...32) throws -> TokenList {
        try Array(text.utf8).withUnsafeBytes {
            try TokenList(parsing: $0, fileName: "tokens.txt", acceptedBytes: accepted)
        }
    }

    static func token(_ list: TokenList, _ index: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: list.maxTokenBytes + 1) { buffer, count in
            count = list.writeToken(at: index, into: UnsafeMutableRawPointer(buffer.baseAddress!))
        }
    }

    static func hex(_ byteCount: Int) -> String {
        (0..<byteCount).map { ["00", "0f", "a7", "ff"][$0 % 4] }.joined()
    }

    static func bytes(_ byteCount: Int) -> [UInt8] { (0..<byteCount).map { [0x00, 0x0F, 0xA7, 0xFF][$0 % 4] } }

    @Test(arguments: [1, 31, 32, 33, 54, 80, 100])
    func `a token of any documented length is read when lengths may vary, leading zeros included`(length: Int) throws {
        let list = try Self.parse(Self.hex(length) + "\n", accepted: TokenList.documentedBytes)
        #expect(list.count == 1)
        #expect(Self.token(list, 0) == Self.bytes(length))
    }

    @Test(arguments: [1, 31, 33, 54, 80, 100, 101])
    func `a token that has not 32 bytes is refused with its line, column and length`(length: Int) {
        #expect(
            throws: TokenFileError.wrongLength(
                file: "tokens.txt", line: 2, column: 3, foundBytes: length, accepted: 32...32)
        ) {
            try Self.parse("# first\n  \(Self.hex(length))\n")
        }
    }

    @Test func `101 bytes are too many even when lengths may vary`() {
        #expect(
            throws: TokenFileError.wrongLength(
                file: "tokens.txt", line: 1, column: 1, foundBytes: 101, accepted: 1...100)
        ) {
            try Self.parse(Self.hex(101), accepted: TokenList.documentedBytes)
        }
    }

    @Test func `lengths from 0 to 101 can be mixed for gateways that are to refuse them`() throws {
        let lengths = [0, 1, 31, 32, 33, 54, 80, 100, 101]
        let list = try Self.parse(lengths.map { "<\(Self.hex($0))>" }.joined(separator: "\n"), accepted: 0...101)
        #expect(list.count == lengths.count && list.maxTokenBytes == 101)
        for (index, length) in lengths.enumerated() { #expect(Self.token(list, index) == Self.bytes(length)) }
    }

    @Test(arguments: [
        "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
        "740F4707BEBCF74F9B7C25D48E3358945F6AA01DA5DDB387462C7EAF61BB78AD",
        "<740f4707 bebcf74f 9b7c25d4 8e335894 5f6aa01d a5ddb387 462c7eaf 61bb78ad>",
        "\t< 740f4707 bebcf74f 9b7c25d4 8e335894 5f6aa01d a5ddb387 462c7eaf 61bb78ad >  # mine",
        "740f4707bebcf74f 9b7c25d48e335894 5f6aa01da5ddb387 462c7eaf61bb78ad#mine",
        "\u{FEFF}740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad\r",
    ])
    func `one token is read however Apple's tools print it`(line: String) throws {
        let list = try Self.parse(line)
        #expect(list.count == 1)
        let token = Self.token(list, 0)
        #expect(token.count == 32 && token[0] == 0x74 && token[1] == 0x0F && token[31] == 0xAD)
    }

    @Test func `line ends of both kinds, empty lines and comments are fine, and order is kept`() throws {
        let list = try Self.parse(
            "# head\r\n\r\n\(Self.hex(32))\r\n\n   \n # note\n\(String(repeating: "ab", count: 32))")
        #expect(list.count == 2)
        #expect(Self.token(list, 0) == Self.bytes(32))
        #expect(Self.token(list, 1) == [UInt8](repeating: 0xAB, count: 32))
    }

    struct BadLine: Sendable, CustomStringConvertible {
        var description: String { text }
        let text: String
        let error: TokenFileError
        init(_ text: String, _ error: TokenFileError) {
            self.text = text
            self.error = error
        }
    }

    static let file = "tokens.txt"
    static let badLines = [
        BadLine("", .empty(file: file)),
        BadLine("\n# nothing\n\r\n", .empty(file: file)),
        BadLine("zz", .unexpectedByte(file: file, line: 1, column: 1, found: 0x7A)),
        BadLine("\n\n00g0", .unexpectedByte(file: file, line: 3, column: 3, found: 0x67)),
        BadLine("0x00", .unexpectedByte(file: file, line: 1, column: 2, found: 0x78)),
        BadLine("00\u{E9}", .unexpectedByte(file: file, line: 1, column: 3, found: 0xC3)),
        BadLine("00 11>", .unexpectedByte(file: file, line: 1, column: 6, found: 0x3E)),
        BadLine("<00> 11", .unexpectedByte(file: file, line: 1, column: 6, found: 0x31)),
        BadLine("0 1 2", .oddDigitCount(file: file, line: 1, column: 6, digitCount: 3)),
        BadLine("abc  # odd", .oddDigitCount(file: file, line: 1, column: 4, digitCount: 3)),
        BadLine("<abc>", .oddDigitCount(file: file, line: 1, column: 5, digitCount: 3)),
        BadLine("<abcd\nab", .unclosedBracket(file: file, line: 1, column: 6)),
        BadLine("<>", .wrongLength(file: file, line: 1, column: 1, foundBytes: 0, accepted: 32...32)),
        BadLine("\u{FEFF}zz", .unexpectedByte(file: file, line: 1, column: 1, found: 0x7A)),
    ]

    @Test(arguments: badLines)
    func `a bad line is named by line and column`(bad: BadLine) {
        #expect(throws: bad.error) { try Self.parse(bad.text) }
    }

    @Test func `messages say where, what was found and what is accepted`() {
        #expect(
            TokenFileError.unexpectedByte(file: "t", line: 3, column: 7, found: 0x67).description
                == "t:3:7: found 'g'; a device token is hexadecimal digits, with spaces between and <…> around them if "
                + "you like")
        #expect(
            TokenFileError.unexpectedByte(file: "t", line: 1, column: 2, found: 0x07).description
                .hasPrefix("t:1:2: found byte 0x07;"))
        #expect(
            TokenFileError.wrongLength(file: "t", line: 1, column: 1, foundBytes: 31, accepted: 32...32).description
                == "t:1:1: a token of 31 bytes (62 digits); 32 bytes (64 digits) are accepted")
        #expect(
            TokenFileError.wrongLength(file: "t", line: 1, column: 1, foundBytes: 101, accepted: 1...100).description
                .hasSuffix("1 to 100 bytes are accepted"))
    }
}
