// Links the mathematical library, which rounding and square roots call in a build without optimisation.
import Glibc

/// Questions to a histogram: quantiles, shares, means. Nil where there is nothing to answer from, never NaN.
extension Histogram {
    /// The value that a share `quantile` of all values does not exceed; nil for an empty histogram.
    ///
    /// See ``values(atQuantiles:)``.
    public func value(atQuantile quantile: Double) -> Int64? { values(atQuantiles: [quantile])?.first }

    /// The values at several quantiles, in the order asked, in one pass over the cells; nil for an empty histogram.
    ///
    /// Java's rule (`measurement.md` 9.9): the first cell at which the cumulative count reaches `ceil(q * count)`
    /// answers with its highest value, for quantile 0 with its lowest. The answer is held within the exact minimum
    /// and maximum, so no quantile exceeds the maximum, and quantile 1 is the maximum. A rank among values above
    /// the range answers the exact maximum: their order is unknown.
    ///
    /// - Parameter quantiles: shares, held within 0 ... 1.
    /// - Returns: one value for each quantile; nil for an empty histogram.
    /// - Precondition: no quantile is NaN.
    public func values(atQuantiles quantiles: [Double]) -> [Int64]? {
        let totals = totals
        guard totals.count > 0 else { return nil }
        let found = indices(atRanks: quantiles.map { rank(ofQuantile: $0, among: totals.count) })
        return zip(quantiles, found).map { quantile, index in
            guard let index else { return totals.highest }
            let value = quantile <= 0 ? geometry.lowestValue(at: index) : geometry.highestValue(at: index)
            return min(max(value, totals.lowest), totals.highest)
        }
    }

    /// The rank, from 1, that a quantile asks for.
    ///
    /// The next smaller number makes up for quantiles that were rounded up, such as 0.07 of 100.
    private func rank(ofQuantile quantile: Double, among count: Int64) -> Int64 {
        precondition(!quantile.isNaN, "a quantile must be a number")
        guard quantile < 1 else { return count }
        let share = max(quantile.nextDown, 0)
        let rank = (share * Double(count)).rounded(.up)
        // From 2^53 on the product may round up past the count, and past 63 bits.
        return rank >= Double(count) ? count : max(1, Int64(rank))
    }

    /// The cells that hold the values of these ranks; nil for ranks among the values above the range.
    private func indices(atRanks ranks: [Int64]) -> [Int?] {
        var found = [Int?](repeating: nil, count: ranks.count)
        var waiting = ranks.indices.sorted { ranks[$0] > ranks[$1] }
        var cumulative: Int64 = 0
        for index in usedCells where cells[index] != 0 {
            cumulative += cells[index]
            while let next = waiting.last, ranks[next] <= cumulative {
                found[next] = index
                waiting.removeLast()
            }
            if waiting.isEmpty { break }
        }
        return found
    }

    /// How many values lie in the cells from that of `range.lowerBound` to that of `range.upperBound`, both included.
    ///
    /// Values above the range count only if the bound reaches the maximum.
    public func count(in range: ClosedRange<Int64>) -> Int64 {
        guard !isEmpty, range.upperBound >= 0 else { return 0 }
        let used = usedCells
        let first = max(geometry.index(of: max(range.lowerBound, 0)), used.lowerBound)
        let last = min(geometry.index(of: range.upperBound), used.upperBound - 1)
        let inCells = first <= last ? (first...last).reduce(0) { $0 + cells[$1] } : 0
        let reachesAll = range.upperBound >= exact.pointee.highest && range.lowerBound <= geometry.highestTrackable
        return reachesAll ? inCells + exact.pointee.overflowCount : inCells
    }

    /// How many values lie in the cells up to and including that of each bound, in one pass over the cells.
    ///
    /// - Parameter bounds: values in rising order, none negative.
    /// - Returns: one number for each bound. Values above the range count in none, unless the bound is above it, too, and reaches the maximum.
    public func counts(upTo bounds: [Int64]) -> [Int64] {
        var counts: [Int64] = []
        counts.reserveCapacity(bounds.count)
        let used = usedCells
        var (sum, index) = (Int64(0), used.lowerBound)
        for bound in bounds {
            let end = min(geometry.index(of: bound) + 1, used.upperBound)
            while index < end {
                sum += cells[index]
                index += 1
            }
            let reachesAll = !isEmpty && bound >= exact.pointee.highest
            counts.append(reachesAll ? sum + exact.pointee.overflowCount : sum)
        }
        return counts
    }

    /// The share of values, 0 ... 1, in cells up to and including that of `value`; nil for an empty histogram.
    public func share(atOrBelow value: Int64) -> Double? {
        guard !isEmpty else { return nil }
        guard value >= 0 else { return 0 }
        return Double(count(in: 0...value)) / Double(count)
    }

    /// The exact mean of all values, those above the range included; nil for an empty histogram.
    ///
    /// Estimated from the cells for a histogram that was decoded without totals.
    public var mean: Double? {
        let totals = totals
        return totals.count > 0 ? Double(totals.sum) / Double(totals.count) : nil
    }

    /// The mean by the middles of the cells, as other implementations compute it; nil if no cell has a count.
    public var meanOfCells: Double? {
        var sum: Int128 = 0
        var count: Int64 = 0
        for index in usedCells where cells[index] != 0 {
            sum += Int128(geometry.medianValue(at: index)) * Int128(cells[index])
            count += cells[index]
        }
        return count > 0 ? Double(sum) / Double(count) : nil
    }

    /// The standard deviation of the population by the middles of the cells; nil if no cell has a count.
    public var standardDeviation: Double? {
        guard let mean = meanOfCells else { return nil }
        var squares = 0.0
        var count: Int64 = 0
        for index in usedCells where cells[index] != 0 {
            let deviation = Double(geometry.medianValue(at: index)) - mean
            squares += deviation * deviation * Double(cells[index])
            count += cells[index]
        }
        return (squares / Double(count)).squareRoot()
    }
}
