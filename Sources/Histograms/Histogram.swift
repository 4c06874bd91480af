/// Counts of values in cells of a fixed relative width, with exact totals beside them.
///
/// One event loop owns a histogram and records without synchronisation; what crosses to another is a
/// ``HistogramSnapshot``. Recording takes constant time and memory and never allocates. Values above the range are
/// counted as overflow and in all totals, never clamped into the last cell.
public final class Histogram {
    /// How the range is divided into cells.
    public let geometry: HistogramGeometry
    // Behind pointers, so that recording needs no run-time exclusivity check.
    @usableFromInline let cells: UnsafeMutablePointer<Int64>
    @usableFromInline let exact: UnsafeMutablePointer<HistogramTotals>

    /// Makes an empty histogram; for the latencies of a run, in nanoseconds, unless told otherwise.
    public init(_ geometry: HistogramGeometry = .runTotals) {
        self.geometry = geometry
        cells = .allocate(capacity: geometry.cellCount)
        cells.initialize(repeating: 0, count: geometry.cellCount)
        exact = .allocate(capacity: 1)
        exact.initialize(to: HistogramTotals())
    }

    deinit {
        cells.deallocate()
        exact.deallocate()
    }

    /// Counts, minimum, maximum and sum of what was recorded.
    public var totals: HistogramTotals { exact.pointee }

    /// How many values were recorded, those above the range included.
    public var count: Int64 { exact.pointee.count }

    /// Whether nothing was recorded.
    public var isEmpty: Bool { exact.pointee.count == 0 }

    /// Records one value.
    ///
    /// A value above the range counts as overflow and in all totals; a negative one as invalid and nowhere else.
    @inlinable
    public func record(_ value: Int64) {
        guard UInt64(bitPattern: value) <= UInt64(bitPattern: geometry.highestTrackable) else {
            return recordOutside(value, count: 1)
        }
        cells[geometry.index(of: value)] &+= 1
        exact.pointee.count += 1
        exact.pointee.sum &+= Int128(value)
        // Stores that rarely happen: the extremes' cache line stays clean.
        if value < exact.pointee.lowest { exact.pointee.lowest = value }
        if value > exact.pointee.highest { exact.pointee.highest = value }
    }

    /// Records a value as often as `count` says; the same as recording it that often singly.
    ///
    /// - Precondition: `count` is not negative, and all counts together stay below 2^63.
    @inlinable
    public func record(_ value: Int64, count: Int64) {
        precondition(count >= 0, "a value cannot be recorded a negative number of times")
        guard count > 0 else { return }
        guard UInt64(bitPattern: value) <= UInt64(bitPattern: geometry.highestTrackable) else {
            return recordOutside(value, count: count)
        }
        cells[geometry.index(of: value)] += count
        countInTotals(value, count: count)
    }

    /// Records a value that has no cell.
    @usableFromInline
    func recordOutside(_ value: Int64, count: Int64) {
        if value < 0 {
            exact.pointee.invalidCount += count
        } else {
            exact.pointee.overflowCount += count
            countInTotals(value, count: count)
        }
    }

    @usableFromInline
    func countInTotals(_ value: Int64, count: Int64) {
        exact.pointee.count += count
        exact.pointee.sum += Int128(value) * Int128(count)
        exact.pointee.lowest = min(exact.pointee.lowest, value)
        exact.pointee.highest = max(exact.pointee.highest, value)
    }

    /// Forgets everything that was recorded.
    public func reset() {
        let used = usedCells
        cells.advanced(by: used.lowerBound).update(repeating: 0, count: used.count)
        exact.pointee = HistogramTotals()
    }

    /// Adds all counts and totals of another histogram.
    ///
    /// - Throws: ``HistogramError/differentGeometry(expected:found:)`` when the cells mean other values, and
    ///   ``HistogramError/countOverflow``; then nothing is added.
    public func add(_ other: Histogram) throws(HistogramError) {
        guard other.geometry == geometry else {
            throw .differentGeometry(expected: geometry, found: other.geometry)
        }
        let used = other.usedCells
        try exact.pointee.add(other.exact.pointee)
        // No cell can overflow: it holds at most the total, which did not.
        for index in used { cells[index] += other.cells[index] }
    }

    /// Makes an independent histogram with the same contents.
    public func copy() -> Histogram {
        let copy = Histogram(geometry)
        copy.exact.pointee = exact.pointee
        let used = usedCells
        copy.cells.advanced(by: used.lowerBound)
            .update(from: cells.advanced(by: used.lowerBound), count: used.count)
        return copy
    }

    /// Indices between which all counts lie, so that scans need not touch the other cells; empty if there are none.
    var usedCells: Range<Int> {
        let totals = exact.pointee
        guard totals.count > 0 else { return 0..<0 }
        // Foreign histograms may use cells above the range, so the array bounds, not the range.
        let last = geometry.cellCount - 1
        return min(geometry.index(of: totals.lowest), last)..<min(geometry.index(of: totals.highest), last) + 1
    }

    /// How often values of the cell at `index` were recorded.
    ///
    /// - Precondition: `index` is in 0 ..< ``HistogramGeometry/cellCount``.
    public func cell(at index: Int) -> Int64 {
        precondition(index >= 0 && index < geometry.cellCount, "no such cell")
        return cells[index]
    }
}

extension Histogram: Equatable {
    /// Whether two histograms have the same geometry, counts and totals.
    public static func == (left: Histogram, right: Histogram) -> Bool {
        guard left.geometry == right.geometry, left.totals == right.totals else { return false }
        return left.usedCells.allSatisfy { left.cells[$0] == right.cells[$0] }
    }
}
