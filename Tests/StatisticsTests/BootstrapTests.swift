import Primitives
import Statistics
import Testing

@Suite struct BootstrapTests {
    private let json = MannWhitneyTests.json

    @Test func `the example of the ratio of medians`() throws {
        let interval = try #require(Bootstrap().ratioOfMedians(base: json.base, candidate: json.candidate))
        #expect(abs(interval.estimate - 0.8268) < 5e-5)
        #expect(abs(interval.low - 0.819) < 0.0015 && abs(interval.high - 0.833) < 0.0015, "\(interval)")
        let ratio = try #require(HodgesLehmann.ratio(base: json.base, candidate: json.candidate))
        #expect(abs(ratio - 0.8263) < 5e-5)
    }

    @Test func `a seed decides what is drawn`() {
        let first = Bootstrap(seed: 3).ratioOfMedians(base: json.base, candidate: json.candidate)
        #expect(first == Bootstrap(seed: 3).ratioOfMedians(base: json.base, candidate: json.candidate))
        let gob = MannWhitneyTests.gob
        let intervals = (0..<8).map { seed in
            Bootstrap(resamples: 50, seed: seed).differenceOfMedians(base: gob.base, candidate: gob.candidate)
        }
        #expect(intervals.contains { $0 != intervals[0] })
    }

    @Test func `pairs remove what drifts`() throws {
        // Twice as slow at the end as at the beginning, and each time 10 % between the two.
        let base = (0..<10).map { 100 + 10 * Double($0) }
        let candidate = base.map { $0 * 1.1 }
        let apart = try #require(Bootstrap().ratioOfMedians(base: base, candidate: candidate))
        #expect(apart.low < 1, "by themselves the samples overlap: \(apart)")
        let paired = try #require(Bootstrap().median(of: zip(base, candidate).map { $1 / $0 }))
        #expect(abs(paired.low - 1.1) < 1e-9 && abs(paired.high - 1.1) < 1e-9)
    }

    @Test func `values that have no ratio have a difference`() throws {
        let bootstrap = Bootstrap()
        #expect(bootstrap.ratioOfMedians(base: [0, 1, 2], candidate: [1, 2, 3]) == nil)
        #expect(bootstrap.ratioOfMedians(base: [], candidate: [1]) == nil)
        #expect(bootstrap.median(of: []) == nil)
        let interval = try #require(bootstrap.differenceOfMedians(base: [-2, -1, 0], candidate: [3, 4, 5]))
        #expect(interval.estimate == 5 && interval.low > 0)
        #expect(HodgesLehmann.ratio(base: [0], candidate: [1]) == nil)
        #expect(HodgesLehmann.shift(base: [1, 2, 3], candidate: [11, 12, 13]) == 10)
        #expect(HodgesLehmann.shift(base: [], candidate: [1]) == nil)
    }

    @Test(arguments: 0..<20)
    func `exchanging the sides inverts the estimate, and the interval holds it`(_ round: Int) throws {
        var random = SeededRandom(seed: UInt64(round))
        let base = (0..<9).map { _ in 50 + random.unit() }
        let candidate = (0..<11).map { _ in 40 + 30 * random.unit() }
        let there = try #require(Bootstrap().ratioOfMedians(base: base, candidate: candidate))
        let back = try #require(Bootstrap().ratioOfMedians(base: candidate, candidate: base))
        #expect(abs(there.estimate * back.estimate - 1) < 1e-12, "seed \(round)")
        #expect(there.low <= there.estimate && there.estimate <= there.high, "seed \(round)")
        let shift = try #require(HodgesLehmann.shift(base: base, candidate: candidate))
        #expect(shift == -(try #require(HodgesLehmann.shift(base: candidate, candidate: base))), "seed \(round)")
    }

    @Test func `an interval misses the truth about as often as it says`() {
        var misses = 0
        for round in 0..<200 {
            var random = SeededRandom(seed: UInt64(round) << 20)
            func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + random.unit() } }
            let pairs = (0..<15).map { _ in normal() }
            let interval = Bootstrap(resamples: 1_000, seed: UInt64(round)).median(of: pairs)
            if let interval, interval.low > 0 || interval.high < 0 { misses += 1 }
        }
        #expect((1...24).contains(misses), "\(misses) of 200, seeds 0 ..< 200")
    }

    @Test func `medians and quantiles`() {
        #expect(median([]) == nil && median([3]) == 3 && median([4, 1]) == 2.5 && median([9, 1, 5]) == 5)
        #expect(median([.greatestFiniteMagnitude, .greatestFiniteMagnitude]) == .greatestFiniteMagnitude)
        #expect(quantile(0.95, ofSorted: []) == nil)
        #expect(quantile(0.95, ofSorted: (1...20).map(Double.init)) == 19)
        #expect(quantile(0, ofSorted: [1, 2]) == 1 && quantile(1, ofSorted: [1, 2]) == 2)
    }
}
