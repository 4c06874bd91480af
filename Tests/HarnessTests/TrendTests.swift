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
            alarms += trend.isSignificant ? 1 : 0
        }
        #expect(alarms <= 8, "once in a hundred times by chance (seed 3)")
    }

    @Test func `a rise under noise is found, with its size`() throws {
        var random = SeededRandom(seed: 4)
        let trend = try #require(Trend((0..<30).map { 1_000 + 10 * Double($0) + 50 * random.unit() }))
        #expect(trend.isSignificant)
        #expect((1_020...1_090).contains(trend.first) && (1_250...1_320).contains(trend.last), "\(trend)")
        #expect((0.13...0.24).contains(trend.change), "about 230 of 1,285")
    }

    @Test func `nothing falls by more than all of it, and nothing rises without bound`() throws {
        let falling = try #require(Trend((0..<20).map { 1_000 / Double(1 + $0 * $0) }))
        #expect(falling.isSignificant && falling.change >= -1 && falling.first == 200, "\(falling)")
        let rising = try #require(Trend((0..<20).map { $0 < 8 ? 0 : Double($0 * $0) }))
        #expect(rising.isSignificant && rising.change == 1 && rising.first == 0, "\(rising)")
        #expect(try #require(Trend(Array(repeating: 0, count: 10))).change == 0)
    }

    @Test func `a constant is steady, and too few figures say nothing`() throws {
        #expect(!(try #require(Trend(Array(repeating: 5, count: 10))).isSignificant))
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
        #expect(falling.reasons == ["written/s fell from 9.6 k/s to 6.6 k/s while it was measured"])
        #expect(SteadinessRecord(intervals: intervals(20) { 10_000 + $0 % 2 }).status == .steady)
        let short = SteadinessRecord(intervals: intervals(5) { $0 })
        #expect(short.status == .unknown && short.reasons.count == 1)
    }
}
