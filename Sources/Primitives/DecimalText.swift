/// A number with a fixed number of decimals, `.` as the point, no grouping; halves are rounded away from zero.
///
/// - Parameters:
///   - value: any number; one that is not finite, or 10^20 and more, is written as Swift does.
///   - places: how many decimals, in 0 ... 12.
/// - Returns: the text.
public func decimalText(_ value: Double, places: Int) -> String {
    precondition((0...12).contains(places), "decimals must be in 0...12")
    guard value.isFinite, value.magnitude < 1e20 else { return "\(value)" }
    let power = (0..<places).reduce(Int128(1)) { product, _ in product * 10 }
    // Conversion truncates, so that no rounding function of the C library is needed.
    let (whole, part) = Int128(value.magnitude * Double(power) + 0.5).quotientAndRemainder(dividingBy: power)
    let sign = value < 0 && (whole, part) != (0, 0) ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let digits = String(part)
    return "\(sign)\(whole).\(String(repeating: "0", count: places - digits.count))\(digits)"
}

/// A positive number in the largest unit that it reaches, with three significant digits and no needless zeros.
///
/// - Parameters:
///   - value: the number, positive and finite.
///   - units: sizes, ascending, and what to write after the number.
/// - Returns: number and unit.
func scaledText(_ value: Double, units: [(size: Double, suffix: String)]) -> String {
    var position = units.lastIndex { $0.size <= value } ?? 0
    var places = decimals(of: value / units[position].size)
    // 999.6 k would be written as 1000 k.
    let step = places == 0 ? 1 : places == 1 ? 0.1 : 0.01
    if position + 1 < units.count, value + units[position].size * step / 2 >= units[position + 1].size {
        position += 1
        places = 2
    }
    var text = Substring(decimalText(value / units[position].size, places: places))
    if places > 0 {
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
    }
    return text + units[position].suffix
}

private func decimals(of number: Double) -> Int { number < 9.995 ? 2 : number < 99.95 ? 1 : 0 }
