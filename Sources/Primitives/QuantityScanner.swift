/// Reads numbers and units from the text of one quantity, from the left.
struct QuantityScanner {
    let quantity: Quantity
    let text: String
    private var rest: Substring.UnicodeScalarView

    /// Starts at the first character that is not a blank; there must be one.
    init(_ text: String, _ quantity: Quantity) throws(QuantityError) {
        self.quantity = quantity
        self.text = text
        rest = text[...].unicodeScalars
        skipBlanks()
        if rest.isEmpty { throw .empty(quantity) }
        if rest.first == "-" { throw .negative(quantity, found: text) }
    }

    var isAtEnd: Bool { rest.isEmpty }
    var isAtDigit: Bool { rest.first.map(Self.isDigit) ?? false }

    /// Reads a number such as 1_000.25 and the blanks after it.
    mutating func number() throws(QuantityError) -> ScannedNumber {
        guard isAtDigit else { throw .notANumber(quantity, found: text) }
        var number = ScannedNumber()
        var isFraction = false
        var last: Unicode.Scalar?
        while let scalar = rest.first {
            let next = rest.dropFirst().first.map(Self.isDigit) ?? false
            let isBetweenDigits = next && (last.map(Self.isDigit) ?? false)
            if Self.isDigit(scalar) {
                guard number.append(digit: Int64(scalar.value - 48), isFraction: isFraction) else {
                    throw .tooLarge(quantity, found: text)
                }
            } else if scalar == ".", !isFraction, isBetweenDigits {
                isFraction = true
            } else if scalar != "_" || !isBetweenDigits {
                break
            }
            last = scalar
            rest.removeFirst()
        }
        skipBlanks()
        return number
    }

    /// Reads a word up to the next digit, slash or blank, and the blanks after it; empty if there is none.
    mutating func word() -> String {
        let word = rest.prefix { !Self.isDigit($0) && $0 != "/" && $0 != " " }
        rest.removeFirst(word.count)
        skipBlanks()
        return String(word)
    }

    /// Moves past a slash, if one is next, and the blanks after it.
    mutating func skipSlash() -> Bool {
        guard rest.first == "/" else { return false }
        rest.removeFirst()
        skipBlanks()
        return true
    }

    /// Refuses whatever stands after the quantity.
    func requireEnd() throws(QuantityError) {
        if !isAtEnd { throw .notANumber(quantity, found: text) }
    }

    /// A number times its unit, which must be whole and fit 63 bits.
    func product(_ number: ScannedNumber, _ unit: Int64) throws(QuantityError) -> Int64 {
        let (whole, remainder) = (Int128(number.digits) * Int128(unit)).quotientAndRemainder(
            dividingBy: number.divisor)
        guard let product = Int64(exactly: whole) else { throw .tooLarge(quantity, found: text) }
        guard remainder == 0 else { throw .notWhole(quantity, found: text) }
        return product
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == " " } }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

/// A decimal number, exactly.
struct ScannedNumber {
    /// The number without its decimal point.
    private(set) var digits: Int64 = 0
    /// The power of ten that the digits are to be divided by.
    private(set) var divisor: Int128 = 1
    private var trailingZeros = 0

    /// The nearest floating-point number.
    var double: Double { Double(digits) / Double(divisor) }

    /// Appends a digit and returns whether the number still fits; zeros at the end of a fraction cost no room.
    mutating func append(digit: Int64, isFraction: Bool) -> Bool {
        if isFraction, digit == 0 {
            trailingZeros += 1
            return true
        }
        guard shift(digit: 0, places: trailingZeros, isFraction: isFraction) else { return false }
        trailingZeros = 0
        return shift(digit: digit, places: 1, isFraction: isFraction)
    }

    private mutating func shift(digit: Int64, places: Int, isFraction: Bool) -> Bool {
        // Thirty decimals are beyond any unit, and keep the divisor within 128 bits.
        guard places <= 30 else { return false }
        for _ in 0..<places {
            let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(digit)
            guard !overflow, !sumOverflow else { return false }
            digits = sum
            if isFraction { divisor *= 10 }
            guard divisor <= 1_000_000_000_000_000_000_000_000_000_000 else { return false }
        }
        return true
    }
}
