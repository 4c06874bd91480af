import Primitives
import RunRecords
import Testing

@testable import Harness

/// Throughput around reconnects, out of series whose truth is known.
@Suite struct ThroughputLossTests {
    private static let width = Int64(1) << 20

    private static func instant(_ bin: Int) -> Instant { Instant(nanoseconds: Int64(bin) * width + width / 2) }

    /// `rate` notifications in each of `count` bins, but none in the bins of `gaps`, each of which is one reconnect.
    private static func series(_ count: Int, rate: UInt64, gaps: [ClosedRange<Int>]) -> ThroughputBins {
        var series = ThroughputBins(origin: .zero)
        for bin in 0..<count where !gaps.contains(where: { $0.contains(bin) }) {
            series.add(notifications: rate, resent: 0, at: instant(bin))
        }
        for gap in gaps { series.markReplacement(from: instant(gap.lowerBound), to: instant(gap.upperBound)) }
        return series
    }

    @Test func `a gap in an even rate costs exactly what it would have held`() throws {
        let loss = try #require(
            ThroughputLoss(Self.series(1_000, rate: 500, gaps: [100...103, 500...500]), until: .distantFuture))
        #expect(loss.notifications == 2_500)
        #expect(loss.standardError == 0)
        #expect(loss.events == 2)
        #expect(loss.episodes == 2)
        #expect(loss.share(ofReconnectAt: Self.instant(100)) == 2_000)
        #expect(loss.share(ofReconnectAt: Self.instant(500)) == 500)
        #expect(loss.share(ofReconnectAt: Self.instant(600)) == nil)
        #expect(loss.touched == Interval(nanoseconds: 5 * Self.width))
    }

    @Test func `reconnects that overlap are one episode, shared evenly and counted once`() throws {
        let loss = try #require(
            ThroughputLoss(Self.series(1_000, rate: 500, gaps: [100...105, 103...109]), until: .distantFuture))
        #expect(loss.notifications == 5_000)
        #expect(loss.events == 2)
        #expect(loss.episodes == 1)
        #expect(loss.share(ofReconnectAt: Self.instant(100)) == 2_500)
        #expect(loss.share(ofReconnectAt: Self.instant(103)) == 2_500)
    }

    @Test func `what is written again is lost as long as it is written`() throws {
        var series = Self.series(400, rate: 500, gaps: [100...101])
        series.add(notifications: 300, resent: 300, at: Self.instant(102))
        let before = try #require(ThroughputLoss(Self.series(400, rate: 500, gaps: [100...101]), until: .distantFuture))
        let after = try #require(ThroughputLoss(series, until: .distantFuture))
        #expect(before.notifications == 1_000)
        #expect(after.notifications == 1_000, "fresh ones of that time still count")
        #expect(after.touched - before.touched == Interval(nanoseconds: Self.width))
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `noise without an effect is no loss`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var series = ThroughputBins(origin: .zero)
        for bin in 0..<8_000 { series.add(notifications: 800 + random.below(400), resent: 0, at: Self.instant(bin)) }
        for bin in stride(from: 50, to: 7_950, by: 10) {
            series.markReplacement(from: Self.instant(bin), to: Self.instant(bin + 1))
        }
        let loss = try #require(ThroughputLoss(series, until: .distantFuture))
        #expect(abs(loss.notifications) < 4 * loss.standardError, "seed \(seed)")
        #expect(loss.standardError < 0.01 * 1_000 * 8_000, "seed \(seed)")
    }

    @Test func `without quiet time there is no figure`() {
        #expect(ThroughputLoss(Self.series(1_000, rate: 500, gaps: [0...999]), until: .distantFuture) == nil)
        #expect(ThroughputLoss(Self.series(1_000, rate: 500, gaps: []), until: .distantFuture) == nil)
        #expect(ThroughputLoss(ThroughputBins(origin: .zero), until: .distantFuture) == nil)
    }

    @Test func `what follows the end of the supply does not count`() throws {
        let series = Self.series(1_000, rate: 500, gaps: [100...101, 600...700])
        let loss = try #require(ThroughputLoss(series, until: Self.instant(500)))
        #expect(loss.notifications == 1_000)
        #expect(loss.events == 1)
    }

    /// A connection of 16 is away in the bins from 100 to 300, in which the others write `rate` of the 500 a bin.
    private static func absence(rate: UInt64) throws -> ThroughputLoss {
        var series = series(1_000, rate: 500, gaps: [100...300])
        for bin in 100...300 { series.add(notifications: rate, resent: 0, at: instant(bin)) }
        return try #require(ThroughputLoss(series, until: .distantFuture))
    }

    @Test(arguments: [(UInt64(469), 1.0), (250, 0.53), (0, 0), (500, 1.07)])
    func `C27 what the others write is told as a share of their quiet rate`(rate: UInt64, share: Double) throws {
        let loss = try Self.absence(rate: rate)
        let found = try #require(
            loss.othersShare(from: Self.instant(100), to: Self.instant(300), connections: 16))
        #expect(abs(found - share) < 0.01, "\(found)")
    }

    @Test func `C27 nothing is told of others where there are none, of moments, and of what lies outside`() throws {
        let loss = try Self.absence(rate: 469)
        #expect(loss.othersShare(from: Self.instant(100), to: Self.instant(300), connections: 1) == nil)
        #expect(loss.othersShare(from: Self.instant(100), to: Self.instant(110), connections: 16) == nil)
        #expect(loss.othersShare(from: Self.instant(900), to: Self.instant(1_200), connections: 16) == nil)
        #expect(loss.othersShare(from: Self.instant(300), to: Self.instant(100), connections: 16) == nil)
        #expect(OthersThroughputRecord([]) == nil)
    }

    @Test func `a slow rate is looked at in wider bins`() throws {
        var series = ThroughputBins(origin: .zero)
        for bin in stride(from: 0, to: 8_000, by: 4) {
            if !(4_000..<4_128).contains(bin) { series.add(notifications: 1, resent: 0, at: Self.instant(bin)) }
        }
        series.markReplacement(from: Self.instant(4_000), to: Self.instant(4_127))
        let loss = try #require(ThroughputLoss(series, until: .distantFuture))
        #expect(loss.width > Interval(nanoseconds: Self.width))
        #expect(abs(loss.notifications - 32) <= 2)
    }
}

@Suite struct ThroughputBinsTests {
    @Test func `a run of any length has the same number of bins, and nothing is lost on the way`() {
        var series = ThroughputBins(origin: .zero + .seconds(1))
        for second in 0..<3_600 as Range<Int64> {
            series.add(notifications: 10, resent: 4, at: .zero + .seconds(second))
        }
        #expect(series.bins.count <= ThroughputBins.capacity)
        #expect(series.bins.count > ThroughputBins.capacity / 2)
        #expect(series.bins.reduce(0) { $0 + Int($1.fresh) } == 3_599 * 6, "what came before the origin does not count")
        #expect(series.index(of: .zero) == nil)
    }

    @Test func `series of loops add up whatever their widths`() {
        var short = ThroughputBins(origin: .zero)
        short.add(notifications: 7, resent: 0, at: .zero + .milliseconds(10))
        var long = ThroughputBins(origin: .zero)
        long.add(notifications: 5, resent: 0, at: .zero + .seconds(100))
        long.markReplacement(from: .zero + .seconds(50), to: .zero + .seconds(51))
        var sum = short
        sum.add(long)
        var other = long
        other.add(short)
        #expect(sum.bins == other.bins)
        #expect(sum.shift == long.shift)
        #expect(sum.bins.reduce(0) { $0 + Int($1.fresh) } == 12)
        #expect(sum.bins.reduce(0) { $0 + Int($1.began) } == 1)
    }

    @Test func `a mark lasts from its start to its end, also when the series widens under it`() throws {
        var series = ThroughputBins(origin: .zero)
        series.markReplacement(from: .zero + .seconds(1), to: .zero + .seconds(100))
        let touched = series.bins.indices.filter { series.bins[$0].isTouched }
        #expect(touched.first == series.index(of: .zero + .seconds(1)))
        #expect(touched.last == series.index(of: .zero + .seconds(100)))
        #expect(touched.count == (try #require(touched.last)) - (try #require(touched.first)) + 1)
        series.markReplacement(from: .zero + .seconds(2), to: .zero + .seconds(1))
        #expect(series.bins.reduce(0) { $0 + Int($1.began) } == 1, "an end before its start is none")
    }
}

@Suite struct EvenSampleTests {
    @Test func `a sample is even, bounded, and complete while there is room`() {
        var sample = EvenSample<Int>(capacity: 100)
        for number in 0..<100 { sample.add(number) }
        #expect(sample.elements == Array(0..<100))
        for number in 100..<12_345 { sample.add(number) }
        #expect(sample.seen == 12_345)
        #expect((50...100).contains(sample.elements.count))
        let steps = Set(zip(sample.elements, sample.elements.dropFirst()).map { $1 - $0 })
        #expect(steps.count == 1, "each has the same distance from the next")
        #expect(sample.elements.first == 0)
    }
}
