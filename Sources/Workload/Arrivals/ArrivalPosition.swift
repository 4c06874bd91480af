/// A place on the scale on which operations come at an average of one per unit, to a 2^-32 of a unit.
struct ArrivalPosition: Hashable, Comparable, Sendable {
    /// Whole units.
    var whole: UInt64
    /// The rest of a unit, in 2^-32.
    var fraction: UInt32

    init(whole: UInt64, fraction: UInt32 = 0) {
        self.whole = whole
        self.fraction = fraction
    }

    /// The nearest place to a number that is not negative; one that is whole but for rounding is taken as whole.
    init(_ value: Double) {
        let nearest = value.rounded()
        if (value - nearest).magnitude < 1e-6 {
            self.init(whole: UInt64(nearest))
        } else {
            self.init(whole: UInt64(value), fraction: UInt32((value - Double(UInt64(value))) * 0x1p32))
        }
    }

    /// Units as a number.
    var value: Double { Double(whole) + Double(fraction) * 0x1p-32 }

    static func < (left: Self, right: Self) -> Bool { (left.whole, left.fraction) < (right.whole, right.fraction) }

    /// The distance to an earlier place.
    static func - (left: Self, right: Self) -> Self {
        let borrows = left.fraction < right.fraction
        return Self(
            whole: left.whole - right.whole - (borrows ? 1 : 0), fraction: left.fraction &- right.fraction)
    }

    static func + (left: Self, right: Self) -> Self {
        let (fraction, carries) = left.fraction.addingReportingOverflow(right.fraction)
        return Self(whole: left.whole + right.whole + (carries ? 1 : 0), fraction: fraction)
    }
}
