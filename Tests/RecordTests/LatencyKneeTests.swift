import RunRecords
import Testing

@testable import Analysis

/// The knee of a curve of p99 over rate, against curves whose knee follows from calculus.
@Suite struct LatencyKneeTests {
    /// A queue's latency at the given loads: 1 ms ÷ (1 − load), at 1,000 a second for a load of 1.
    private func queue(_ loads: [Double]) -> [(ratePerSecond: Double, p99Ns: Int64)] {
        loads.map { (ratePerSecond: 1_000 * $0, p99Ns: Int64(1e6 / (1 - $0))) }
    }

    @Test func `a queue's knee is where its tangent has the slope of the chord`() throws {
        // Of 1 ÷ (1 − x) between 0.19 and 0.99 that is 1 − √(0.81 · 0.01) = 0.91.
        let knee = try #require(LatencyKnee(series: "response", points: queue([0.99, 0.95, 0.91, 0.8, 0.5, 0.19])))
        #expect(knee == LatencyKnee(series: "response", points: queue([0.19, 0.5, 0.8, 0.91, 0.95, 0.99])))
        #expect(knee.series == "response" && knee.ratePerSecond == 910)
        #expect(abs(knee.p99Ns - 11_111_111) <= 1)
    }

    @Test func `of tries at the same rate the median counts`() throws {
        var points = queue([0.19, 0.5, 0.8, 0.91, 0.95, 0.99])
        points += [(ratePerSecond: 910, p99Ns: 90_000_000), (ratePerSecond: 910, p99Ns: 11_000_000)]
        let knee = try #require(LatencyKnee(series: "service", points: points))
        #expect(knee.ratePerSecond == 910 && abs(knee.p99Ns - 11_111_111) <= 1)
    }

    @Test func `too few rates, a straight line, a level one and a falling one have no knee`() {
        func knee(_ values: [(Double, Int64)]) -> LatencyKnee? {
            LatencyKnee(series: "response", points: values.map { (ratePerSecond: $0.0, p99Ns: $0.1) })
        }
        #expect(LatencyKnee(series: "response", points: queue([0.19, 0.5, 0.91, 0.99])) == nil)
        #expect(knee([]) == nil)
        #expect(knee([(1, 10), (2, 20), (3, 30), (4, 40), (5, 50)]) == nil)
        #expect(knee([(1, 10), (2, 10), (3, 10), (4, 10), (5, 10)]) == nil)
        #expect(knee([(1, 50), (2, 40), (3, 30), (4, 20), (5, 10)]) == nil)
        #expect(knee([(1, 10), (1, 20), (1, 30), (1, 40), (1, 50)]) == nil)
    }
}
