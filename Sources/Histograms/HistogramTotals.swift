/// What a histogram knows beside its cells, exactly and not by cell.
///
/// The V2 format loses these; a run record keeps them next to the encoded cells.
public struct HistogramTotals: Equatable, Sendable {
    /// Recorded values, those above the range included, negative ones not.
    public var count: Int64
    /// Values above the range; they have no cell, but count in all other totals.
    public var overflowCount: Int64
    /// Negative values: a fault of the caller's clock arithmetic; they count nowhere else.
    public var invalidCount: Int64
    /// Whether minimum, maximum and sum are those of the recorded values; false if estimated from decoded cells.
    public var isExact: Bool
    /// Sum of all recorded values; 128 bits hold any number of them.
    public var sum: Int128

    /// The smallest recorded value; above every value while there is none, so that recording needs one comparison.
    @usableFromInline var lowest: Int64
    /// The largest recorded value; below every value while there is none.
    @usableFromInline var highest: Int64

    /// The smallest recorded value; nil if there is none.
    public var minimum: Int64? { count == 0 ? nil : lowest }
    /// The largest recorded value; nil if there is none.
    public var maximum: Int64? { count == 0 ? nil : highest }

    /// The totals of no values.
    @usableFromInline init() {
        (count, overflowCount, invalidCount, isExact, sum, lowest, highest) = (0, 0, 0, true, 0, .max, .min)
    }

    /// Makes totals as a run record keeps them; ``Histogram/init(encoded:totals:cellLimit:)`` checks them.
    ///
    /// - Parameters:
    ///   - count: recorded values, those above the range included.
    ///   - minimum: the smallest recorded value; nil if there is none.
    ///   - maximum: the largest recorded value; nil if there is none.
    ///   - sum: the sum of all recorded values.
    ///   - overflowCount: how many of them were above the range.
    ///   - invalidCount: negative values, not among the others.
    public init(
        count: Int64, minimum: Int64?, maximum: Int64?, sum: Int128, overflowCount: Int64 = 0, invalidCount: Int64 = 0
    ) {
        self.count = count
        self.overflowCount = overflowCount
        self.invalidCount = invalidCount
        self.isExact = true
        self.sum = sum
        self.lowest = minimum ?? .max
        self.highest = maximum ?? .min
    }

    /// Adds the totals of other values, or throws ``HistogramError/countOverflow`` and changes nothing.
    mutating func add(_ other: HistogramTotals) throws(HistogramError) {
        let (newCount, countOverflow) = count.addingReportingOverflow(other.count)
        let (newInvalid, invalidOverflow) = invalidCount.addingReportingOverflow(other.invalidCount)
        guard !countOverflow, !invalidOverflow else { throw .countOverflow }
        count = newCount
        invalidCount = newInvalid
        overflowCount += other.overflowCount
        isExact = isExact && other.isExact
        sum += other.sum
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
    }
}
