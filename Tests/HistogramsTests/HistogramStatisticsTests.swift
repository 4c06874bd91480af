import Histograms
import Primitives
import Testing

@Suite struct HistogramStatisticsTests {
    private func histogram(of values: some Sequence<Int64>) throws -> Histogram {
        let histogram = Histogram(
            try HistogramGeometry(lowestDiscernible: 1, highestTrackable: 3_600_000_000, significantDigits: 3))
        for value in values { histogram.record(value) }
        return histogram
    }

    @Test func `quantiles of 1 to 10,000 are those of the reference`() throws {
        let histogram = try histogram(of: 1...10_000)
        #expect(histogram.values(atQuantiles: [0.5, 0.9, 0.99, 0.999]) == [5_003, 9_007, 9_903, 9_991])
        let mean = try #require(histogram.meanOfCells)
        #expect(abs(mean - 5_000.898) < 0.001)
        #expect(histogram.mean == 5_000.5)
    }

    @Test func `a decoded histogram answers quantile 1 by its cell and the recorded one by its maximum`() throws {
        let recorded = try histogram(of: 1...10_000)
        let decoded = try Histogram(encoded: recorded.encoded())
        #expect(recorded.value(atQuantile: 1) == 10_000)
        #expect(decoded.value(atQuantile: 1) == 10_007)
        #expect(recorded.value(atQuantile: 0) == 1)
        #expect(!decoded.totals.isExact && recorded.totals.isExact)
    }

    @Test func `mean and deviation of 1 to 100 milliseconds are those of the reference`() throws {
        let histogram = try histogram(of: (1...100).map { $0 * 1_000 })
        let mean = try #require(histogram.meanOfCells)
        let deviation = try #require(histogram.standardDeviation)
        #expect(abs(mean / 1_000 - 50.504) < 0.001)
        #expect(abs(deviation / 1_000 - 28.866) < 0.001)
        #expect(histogram.mean == 50_500)
    }

    @Test func `a stall among steady values shows only where its rank is`() throws {
        let histogram = try histogram(of: repeatElement(1_000, count: 10_000))
        histogram.record(100_000_000)
        #expect(histogram.values(atQuantiles: [0.5, 0.999, 1]) == [1_000, 1_000, 100_000_000])
    }

    @Test func `an empty histogram answers nothing`() throws {
        let empty = Histogram()
        #expect(empty.value(atQuantile: 0.5) == nil)
        #expect(empty.values(atQuantiles: []) == nil)
        #expect(empty.mean == nil && empty.meanOfCells == nil && empty.standardDeviation == nil)
        #expect(empty.share(atOrBelow: 5) == nil)
        #expect(empty.count(in: 0...(.max)) == 0)
    }

    @Test(arguments: [0, 0.001, 0.5, 0.999, 1, -3, 7])
    func `one value answers every quantile`(quantile: Double) throws {
        let histogram = Histogram()
        histogram.record(123_456_789)
        #expect(histogram.value(atQuantile: quantile) == 123_456_789)
    }

    @Test func `quantiles follow the nearest rank of the sorted values`() throws {
        // Small values have cells of their own, so the answer is exact and the oracle independent of cells.
        let seed: UInt64 = 21
        var random = SeededRandom(seed: seed)
        for round in 0..<200 {
            let count = Int(random.below(300)) + 1
            let values = (0..<count).map { _ in Int64(random.below(2_048)) }
            let histogram = try histogram(of: values)
            let sorted = values.sorted()
            for rank in 1...count {
                let answer = histogram.value(atQuantile: Double(rank) / Double(count))
                #expect(answer == sorted[rank - 1], "seed \(seed), round \(round), rank \(rank) of \(count)")
            }
        }
    }

    @Test func `quantiles never fall and never pass the extremes`() {
        for seed: UInt64 in 1...20 {
            let histogram = filled(seed: seed)
            let answers = histogram.values(atQuantiles: (0...1_000).map { Double($0) / 1_000 }) ?? []
            #expect(answers.count == 1_001)
            #expect(answers == answers.sorted(), "seed \(seed)")
            #expect(answers.first == histogram.totals.minimum, "seed \(seed)")
            #expect(answers.last == histogram.totals.maximum, "seed \(seed)")
        }
    }

    @Test func `several quantiles in any order get the answers of single ones`() {
        let histogram = filled(seed: 22)
        let quantiles = [0.99, 0.1, 1, 0.5, 0.5, 0, 0.999]
        #expect(histogram.values(atQuantiles: quantiles) == quantiles.compactMap { histogram.value(atQuantile: $0) })
    }

    @Test func `a rank among values above the range answers the exact maximum`() throws {
        let histogram = try histogram(of: [1, 2, 3_600_000_001, 9_000_000_000])
        #expect(histogram.values(atQuantiles: [0.5, 0.51, 1]) == [2, 9_000_000_000, 9_000_000_000])
        #expect(histogram.mean == Double(12_600_000_004) / 4)
    }

    @Test func `counts beyond the precision of a double keep their ranks`() throws {
        let histogram = Histogram()
        histogram.record(1, count: .max - 1)
        histogram.record(2)
        #expect(histogram.values(atQuantiles: [0, 0.5, 1]) == [1, 1, 2])
    }

    @Test func `shares and counts include the whole cell of the bound`() throws {
        let histogram = try histogram(of: [0, 10, 20, 4_096, 4_097, 5_000_000_000])
        #expect(histogram.count(in: 10...20) == 2)
        #expect(histogram.count(in: -5...9) == 1)
        #expect(histogram.count(in: 11...19) == 0)
        #expect(histogram.count(in: 4_096...4_096) == 2)
        #expect(histogram.count(in: 0...4_999_999_999) == 5)
        #expect(histogram.count(in: 0...5_000_000_000) == 6)
        #expect(histogram.count(in: -9...(-1)) == 0)
        #expect(histogram.share(atOrBelow: 20) == 0.5)
        #expect(histogram.share(atOrBelow: -1) == 0)
        #expect(histogram.share(atOrBelow: .max) == 1)
    }

    @Test func `values above the range only still have a mean and quantiles`() {
        let histogram = Histogram()
        histogram.record(.max, count: 2)
        #expect(histogram.value(atQuantile: 0.5) == .max)
        #expect(histogram.mean == Double(Int64.max))
        #expect(histogram.meanOfCells == nil && histogram.standardDeviation == nil)
    }

    @Test(arguments: UInt64(1)...6)
    func `counts up to rising bounds are those of single questions`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let histogram = Histogram(seed.isMultiple(of: 2) ? .runTotals : .perConnection)
        for _ in 0..<random.below(2_000) { histogram.record(Int64(random.below(1 << (1 + random.below(46))))) }
        let bounds = (0..<40).map { _ in Int64(random.below(1 << (1 + random.below(50)))) }.sorted() + [.max]
        #expect(histogram.counts(upTo: bounds) == bounds.map { histogram.count(in: 0...$0) }, "seed \(seed)")
        #expect(Histogram().counts(upTo: bounds) == bounds.map { _ in 0 })
    }
}
