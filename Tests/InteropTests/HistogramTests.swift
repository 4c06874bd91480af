import Foundation
import Histograms
import Primitives
import Testing

extension InteropTests {
    /// Histograms and their log against the Python implementation of HdrHistogram, both ways.
    @Suite struct HistogramTests {
        private struct Case: Encodable {
            var lowest: Int64
            var highest: Int64
            var digits: Int
            var values: [[Int64]]
            var base64: String

            init(_ histogram: Histogram, _ values: [[Int64]]) {
                lowest = histogram.geometry.lowestDiscernible
                highest = histogram.geometry.highestTrackable
                digits = histogram.geometry.significantDigits
                self.values = values
                base64 = histogram.base64()
            }
        }

        private struct Task: Encodable {
            var cases: [Case]
            var log: String
        }

        private struct Summary: Decodable, Equatable {
            var count: Int64
            var minimum: Int64
            var maximum: Int64
            var quantiles: [Int64]
        }

        private struct Answer: Decodable {
            struct Compared: Decodable {
                var base64: String
                var different: [Int]
                var built: Summary
                var ours: Summary
            }
            struct Line: Decodable, Equatable {
                var tag: String?
                var startMs: Int64
                var endMs: Int64
                var count: Int64
            }
            var cases: [Compared]
            var lines: [Line]
            var total: Summary
        }

        private static let quantiles = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 1]
        private static let seed: UInt64 = 611

        /// Histograms from one value to thousands, of several geometries, with what was recorded.
        private static func samples() throws -> [(histogram: Histogram, values: [[Int64]])] {
            var random = SeededRandom(seed: seed)
            let geometries = [
                HistogramGeometry.runTotals, .perConnection,
                try HistogramGeometry(lowestDiscernible: 1, highestTrackable: 3_600_000_000, significantDigits: 3),
                try HistogramGeometry(lowestDiscernible: 1_000, highestTrackable: 10_000_000_000, significantDigits: 1),
                try HistogramGeometry(lowestDiscernible: 1, highestTrackable: 1_000_000, significantDigits: 5),
            ]
            return geometries.flatMap { geometry in
                [1, 2, 100, 3_000].map { count in
                    let histogram = Histogram(geometry)
                    let values = (0..<count).map { _ in
                        let size = 1 + random.below(UInt64(63 - geometry.highestTrackable.leadingZeroBitCount))
                        let value = min(Int64(random.below(1 << size)), geometry.highestTrackable)
                        return [value, 1 + Int64(random.below(1_000))]
                    }
                    for value in values { histogram.record(value[0], count: value[1]) }
                    return (histogram, values)
                }
            }
        }

        /// Whether the reference tells our quantiles. Ours are cut to the exact extremes, which the format does not carry.
        private static func agrees(_ summary: Summary, within histogram: Histogram) throws -> Bool {
            let least = try #require(histogram.totals.minimum)
            let most = try #require(histogram.totals.maximum)
            let cut = summary.quantiles.map { min(max($0, least), most) }
            return cut == histogram.values(atQuantiles: quantiles)
        }

        @Test
        func `both implementations write and read the same histograms, and the sum of a log's intervals is the total`()
            async throws
        {
            let samples = try Self.samples()
            let log = IntervalLog(startMilliseconds: 1_800_000_000_000)
            var text = log.header(comments: ["seed \(Self.seed)"])
            let total = Histogram()
            var lines: [Answer.Line] = []
            for (index, sample) in samples.enumerated() where sample.histogram.geometry == .runTotals {
                let tag = index % 2 == 0 ? "errorReply" : nil
                text += try log.line(
                    of: sample.histogram, tag: tag, start: .milliseconds(Int64(index) * 1_007),
                    length: .milliseconds(993))
                let start = 1_800_000_000_000 + Int64(index) * 1_007
                lines.append(.init(tag: tag, startMs: start, endMs: start + 993, count: sample.histogram.count))
                try total.add(sample.histogram)
            }
            let task = Task(cases: samples.map { Case($0.histogram, $0.values) }, log: text)
            let answer = try await Clients.run("hdr_histogram.py", task, as: Answer.self)
            #expect(answer.cases.count == samples.count)
            for (sample, compared) in zip(samples, answer.cases) {
                let place = "\(sample.histogram.geometry), \(sample.values.count) values, seed \(Self.seed)"
                #expect(compared.different.isEmpty && compared.ours == compared.built, "\(place)")
                #expect(try Self.agrees(compared.ours, within: sample.histogram), "\(place)")
                let theirs = try Histogram(base64: compared.base64[...])
                #expect(theirs.encoded() == sample.histogram.encoded(), "\(place)")
            }
            #expect(answer.lines == lines)
            #expect(answer.total.count == total.count)
            #expect(try Self.agrees(answer.total, within: total))
        }
    }
}
