/// Device tokens read from a file, in the file's order, as bytes behind each other.
public struct TokenList: Sendable {
    /// Token lengths in bytes that the service's documents allow (`BinaryProviderAPI.html`: up to 100).
    public static let documentedBytes = 1...100

    /// How many tokens there are; at least one.
    public let count: Int
    /// The length of the longest token in bytes.
    public let maxTokenBytes: Int
    @usableFromInline let bytes: [UInt8]
    /// Where each token starts, and the end; empty when all have the same length.
    @usableFromInline let starts: [Int]

    /// A list without tokens, for sources that have none.
    init() {
        count = 0
        maxTokenBytes = 0
        bytes = []
        starts = []
    }

    /// Reads one hexadecimal token a line.
    ///
    /// Spaces, `<…>` around a token and upper case are accepted as Apple's tools print them; so are line ends of both kinds,
    /// empty lines, a byte order mark, and comments from `#` to the end of the line. `<>` is the empty token.
    ///
    /// - Parameters:
    ///   - text: the file's bytes.
    ///   - fileName: the name for error messages.
    ///   - acceptedBytes: the token lengths that are accepted.
    /// - Throws: ``TokenFileError`` with the place of the first bad line.
    public init(
        parsing text: UnsafeRawBufferPointer, fileName: String,
        acceptedBytes: ClosedRange<Int> = TokenKey.tokenBytes...TokenKey.tokenBytes
    ) throws(TokenFileError) {
        var parser = TokenFileParser(text: text, fileName: fileName, acceptedBytes: acceptedBytes)
        try parser.parse()
        guard parser.starts.count > 1 else { throw .empty(file: fileName) }
        count = parser.starts.count - 1
        maxTokenBytes = parser.longest
        bytes = parser.bytes
        starts = parser.shortest == parser.longest ? [] : parser.starts
    }

    /// Writes token `index` and returns its length in bytes.
    ///
    /// - Precondition: `index` is in 0 ..< ``count``, and ``maxTokenBytes`` bytes are writable at `destination`.
    @inlinable
    public func writeToken(at index: Int, into destination: UnsafeMutableRawPointer) -> Int {
        precondition(index >= 0 && index < count, "no such token")
        let start = starts.isEmpty ? index &* maxTokenBytes : starts[index]
        let length = starts.isEmpty ? maxTokenBytes : starts[index + 1] &- start
        bytes.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { destination.copyMemory(from: base + start, byteCount: length) }
        }
        return length
    }
}
