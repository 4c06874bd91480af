/// Round numbers along an axis.
enum ChartTicks {
    /// From zero to a maximum, about so many.
    static func linear(to maximum: Double, about count: Int) -> [Double] {
        guard maximum > 0, maximum.isFinite else { return [0] }
        let step = roundStep(maximum / Double(count))
        return stride(from: 0, through: maximum, by: step).map { $0 }
    }

    /// Seconds from zero to a maximum, in steps that clocks have.
    static func seconds(to maximum: Double, about count: Int) -> [Double] {
        let wanted = maximum / Double(count)
        guard wanted > 10, wanted.isFinite else { return linear(to: maximum, about: count) }
        let clock: [Double] = [15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400]
        let step = clock.first { $0 >= wanted } ?? 86_400 * (wanted / 86_400).rounded(.up)
        return stride(from: 0, through: maximum, by: step).map { $0 }
    }

    /// Powers of ten in a range of positive numbers; with their double and fivefold where there are few.
    static func decades(from low: Double, to high: Double) -> [Double] {
        guard low > 0, high >= low, high.isFinite else { return [] }
        let isWide = high / low > 3_000
        var ticks: [Double] = []
        var decade = powerOfTen(notAbove: low)
        while decade <= high {
            ticks += (isWide ? [1] : [1, 2, 5]).map { $0 * decade }.filter { $0 >= low && $0 <= high }
            decade *= 10
        }
        return ticks
    }

    /// 1, 2 or 5 times a power of ten, the first that is not smaller.
    private static func roundStep(_ step: Double) -> Double {
        let power = powerOfTen(notAbove: step)
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= step } ?? step
    }

    /// The largest power of ten that is not above a positive number.
    private static func powerOfTen(notAbove number: Double) -> Double {
        // Smaller ones would end in a power that is zero.
        guard number > 1e-300 else { return 1e-300 }
        var power = 1.0
        while power > number { power /= 10 }
        while power * 10 <= number { power *= 10 }
        return power
    }
}
