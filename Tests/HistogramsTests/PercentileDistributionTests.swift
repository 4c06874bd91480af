import Histograms
import Testing

@Suite struct PercentileDistributionTests {
    private func hundred() throws -> Histogram {
        let histogram = Histogram(
            try HistogramGeometry(lowestDiscernible: 1, highestTrackable: 3_600_000_000, significantDigits: 3))
        for value: Int64 in 1...100 { histogram.record(value * 1_000) }
        return histogram
    }

    @Test func `1 to 100 milliseconds give the rows of the reference`() throws {
        let rows = try hundred().percentileRows()
        let first = rows.prefix(7).map { [Double($0.value), $0.percentile, Double($0.cumulativeCount)] }
        #expect(
            first == [
                [1_000, 0, 1], [10_007, 10, 10], [20_015, 20, 20], [30_015, 30, 30], [40_031, 40, 40],
                [50_015, 50, 50],
                [55_007, 55, 55],
            ])
        let last = rows.suffix(3).map { [Double($0.value), $0.percentile, Double($0.cumulativeCount)] }
        #expect(last == [[99_007, 98.90625, 99], [100_031, 99.0625, 100], [100_031, 100, 100]])
    }

    @Test func `the text has the columns and the footer of the format`() throws {
        let lines = try hundred().percentileDistribution(unit: 1_000).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "       Value     Percentile TotalCount 1/(1-Percentile)")
        #expect(lines[1] == "")
        #expect(lines[2] == "       1.000 0.000000000000          1           1.00")
        #expect(lines[3] == "      10.007 0.100000000000         10           1.11")
        #expect(lines[lines.count - 5] == "     100.031 1.000000000000        100")
        #expect(lines[lines.count - 4] == "#[Mean    =       50.504, StdDeviation   =       28.866]")
        #expect(lines[lines.count - 3] == "#[Max     =      100.031, Total count    =          100]")
        #expect(lines[lines.count - 2] == "#[Buckets =           22, SubBuckets     =         2048]")
        #expect(lines.last == "")
    }

    @Test func `an empty histogram has a header and a footer only`() {
        #expect(Histogram().percentileRows().isEmpty)
        #expect(Histogram().percentileDistribution().split(separator: "\n").count == 4)
    }

    @Test func `one value has its row and the closing one`() {
        let histogram = Histogram()
        histogram.record(5)
        #expect(histogram.percentileRows().map(\.percentile) == [0, 100])
    }

    @Test func `values above the range stand at the exact maximum`() {
        let histogram = Histogram()
        histogram.record(5)
        histogram.record(.max)
        #expect(histogram.percentileRows().last?.value == .max)
        #expect(histogram.percentileRows().last?.cumulativeCount == 2)
    }

    @Test func `rows end although one value in 2^62 remains`() {
        let histogram = Histogram()
        histogram.record(1, count: 1 << 62)
        histogram.record(2)
        let rows = histogram.percentileRows()
        #expect(rows.count < 400)
        #expect(rows.last?.value == 2)
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.percentile < $1.percentile })
    }
}
