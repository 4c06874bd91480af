/// Text that is not JSON5: where, what was found there, and what could stand there instead.
struct JSON5SyntaxError: Error, Equatable {
    var offset: Int
    var line: Int
    var column: Int
    var found: String
    var expected: String
}

/// Reads JSON5 (json5.org) with positions; beyond it, digits may be grouped by `_`, and a key may not stand twice.
struct JSON5Reader {
    /// Deeper nesting is refused, so that a hostile file cannot exhaust the stack.
    static let depthMax = 32

    let bytes: [UInt8]
    let source: String
    var offset = 0
    var line = 1
    var lineStart = 0
    var depth = 0

    /// Reads one value that is the whole text.
    static func read(_ text: some StringProtocol, source: String) throws(JSON5SyntaxError) -> LocatedValue {
        var reader = JSON5Reader(bytes: Array(text.utf8), source: source)
        try reader.skipBlanks()
        let value = try reader.value()
        try reader.skipBlanks()
        guard reader.isAtEnd else { throw reader.error("the end of the text") }
        return value
    }

    var isAtEnd: Bool { offset == bytes.count }
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Where the reader stands.
    var origin: ValueOrigin { ValueOrigin(source: source, line: line, column: column) }

    private var column: Int { bytes[lineStart..<offset].count { $0 & 0xC0 != 0x80 } + 1 }

    /// An error at the reader's place.
    func error(_ expected: String, found: String? = nil) -> JSON5SyntaxError {
        JSON5SyntaxError(offset: offset, line: line, column: column, found: found ?? foundText, expected: expected)
    }

    private var foundText: String {
        guard !isAtEnd else { return "the end of the text" }
        let end = bytes[offset...].prefix(32)
        let word = end.prefix { Self.isWord($0) }
        if !word.isEmpty { return shortened(String(decoding: word, as: UTF8.self)) }
        return shortened(String(String(decoding: end, as: UTF8.self).prefix(1)))
    }

    /// Moves past a byte if it is the next one.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        advance()
        return true
    }

    mutating func advance() {
        if bytes[offset] == UInt8(ascii: "\n") {
            line += 1
            lineStart = offset + 1
        }
        offset += 1
    }

    /// Reads a value at which the reader stands.
    private mutating func value() throws(JSON5SyntaxError) -> LocatedValue {
        let origin = self.origin
        switch byte {
        case UInt8(ascii: "{"): return LocatedValue(content: try object(), origin: origin)
        case UInt8(ascii: "["): return LocatedValue(content: try array(), origin: origin)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return LocatedValue(content: .string(try string()), origin: origin)
        default: return LocatedValue(content: try word(), origin: origin)
        }
    }

    private mutating func object() throws(JSON5SyntaxError) -> LocatedValue.Content {
        var members: [LocatedMember] = []
        try list(closedBy: "}", item: "a key") { (reader) throws(JSON5SyntaxError) in
            let origin = reader.origin
            let start = reader
            let name = try reader.key()
            if let first = members.first(where: { $0.name == name }) {
                let place = "line \(first.origin.line ?? 0)"
                throw start.error("each key once", found: "the key \(shortened(name)) again, first in \(place)")
            }
            try reader.skipBlanks()
            guard reader.skip(":") else { throw reader.error("\":\" after the key \(shortened(name))") }
            try reader.skipBlanks()
            members.append(LocatedMember(name: name, origin: origin, value: try reader.value()))
        }
        return .object(members)
    }

    private mutating func array() throws(JSON5SyntaxError) -> LocatedValue.Content {
        var values: [LocatedValue] = []
        try list(closedBy: "]", item: "a value") { (reader) throws(JSON5SyntaxError) in
            values.append(try reader.value())
        }
        return .array(values)
    }

    /// Reads items separated by commas, of which one may stand after the last item.
    private mutating func list(
        closedBy end: Unicode.Scalar, item: String,
        _ readItem: (inout JSON5Reader) throws(JSON5SyntaxError) -> Void
    ) throws(JSON5SyntaxError) {
        depth += 1
        guard depth <= Self.depthMax else { throw error("at most \(Self.depthMax) levels") }
        advance()
        try skipBlanks()
        while !skip(end) {
            guard !isAtEnd else { throw error("\(item) or \"\(end)\"") }
            try readItem(&self)
            try skipBlanks()
            if skip(end) { break }
            guard skip(",") else { throw error("\",\" or \"\(end)\"") }
            try skipBlanks()
        }
        depth -= 1
    }

    private mutating func key() throws(JSON5SyntaxError) -> String {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return try string() }
        let name = bytes[offset...].prefix { Self.isWord($0) && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
        guard let first = name.first, !Self.isDigit(first), first != UInt8(ascii: "+") else { throw error("a key") }
        offset += name.count
        return String(decoding: name, as: UTF8.self)
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func word() throws(JSON5SyntaxError) -> LocatedValue.Content {
        let word = String(decoding: bytes[offset...].prefix { Self.isWord($0) }, as: UTF8.self)
        let content: LocatedValue.Content
        switch word {
        case "": throw error("a value")
        case "true": content = .bool(true)
        case "false": content = .bool(false)
        case "null": content = .null
        default:
            guard let number = JSON5Number(word) else {
                throw error("a number, true, false, null, or a text in quotes")
            }
            content = .number(number.text)
        }
        offset += word.utf8.count
        return content
    }

    static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// Bytes of keys, numbers and keywords; everything outside ASCII counts, as JSON5 allows letters of any script.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF: true
        case UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: isDigit(byte)
        }
    }
}
