import Primitives

/// One step of a percentile distribution.
public struct PercentileRow: Equatable, Sendable {
    /// The highest value of the cell that reaches the percentile.
    public var value: Int64
    /// The percentile, 0 ... 100.
    public var percentile: Double
    /// How many values lie in this cell and those below.
    public var cumulativeCount: Int64
}

/// The `.hgrm` form that HdrHistogram's plotters read (`measurement.md` 9.8).
extension Histogram {
    /// The distribution in steps that halve their distance to 100 per cent, so that tails are as fine as the middle.
    ///
    /// Values above the range stand as one cell at the exact maximum. Empty for an empty histogram.
    ///
    /// - Parameter ticksPerHalfDistance: steps in each halving; 5 by convention.
    /// - Returns: the rows in ascending order, the last one at 100 per cent.
    public func percentileRows(ticksPerHalfDistance: Int = 5) -> [PercentileRow] {
        precondition(ticksPerHalfDistance > 0, "a half distance has at least one tick")
        let total = count
        var rows: [PercentileRow] = []
        var cumulative: Int64 = 0
        var level = 0.0
        for (value, cellCount) in valueCounts() {
            cumulative += cellCount
            while cumulative < total, level < 100, 100 * (Double(cumulative) / Double(total)) >= level {
                rows.append(PercentileRow(value: value, percentile: level, cumulativeCount: cumulative))
                level = Self.level(after: level, ticks: ticksPerHalfDistance)
            }
            guard cumulative == total else { continue }
            // The last cell has one row at the level reached, and the closing one.
            if level < 100 { rows.append(PercentileRow(value: value, percentile: level, cumulativeCount: total)) }
            rows.append(PercentileRow(value: value, percentile: 100, cumulativeCount: total))
        }
        return rows
    }

    /// The distribution as text, with mean, deviation and maximum below it.
    ///
    /// - Parameters:
    ///   - unit: how many recorded units make one printed unit; 1,000,000 prints nanoseconds as milliseconds.
    ///   - places: decimals of the values, in 0 ... 12.
    ///   - ticksPerHalfDistance: steps in each halving of the distance to 100 per cent.
    /// - Returns: lines, each ended by a line feed.
    public func percentileDistribution(
        unit: Int64 = 1_000_000, places: Int = 3, ticksPerHalfDistance: Int = 5
    ) -> String {
        precondition(unit > 0, "a unit must be positive")
        func scaled(_ value: Double) -> String { decimalText(value / Double(unit), places: places).padded(to: 12) }
        var text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
        let rows = percentileRows(ticksPerHalfDistance: ticksPerHalfDistance)
        for row in rows {
            let share = row.percentile / 100
            text += "\(scaled(Double(row.value))) \(decimalText(share, places: 12))"
            text += " \(String(row.cumulativeCount).padded(to: 10))"
            if row.percentile < 100 { text += " \(decimalText(1 / (1 - share), places: 2).padded(to: 14))" }
            text += "\n"
        }
        let maximum = scaled(Double(rows.last?.value ?? 0))
        text += "#[Mean    = \(scaled(meanOfCells ?? 0)), StdDeviation   = \(scaled(standardDeviation ?? 0))]\n"
        text += "#[Max     = \(maximum), Total count    = \(String(count).padded(to: 12))]\n"
        text += "#[Buckets = \(String(geometry.bucketCount).padded(to: 12)), "
        text += "SubBuckets     = \(String(geometry.subBucketCount).padded(to: 12))]\n"
        return text
    }

    /// Each cell in use by its highest value, then the values above the range.
    private func valueCounts() -> [(value: Int64, count: Int64)] {
        var pairs: [(value: Int64, count: Int64)] = []
        for index in usedCells where cells[index] != 0 {
            pairs.append((geometry.highestValue(at: index), cells[index]))
        }
        if totals.overflowCount > 0 { pairs.append((totals.highest, totals.overflowCount)) }
        return pairs
    }

    private static func level(after level: Double, ticks: Int) -> Double {
        let halvings = (100 / (100 - level)).exponent + 1
        let step = 100 / (Double(ticks) * Double(sign: .plus, exponent: halvings, significand: 1))
        // Steps below the precision of a double would never arrive.
        return level + step > level ? min(level + step, 100) : 100
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
