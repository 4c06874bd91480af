extension Rate {
    /// Reads a rate as users write it: `2000/s`, `200k/s`, `60/m`, `10M/5min`; a bare number is per second.
    ///
    /// - Parameter text: the whole text of one rate, above zero.
    /// - Throws: ``QuantityError`` saying what was found and what is accepted.
    public init(text: String) throws(QuantityError) {
        var scanner = try QuantityScanner(text, .rate)
        let events = try scanner.events()
        let period = scanner.skipSlash() ? try scanner.period() : .seconds(1)
        try scanner.requireEnd()
        guard events > 0, period > .zero else { throw .zero(.rate, found: text) }
        self.init(perSecond: events * 1e9 / Double(period.nanoseconds))
    }
}

extension QuantityScanner {
    fileprivate mutating func events() throws(QuantityError) -> Double {
        let number = try number()
        let word = word()
        guard let factor = Count.factor(ofSuffix: word) else {
            throw .unknownUnit(quantity, unit: word, found: text)
        }
        return number.double * Double(factor)
    }

    /// Reads what stands after the slash: a unit, or a number of units.
    fileprivate mutating func period() throws(QuantityError) -> Interval {
        if isAtDigit { return try interval(unitMayLack: false) }
        let word = word()
        if word.isEmpty { throw .missingUnit(quantity, found: text) }
        guard let unit = Interval.nanoseconds(ofUnit: word) else {
            throw .unknownUnit(quantity, unit: word, found: text)
        }
        return Interval(nanoseconds: unit)
    }
}

extension Rate: CustomStringConvertible {
    /// The rate for people, three digits: `3.2 M/s`, `950/s`, `30/m`.
    public var description: String {
        guard perSecond.isFinite, perSecond >= 0.005 / 86_400, perSecond < 1e18 else { return "\(perSecond)/s" }
        return scaledText(
            perSecond,
            units: [
                (1.0 / 86_400, "/d"), (1.0 / 3_600, "/h"), (1.0 / 60, "/m"), (1, "/s"), (1e3, " k/s"), (1e6, " M/s"),
                (1e9, " G/s"),
            ])
    }
}
