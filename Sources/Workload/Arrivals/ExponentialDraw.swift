import Primitives

/// Exponentially distributed numbers from random bits, by a table instead of a logarithm: about as dear as the random bits.
///
/// -ln u of a uniform u is the sum of its leading zeros, each ln 2, and of the logarithm of what follows them, which is taken from a table
/// and between its entries by a straight line. That is off by 1.2e-7 at most, and the same bits on every machine.
struct ExponentialDraw {
    private static let entryShift: UInt64 = 10
    /// ln 2 in 2^-32.
    private static let unit: UInt64 = 2_977_044_472
    /// ln 2 - ln(1 + i / 1024) in 2^-32, falling from ln 2 to 0; one entry more, so that each has a neighbour.
    private static let table: [UInt64] = (0...1 << Int(entryShift)).map { place in
        let logarithm = BinaryLogarithm.log2(1 + Double(place) / 1_024)
        return UInt64(((1 - logarithm) * 0.693_147_180_559_945_3 * 0x1p32).rounded())
    }

    private let table = Self.table

    /// An exponentially distributed number with mean 1 in 2^-32 units, made of 64 random bits.
    func number(from bits: UInt64) -> UInt64 {
        // All zeros would be a number without end; it is taken as the least that is none.
        let bits = max(bits, 1)
        let zeros = UInt64(bits.leadingZeroBitCount)
        let rest = (bits << zeros) << 1
        let place = Int(rest >> (64 - Self.entryShift))
        let between = (rest << Self.entryShift) >> 32
        return table.withUnsafeBufferPointer { table in
            let (high, low) = (table[place], table[place + 1])
            return zeros * Self.unit + high - (((high - low) * between) >> 32)
        }
    }
}
