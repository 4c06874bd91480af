import Primitives
import Testing
import Workload

/// That the random schedule is a Poisson process; fixed seeds, so that a failure repeats.
@Suite struct PoissonArrivalTests {
    private static let count = 40_000

    private func schedule(_ seed: UInt64, perSecond: Double = 1_000) -> ArrivalSchedule {
        ArrivalSchedule(RateCurve(Rate(perSecond: perSecond)), spacing: .poisson(seed: seed))
    }

    /// The gaps from `first` on in units of the mean gap.
    private func gaps(_ seed: UInt64, from first: UInt64 = 0, count: Int = count) -> [Double] {
        let schedule = schedule(seed)
        var cursor = ArrivalCursor()
        var before = first == 0 ? Interval.zero : schedule.time(of: first - 1, &cursor)
        return (first..<first + UInt64(count)).map { index in
            let time = schedule.time(of: index, &cursor)
            defer { before = time }
            return (time - before).seconds * 1_000
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `gaps are exponential`(seed: UInt64) {
        let gaps = gaps(seed).sorted()
        let count = Double(gaps.count)
        // Kolmogorov and Smirnov's distance; 1.95 / √n is exceeded once in a thousand times.
        var distance = 0.0
        for (index, gap) in gaps.enumerated() {
            let truth = 1 - exponential(-gap)
            distance = max(
                distance, (truth - Double(index) / count).magnitude, (truth - Double(index + 1) / count).magnitude)
        }
        #expect(distance < 1.95 / count.squareRoot(), "seed \(seed)")
        let mean = gaps.reduce(0, +) / count
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
        #expect((mean - 1).magnitude < 0.02 && (variance - 1).magnitude < 0.06, "seed \(seed)")
    }

    @Test func `successive gaps know nothing of each other, across blocks too`() {
        let gaps = gaps(4)
        for lag in [1, 2, 1_023, 1_024, 1_025] {
            let products = zip(gaps, gaps.dropFirst(lag)).map { ($0 - 1) * ($1 - 1) }
            let correlation = products.reduce(0, +) / Double(products.count)
            #expect(correlation.magnitude < 4 / Double(products.count).squareRoot(), "lag \(lag)")
        }
    }

    /// In windows of any length the count varies as much as its mean: not less, as it would with a fixed number in each block.
    @Test(arguments: [10, 300, 4_000, 50_000])
    func `counts vary like those of a Poisson process, in short windows and in long ones`(window: Int) {
        var ratios: [Double] = []
        let windows = 200
        for seed in UInt64(10)..<12 {
            let schedule = schedule(seed)
            var before: UInt64 = 0
            for number in 1...windows {
                let count = schedule.count(until: .milliseconds(Int64(window * number)))
                let deviation = Double(count - before) - Double(window)
                ratios.append(deviation * deviation / Double(window))
                before = count
            }
        }
        let dispersion = ratios.reduce(0, +) / Double(ratios.count)
        // The dispersion of n windows has a standard error of √(2 / n).
        #expect((dispersion - 1).magnitude < 4 * (2 / Double(ratios.count)).squareRoot(), "\(dispersion)")
    }

    @Test func `any operation is found without those before it`() {
        let schedule = schedule(9)
        var cursor = ArrivalCursor()
        let inOrder = (0..<UInt64(5_000)).map { schedule.time(of: $0, &cursor) }
        #expect(inOrder == inOrder.sorted())
        for index in [4_999, 0, 1_024, 1_023, 2_500] { #expect(schedule.time(of: UInt64(index)) == inOrder[index]) }
        let far: UInt64 = 9_876_543_210
        let expected = Double(far) / 1_000
        #expect((schedule.time(of: far).seconds - expected).magnitude < 5 * Double(far).squareRoot() / 1_000)
        #expect(schedule.count(until: schedule.time(of: far)) >= far + 1)
    }

    @Test func `gaps far out are as good as the first ones, and seeds differ`() {
        let gaps = gaps(1, from: 4_294_960_000, count: 12_000)
        let mean = gaps.reduce(0, +) / 12_000
        #expect(gaps.allSatisfy { $0 >= 0 } && (mean - 1).magnitude < 0.04)
        #expect(schedule(1).time(of: 1_000) != schedule(2).time(of: 1_000))
    }

    @Test func `a ramp of random arrivals follows the ramp`() {
        let curve = RateCurve([.init(Rate(perSecond: 1_000), to: Rate(perSecond: 9_000), for: .seconds(20))])
        let schedule = ArrivalSchedule(curve, spacing: .poisson(seed: 6))
        let half = Double(schedule.count(until: .seconds(10)))
        #expect((half - 30_000).magnitude < 5 * 30_000.0.squareRoot())
        let all = Double(schedule.limit ?? 0)
        #expect((all - 100_000).magnitude < 5 * 100_000.0.squareRoot())
    }

    /// e^x for x <= 0, by its series after halving; the tests need no library for it.
    private func exponential(_ exponent: Double) -> Double {
        var result = 1.0
        for step in stride(from: 24, to: 0, by: -1) { result = 1 + exponent / 64 / Double(step) * result }
        for _ in 0..<6 { result *= result }
        return result
    }
}
