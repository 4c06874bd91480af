import Histograms
import Primitives
import Testing

@Suite struct HistogramTests {
    private let hour: Int64 = 3_600_000_000_000

    @Test func `count, minimum, maximum and sum are exact`() {
        let histogram = Histogram()
        for value: Int64 in [1_000_003, 7, 999_999_937] { histogram.record(value) }
        #expect(histogram.totals == HistogramTotals(count: 3, minimum: 7, maximum: 999_999_937, sum: 1_000_999_947))
    }

    @Test func `an empty histogram has no minimum and no maximum`() {
        let totals = Histogram().totals
        #expect(totals.count == 0 && totals.minimum == nil && totals.maximum == nil && totals.sum == 0)
    }

    @Test func `zero is a value like others`() {
        let histogram = Histogram()
        histogram.record(0)
        #expect(histogram.totals == HistogramTotals(count: 1, minimum: 0, maximum: 0, sum: 0))
        #expect(histogram.cell(at: 0) == 1)
    }

    @Test func `the highest trackable value has a cell and the next one counts as overflow`() {
        let histogram = Histogram()
        histogram.record(hour)
        #expect(histogram.totals.overflowCount == 0)
        #expect(histogram.cell(at: histogram.geometry.index(of: hour)) == 1)
        histogram.record(hour + 1)
        #expect(histogram.cell(at: histogram.geometry.index(of: hour)) == 1)
        #expect(
            histogram.totals
                == HistogramTotals(
                    count: 2, minimum: hour, maximum: hour + 1, sum: Int128(2 * hour + 1), overflowCount: 1))
    }

    @Test func `the sum of the largest values exceeds 64 bits and stays exact`() {
        let histogram = Histogram()
        for _ in 0..<3 { histogram.record(.max) }
        histogram.record(.max, count: 1 << 40)
        #expect(histogram.totals.sum == Int128(Int64.max) * Int128((1 << 40) + 3))
        #expect(histogram.totals.overflowCount == (1 << 40) + 3)
    }

    @Test func `negative values count as invalid and nowhere else`() {
        let histogram = Histogram()
        histogram.record(-1)
        histogram.record(.min, count: 4)
        #expect(histogram.isEmpty)
        #expect(
            histogram.totals == HistogramTotals(count: 0, minimum: nil, maximum: nil, sum: 0, invalidCount: 5))
    }

    @Test func `recording a value n times at once equals recording it n times singly`() {
        let seed: UInt64 = 12
        var random = SeededRandom(seed: seed)
        let (weighted, single) = (Histogram(), Histogram())
        for _ in 0..<500 {
            let value = Int64(random.next() >> (1 + random.below(63))) - 5
            let weight = Int64(random.below(9))
            weighted.record(value, count: weight)
            for _ in 0..<weight { single.record(value) }
        }
        #expect(weighted == single, "seed \(seed)")
    }

    @Test func `a value recorded zero times leaves no trace`() {
        let histogram = Histogram()
        histogram.record(5, count: 0)
        #expect(histogram.totals.minimum == nil)
        #expect(histogram == Histogram())
    }

    @Test func `after a reset a histogram equals a new one and records anew`() {
        let histogram = filled(seed: 13)
        histogram.reset()
        #expect(histogram == Histogram())
        for index in 0..<histogram.geometry.cellCount where histogram.cell(at: index) != 0 {
            Issue.record("cell \(index) still holds \(histogram.cell(at: index))")
        }
        histogram.record(3)
        #expect(histogram.totals == HistogramTotals(count: 1, minimum: 3, maximum: 3, sum: 3))
    }

    @Test func `the sum of parts equals the histogram of all values`() throws {
        let seed: UInt64 = 14
        var random = SeededRandom(seed: seed)
        let (all, sum) = (Histogram(), Histogram())
        let parts = (0..<5).map { _ in Histogram() }
        for _ in 0..<20_000 {
            let value = Int64(random.next() >> (1 + random.below(63))) - 2
            all.record(value)
            parts[Int(random.below(UInt64(parts.count)))].record(value)
        }
        for part in parts { try sum.add(part) }
        #expect(sum == all, "seed \(seed)")
    }

    @Test func `a histogram added to itself has every count twice`() throws {
        let (histogram, twice) = (filled(seed: 15), filled(seed: 15))
        try twice.add(filled(seed: 15))
        try histogram.add(histogram)
        #expect(histogram == twice)
        #expect(histogram.count == 4_000)
    }

    @Test func `histograms of different geometry are not added`() throws {
        let histogram = filled(seed: 16)
        let other = Histogram(.perConnection)
        other.record(1)
        let error = HistogramError.differentGeometry(expected: .runTotals, found: .perConnection)
        #expect(throws: error) { try histogram.add(other) }
        #expect(throws: error) { try histogram.add(other.snapshot()) }
        #expect(histogram == filled(seed: 16))
    }

    @Test func `more counts than 63 bits are refused and nothing is added`() throws {
        let (histogram, other) = (Histogram(), Histogram())
        histogram.record(1, count: .max - 1)
        other.record(2, count: 2)
        #expect(throws: HistogramError.countOverflow) { try histogram.add(other) }
        #expect(throws: HistogramError.countOverflow) { try histogram.add(other.snapshot()) }
        #expect(histogram.cell(at: 2) == 0)
        #expect(histogram.count == .max - 1)
    }

    @Test func `a copy does not change with its original`() {
        let histogram = filled(seed: 17)
        let copy = histogram.copy()
        #expect(copy == histogram)
        histogram.record(1)
        #expect(copy == filled(seed: 17))
    }

    @Test func `disjoint snapshots add up to the whole`() throws {
        let (recorder, sum, all) = (Histogram(), Histogram(), Histogram())
        let seed: UInt64 = 18
        var random = SeededRandom(seed: seed)
        for _ in 0..<7 {
            for _ in 0..<1_000 {
                let value = Int64(random.below(5_000_000_000_000))
                recorder.record(value)
                all.record(value)
            }
            try sum.add(recorder.takeSnapshot())
            #expect(recorder == Histogram())
        }
        try sum.add(recorder.takeSnapshot())
        #expect(sum == all, "seed \(seed)")
    }

    @Test func `a histogram made from a snapshot equals its origin`() {
        let histogram = filled(seed: 19)
        #expect(Histogram(histogram.snapshot()) == histogram)
        #expect(Histogram(Histogram().snapshot()) == Histogram())
    }

    @Test func `a histogram with nothing but overflow survives copies and sums`() throws {
        let histogram = Histogram()
        histogram.record(hour * 2, count: 3)
        #expect(Histogram(histogram.snapshot()) == histogram)
        let sum = histogram.copy()
        try sum.add(histogram)
        #expect(sum.totals.overflowCount == 6)
    }
}

/// A histogram of 2,000 values over the whole range and beyond.
func filled(seed: UInt64, geometry: HistogramGeometry = .runTotals) -> Histogram {
    var random = SeededRandom(seed: seed)
    let histogram = Histogram(geometry)
    for _ in 0..<2_000 { histogram.record(Int64(random.next() >> (1 + random.below(63)))) }
    return histogram
}
