/// Decimal digits of a number without leading zeros.
enum DecimalDigits {
    /// The most digits that a number of 64 bits has.
    static let maxCount = 20

    /// Writes the digits of `value`, highest first, and returns how many there are.
    ///
    /// - Precondition: ``maxCount`` bytes are writable at `destination`, or as many as the value has digits.
    static func write(_ value: UInt64, to destination: UnsafeMutableRawPointer) -> Int {
        var count = 1
        var power: UInt64 = 10
        while count < maxCount, value >= power {
            count += 1
            power = count < maxCount ? power &* 10 : power
        }
        var rest = value
        for index in stride(from: count - 1, through: 0, by: -1) {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            destination.storeBytes(of: UInt8(ascii: "0") + UInt8(digit), toByteOffset: index, as: UInt8.self)
            rest = quotient
        }
        return count
    }
}
