import Primitives
import RunRecords
import Statistics
import Testing

@testable import Harness

/// Whether a run was steady.
@Suite struct TrendTests {
    @Test func `noise has no trend`() throws {
        var random = SeededRandom(seed: 3)
        var alarms = 0
        for _ in 0..<200 {
            let trend = try #require(Trend((0..<30).map { _ in 1_000 + 100 * random.unit() }))
            alarms += trend.significantChange == nil ? 0 : 1
        }
        #expect(alarms <= 8, "once in a hundred times by chance (seed 3)")
    }

    @Test func `a rise under noise is found, with its size`() throws {
        var random = SeededRandom(seed: 4)
        let change = try #require(
            Trend((0..<30).map { 1_000 + 10 * Double($0) + 50 * random.unit() })?.significantChange)
        #expect((0.2...0.3).contains(change), "290 of about 1,170")
    }

    @Test func `a constant is steady, and too few figures say nothing`() throws {
        #expect(try #require(Trend(Array(repeating: 5, count: 10))).significantChange == nil)
        #expect(Trend([1, 2, 3, 4, 5, 6, 7]) == nil)
    }

    @Test func `a run whose rate falls is not steady, and a short one unknown`() {
        func intervals(_ count: Int, _ written: (Int64) -> Int64) -> [IntervalRecord] {
            (0..<Int64(count)).map { number in
                var interval = IntervalRecord()
                interval.lengthNs = 1_000_000_000
                interval.written = written(number)
                interval.residenceP50Ns = 100_000 + number % 3
                return interval
            }
        }
        let falling = SteadinessRecord(intervals: intervals(20) { 10_000 - 200 * $0 })
        #expect(falling.status == .notSteady)
        #expect(falling.reasons == ["written/s fell by 46 % while it was measured"])
        #expect(SteadinessRecord(intervals: intervals(20) { 10_000 + $0 % 2 }).status == .steady)
        let short = SteadinessRecord(intervals: intervals(5) { $0 })
        #expect(short.status == .unknown && short.reasons.count == 1)
    }
}
