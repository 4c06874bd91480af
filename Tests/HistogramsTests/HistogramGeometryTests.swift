import Histograms
import Primitives
import Testing

@Suite struct HistogramGeometryTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var lowest: Int64
        var highest: Int64
        var digits: Int
        var subBuckets: Int
        var buckets: Int
        var cells: Int
        var testDescription: String { "\(lowest)...\(highest) at \(digits) digits" }
    }

    static let table = [
        Row(lowest: 1, highest: 3_600_000_000, digits: 3, subBuckets: 2_048, buckets: 22, cells: 23_552),
        Row(lowest: 1, highest: 3_600_000_000, digits: 2, subBuckets: 256, buckets: 25, cells: 3_328),
        Row(lowest: 1, highest: 60_000_000_000, digits: 3, subBuckets: 2_048, buckets: 26, cells: 27_648),
        Row(lowest: 1, highest: 60_000_000_000, digits: 2, subBuckets: 256, buckets: 29, cells: 3_840),
        Row(lowest: 1, highest: 3_600_000_000_000, digits: 3, subBuckets: 2_048, buckets: 32, cells: 33_792),
        Row(lowest: 1, highest: 3_600_000_000_000, digits: 2, subBuckets: 256, buckets: 35, cells: 4_608),
        Row(lowest: 1_000, highest: 3_600_000_000_000, digits: 3, subBuckets: 2_048, buckets: 23, cells: 24_576),
        Row(lowest: 1, highest: 2, digits: 0, subBuckets: 2, buckets: 2, cells: 3),
        Row(lowest: 1, highest: .max, digits: 1, subBuckets: 32, buckets: 59, cells: 960),
    ]

    @Test(arguments: table)
    func `cells are as many as HdrHistogram has`(_ row: Row) throws {
        let geometry = try HistogramGeometry(
            lowestDiscernible: row.lowest, highestTrackable: row.highest, significantDigits: row.digits)
        #expect(geometry.subBucketCount == row.subBuckets)
        #expect(geometry.bucketCount == row.buckets)
        #expect(geometry.cellCount == row.cells)
    }

    @Test func `the ready geometries are those of their ranges`() throws {
        let totals = try HistogramGeometry(
            lowestDiscernible: 1, highestTrackable: 3_600_000_000_000, significantDigits: 3)
        let connection = try HistogramGeometry(
            lowestDiscernible: 1, highestTrackable: 3_600_000_000_000, significantDigits: 2)
        #expect(HistogramGeometry.runTotals == totals)
        #expect(HistogramGeometry.perConnection == connection)
    }

    @Test(arguments: table)
    func `every cell begins right after the one before it and knows its own index`(_ row: Row) throws {
        let geometry = try HistogramGeometry(
            lowestDiscernible: row.lowest, highestTrackable: row.highest, significantDigits: row.digits)
        var next: Int64 = 0
        for index in 0..<geometry.cellCount {
            let lowest = geometry.lowestValue(at: index)
            let highest = geometry.highestValue(at: index)
            let median = geometry.medianValue(at: index)
            guard lowest == next, geometry.index(of: lowest) == index, geometry.index(of: highest) == index,
                geometry.index(of: median) == index
            else {
                Issue.record("cell \(index) of \(geometry): \(lowest)...\(highest), expected to begin at \(next)")
                return
            }
            next = highest &+ 1
        }
        #expect(next &- 1 >= row.highest)
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `a cell is never wider than its digits promise`(digits: Int) throws {
        let geometry = try HistogramGeometry(
            lowestDiscernible: 1, highestTrackable: 3_600_000_000_000, significantDigits: digits)
        let seed: UInt64 = 11
        var random = SeededRandom(seed: seed)
        for _ in 0..<10_000 {
            let value = Int64(random.below(3_600_000_000_000) >> random.below(40))
            let index = geometry.index(of: value)
            let width = geometry.highestValue(at: index) - geometry.lowestValue(at: index) + 1
            #expect(
                width == 1 || Double(width) <= 2 * Double(value) / Double(geometry.subBucketCount),
                "seed \(seed): \(value)")
        }
    }

    @Test(
        arguments: [
            (0, 10, 3), (-1, 10, 3), (1, 1, 3), (5, 9, 3), (1, 10, -1), (1, 10, 6), (1 << 52, .max, 3), (.max, .max, 0),
        ] as [(Int64, Int64, Int)])
    func `a range or precision outside the limits is refused`(lowest: Int64, highest: Int64, digits: Int) {
        #expect(throws: HistogramError.badGeometry(lowest: lowest, highest: highest, digits: digits)) {
            try HistogramGeometry(lowestDiscernible: lowest, highestTrackable: highest, significantDigits: digits)
        }
    }
}
