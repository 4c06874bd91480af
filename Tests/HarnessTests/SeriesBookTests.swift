import Histograms
import Primitives
import Testing

@testable import Harness

/// Intervals of latency series.
@Suite struct SeriesBookTests {
    @Test(arguments: UInt64(1)...8)
    func `the intervals of every series and phase add up to its total, to the last bit`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var book = SeriesBook()
        var plain: [RunPhase: [Series: Histogram]] = [:]
        var sums: [RunPhase: [Series: Histogram]] = [:]
        func add(_ parts: SeriesSnapshots) {
            for (phase, names) in parts {
                for (name, part) in names {
                    let sum = sums[phase]?[name] ?? Histogram()
                    sum.addOrStop(part)
                    sums[phase, default: [:]][name] = sum
                }
            }
        }
        let names: [Series] = [.residence, .scheduleLag, .timerLag, .errorReply]
        for _ in 0..<20 {
            for _ in 0..<random.below(500) {
                let name = names[Int(random.below(UInt64(names.count)))]
                let phase = RunPhase.allCases[Int(random.below(3))]
                // Some beyond the range and some negative, which have totals of their own.
                let value = Int64(random.below(1 << (1 + random.below(46)))) - (random.below(50) == 0 ? 1 << 46 : 0)
                book[name, phase].record(value)
                let histogram = plain[phase]?[name] ?? Histogram()
                histogram.record(value)
                plain[phase, default: [:]][name] = histogram
            }
            // Only some series' intervals end here; what is left over belongs to the next one.
            add(book.takeInterval(of: random.below(2) == 0 ? [.residence, .timerLag] : Set(Series.allCases)))
        }
        let totals = book.snapshots
        add(book.takeInterval(of: Set(Series.allCases)))
        for (phase, series) in plain {
            for (name, histogram) in series {
                let total = try #require(totals[phase]?[name])
                #expect(Histogram(total) == histogram, "seed \(seed): \(phase) \(name)")
                #expect(sums[phase]?[name] == histogram, "seed \(seed): \(phase) \(name)")
            }
        }
    }

    @Test func `an interval without values has no histogram, and the total stays`() {
        var book = SeriesBook()
        book[.residence, .measure].record(5)
        #expect(book.takeInterval(of: [.residence]).count == 1)
        #expect(book.takeInterval(of: [.residence]).isEmpty)
        #expect(book.snapshots[.measure]?[.residence]?.totals.count == 1)
    }

    @Test func `tags of other phases name the phase`() {
        #expect(Series.residence.tag(in: .measure) == "residence")
        #expect(Series.response.tag(in: .warmup) == "warmup/response")
    }
}
