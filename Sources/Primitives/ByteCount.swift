/// A number of bytes.
public struct ByteCount: Hashable, Comparable, Sendable {
    /// How many bytes; not negative when read from text.
    public var bytes: Int64

    /// Makes a size of so many bytes.
    @inlinable
    public init(bytes: Int64) { self.bytes = bytes }

    /// Reads a size as users write it: `4096`, `512B`, `16K`, `64KiB`, `1.5MiB`; K, M and G are powers of 1024.
    ///
    /// `KB`, `MB` and `GB` are refused, because half of their readers mean powers of 1000.
    ///
    /// - Parameter text: the whole text of one size, not negative.
    /// - Throws: ``QuantityError`` saying what was found and what is accepted.
    public init(text: String) throws(QuantityError) {
        var scanner = try QuantityScanner(text, .size)
        let number = try scanner.number()
        let word = scanner.word()
        guard let factor = try Self.factor(ofSuffix: word, in: text) else {
            throw .unknownUnit(.size, unit: word, found: text)
        }
        try scanner.requireEnd()
        bytes = try scanner.product(number, factor)
    }

    /// Whether the left size is smaller.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

    private static func factor(ofSuffix suffix: String, in text: String) throws(QuantityError) -> Int64? {
        switch suffix {
        case "", "B": 1
        case "K", "k", "KiB": 1 << 10
        case "M", "MiB": 1 << 20
        case "G", "GiB": 1 << 30
        case "kB", "KB", "MB", "GB": throw .ambiguousUnit(.size, unit: suffix, found: text)
        default: nil
        }
    }
}

extension ByteCount: CustomStringConvertible {
    /// The size for people, three digits: `512 B`, `64 KiB`, `1.5 GiB`.
    public var description: String {
        if bytes == 0 { return "0 B" }
        let text = scaledText(
            Double(bytes.magnitude),
            units: [(1, " B"), (0x1p10, " KiB"), (0x1p20, " MiB"), (0x1p30, " GiB"), (0x1p40, " TiB")])
        return bytes < 0 ? "-" + text : text
    }
}
