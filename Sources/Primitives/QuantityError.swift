/// The kinds of quantity that users write in profiles and options.
public enum Quantity: String, Equatable, Sendable {
    /// A length of time.
    case interval
    /// Events per time.
    case rate
    /// A number of things.
    case count
    /// A number of bytes.
    case size

    /// How to write one, for messages.
    public var accepted: String {
        switch self {
        case .interval: "a time such as 500ms, 2s, 1m30s or 1h (ns us ms s m h d; a bare number is seconds)"
        case .rate: "a rate such as 2000/s, 200k/s, 60/m or 10M/5min (k M G; a bare number is per second)"
        case .count: "a whole number such as 250000, 1_000k or 1M (k M G are powers of 1000)"
        case .size: "a size such as 4096, 64KiB, 16K or 1.5MiB (K M G, also with iB, are powers of 1024)"
        }
    }
}

/// A text that is not the quantity it should be: what was found, and what would be accepted.
public enum QuantityError: Error, Equatable, Sendable {
    /// Nothing but blanks.
    case empty(Quantity)
    /// No number where one must stand.
    case notANumber(Quantity, found: String)
    /// A number below zero.
    case negative(Quantity, found: String)
    /// A rate of zero, or per no time.
    case zero(Quantity, found: String)
    /// A number without the unit that is needed at this place.
    case missingUnit(Quantity, found: String)
    /// A unit that the kind of quantity has not.
    case unknownUnit(Quantity, unit: String, found: String)
    /// A unit that some read as a power of 1000 and others as a power of 1024.
    case ambiguousUnit(Quantity, unit: String, found: String)
    /// Parts of a time that do not go from the larger to the smaller unit.
    case unitsOutOfOrder(Quantity, found: String)
    /// More than 63 bits hold.
    case tooLarge(Quantity, found: String)
    /// Not a whole number of nanoseconds, things or bytes.
    case notWhole(Quantity, found: String)
}

extension QuantityError: CustomStringConvertible {
    /// The error as a sentence for the user: found text, reason, accepted forms.
    public var description: String {
        switch self {
        case .empty(let quantity): "nothing given; expected \(quantity.accepted)"
        case .notANumber(let quantity, let found): sentence(found, "is not a number with a unit", quantity)
        case .negative(let quantity, let found): sentence(found, "is negative", quantity)
        case .zero(let quantity, let found): sentence(found, "is zero", quantity)
        case .missingUnit(let quantity, let found): sentence(found, "lacks a unit", quantity)
        case .unknownUnit(let quantity, let unit, let found):
            sentence(found, "has the unknown unit \(quoted(unit))", quantity)
        case .ambiguousUnit(let quantity, let unit, let found):
            sentence(found, "is ambiguous: \(quoted(unit)) may mean powers of 1000 or of 1024", quantity)
        case .unitsOutOfOrder(let quantity, let found):
            sentence(found, "does not go from the larger to the smaller unit", quantity)
        case .tooLarge(let quantity, let found): sentence(found, "is too large", quantity)
        case .notWhole(let quantity, let found): sentence(found, "is finer than the smallest unit", quantity)
        }
    }

    private func sentence(_ found: String, _ reason: String, _ quantity: Quantity) -> String {
        "\(quoted(found)) \(reason); expected \(quantity.accepted)"
    }

    /// The text in quotes, control characters escaped, cut so that a file given by mistake does not flood the screen.
    private func quoted(_ text: String) -> String {
        text.count > 40 ? (text.prefix(40) + "…").debugDescription : text.debugDescription
    }
}
