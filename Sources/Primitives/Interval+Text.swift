extension Interval {
    /// Reads a time as users write it: `500ms`, `2s`, `1m30s`, `1.5h`; a bare number is seconds.
    ///
    /// Units are ns, us (also µs), ms, s (sec), m (min), h and d; blanks may stand around them, `_` between digits.
    ///
    /// - Parameter text: the whole text of one time, not negative.
    /// - Throws: ``QuantityError`` saying what was found and what is accepted.
    public init(text: String) throws(QuantityError) {
        var scanner = try QuantityScanner(text, .interval)
        self = try scanner.interval()
        try scanner.requireEnd()
    }

    /// The nanoseconds of a unit; nil if there is no such unit.
    static func nanoseconds(ofUnit unit: String) -> Int64? {
        switch unit {
        case "ns": 1
        // The micro sign and the Greek letter look alike, and keyboards give either.
        case "us", "\u{B5}s", "\u{3BC}s": 1_000
        case "ms": 1_000_000
        case "s", "sec": 1_000_000_000
        case "m", "min": 60 * 1_000_000_000
        case "h": 3_600 * 1_000_000_000
        case "d": 86_400 * 1_000_000_000
        default: nil
        }
    }
}

extension QuantityScanner {
    /// Reads parts of a time from the larger to the smaller unit; one part alone may lack its unit and is seconds.
    mutating func interval(unitMayLack: Bool = true) throws(QuantityError) -> Interval {
        var total: Int64 = 0
        var smallest = Int64.max
        repeat {
            let number = try number()
            let word = word()
            let isBareSeconds = word.isEmpty && isAtEnd && smallest == .max && unitMayLack
            if word.isEmpty, !isBareSeconds { throw .missingUnit(quantity, found: text) }
            guard let unit = Interval.nanoseconds(ofUnit: isBareSeconds ? "s" : word) else {
                throw .unknownUnit(quantity, unit: word, found: text)
            }
            guard unit < smallest else { throw .unitsOutOfOrder(quantity, found: text) }
            smallest = unit
            let (sum, overflow) = total.addingReportingOverflow(try product(number, unit))
            guard !overflow else { throw .tooLarge(quantity, found: text) }
            total = sum
        } while isAtDigit
        return Interval(nanoseconds: total)
    }
}

extension Interval: CustomStringConvertible {
    /// The time for people, three digits: `1.25 ms`, `12.5 s`; from a minute on to the second: `1m 30s`.
    public var description: String {
        let sign = nanoseconds < 0 ? "-" : ""
        let magnitude = nanoseconds.magnitude
        if magnitude == 0 { return "0 s" }
        // 59.95 s would round to 60.0 s.
        if magnitude >= 59_950_000_000 {
            return sign + Self.clockText(seconds: (magnitude + 500_000_000) / 1_000_000_000)
        }
        return sign + scaledText(Double(magnitude), units: [(1, " ns"), (1e3, " µs"), (1e6, " ms"), (1e9, " s")])
    }

    private static func clockText(seconds: UInt64) -> String {
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
