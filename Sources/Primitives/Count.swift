/// A number of things, as users write and read it.
public struct Count: Hashable, Comparable, Sendable {
    /// How many; not negative when read from text.
    public var value: Int64

    /// Makes a count of so many things.
    @inlinable
    public init(_ value: Int64) { self.value = value }

    /// Reads a count as users write it: `250000`, `1_000k`, `1.5M`; k, M and G are powers of 1000.
    ///
    /// - Parameter text: the whole text of one count, not negative.
    /// - Throws: ``QuantityError`` saying what was found and what is accepted.
    public init(text: String) throws(QuantityError) {
        var scanner = try QuantityScanner(text, .count)
        let number = try scanner.number()
        let word = scanner.word()
        guard let factor = Self.factor(ofSuffix: word) else {
            throw .unknownUnit(.count, unit: word, found: text)
        }
        try scanner.requireEnd()
        value = try scanner.product(number, factor)
    }

    /// Whether the left count is smaller.
    public static func < (left: Count, right: Count) -> Bool { left.value < right.value }

    /// The exact count with its digits in groups: `1,000,000`.
    public var grouped: String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// The power of 1000 that a suffix stands for; nil if there is no such suffix.
    static func factor(ofSuffix suffix: String) -> Int64? {
        switch suffix {
        case "": 1
        case "k", "K": 1_000
        case "M": 1_000_000
        case "G": 1_000_000_000
        default: nil
        }
    }
}

extension Count: CustomStringConvertible {
    /// The count for people, three digits: `950`, `1.25 M`.
    public var description: String {
        if value == 0 { return "0" }
        let text = scaledText(Double(value.magnitude), units: [(1, ""), (1e3, " k"), (1e6, " M"), (1e9, " G")])
        return value < 0 ? "-" + text : text
    }
}
