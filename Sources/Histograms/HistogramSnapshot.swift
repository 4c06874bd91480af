/// What a histogram held at one moment, as a value that may cross from one event loop to another.
///
/// Disjoint snapshots (``Histogram/takeSnapshot()``) added in any order give exactly the histogram of all values.
public struct HistogramSnapshot: Sendable, Equatable {
    /// How the range is divided into cells.
    public let geometry: HistogramGeometry
    /// Counts, minimum, maximum and sum of what was recorded.
    public let totals: HistogramTotals
    /// The index of the first count in ``cells``.
    let firstIndex: Int
    /// The counts between the smallest and the largest recorded value.
    let cells: [Int64]
}

extension Histogram {
    /// Makes a histogram with the contents of a snapshot.
    public convenience init(_ snapshot: HistogramSnapshot) {
        self.init(snapshot.geometry)
        exact.pointee = snapshot.totals
        for (offset, count) in snapshot.cells.enumerated() { cells[snapshot.firstIndex + offset] = count }
    }

    /// Copies what was recorded so far; allocates memory for the cells in use.
    public func snapshot() -> HistogramSnapshot {
        let used = usedCells
        let counts = UnsafeBufferPointer(start: cells.advanced(by: used.lowerBound), count: used.count)
        return HistogramSnapshot(
            geometry: geometry, totals: totals, firstIndex: used.lowerBound, cells: Array(counts))
    }

    /// Copies what was recorded since the last time and starts anew, so that intervals are disjoint.
    public func takeSnapshot() -> HistogramSnapshot {
        let snapshot = snapshot()
        reset()
        return snapshot
    }

    /// Adds all counts and totals of a snapshot.
    ///
    /// - Throws: ``HistogramError/differentGeometry(expected:found:)`` when the cells mean other values, and
    ///   ``HistogramError/countOverflow``; then nothing is added.
    public func add(_ snapshot: HistogramSnapshot) throws(HistogramError) {
        guard snapshot.geometry == geometry else {
            throw .differentGeometry(expected: geometry, found: snapshot.geometry)
        }
        try exact.pointee.add(snapshot.totals)
        for (offset, count) in snapshot.cells.enumerated() { cells[snapshot.firstIndex + offset] += count }
    }
}
