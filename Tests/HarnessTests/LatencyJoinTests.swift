import Histograms
import Primitives
import ProviderSessions
import Testing
import Workload

@testable import Harness

/// Latencies out of two samples, and what is said about those that never completed.
@Suite struct LatencyJoinTests {
    /// Ten notifications, one each 10 ms from second 1 on, written 1 ms late.
    private func sources(accepted: [UInt64: Int64]?) -> LatencyJoin.Sources {
        var sent = SequenceSample()
        for sequence in 0..<UInt64(10) { sent.add(sequence, at: time(Int64(sequence) * 10 + 1)) }
        var times = accepted.map { _ in SequenceSample() }
        for (sequence, milliseconds) in accepted ?? [:] { times?.add(sequence, at: time(milliseconds)) }
        return LatencyJoin.Sources(
            sent: sent, accepted: times, proved: SequenceSample(), rejected: [], unsent: [],
            schedule: .constant(Rate(perSecond: 100)), start: time(0), end: time(200), bounds: PhaseBounds())
    }

    private func time(_ milliseconds: Int64) -> Instant { .zero + .seconds(1) + .milliseconds(milliseconds) }

    private func values(_ join: LatencyJoin, _ name: Series, _ phase: RunPhase = .measure) -> [Int64?] {
        let totals = join.series[phase]?[name]?.histogram.totals
        return [totals?.count, totals?.minimum.map { $0 / 1_000_000 }, totals?.maximum.map { $0 / 1_000_000 }]
    }

    @Test func `response counts from the intended time, and service from the write`() {
        let join = LatencyJoin(
            sources(accepted: Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, Int64($0) * 10 + 4) })))
        #expect(values(join, .response) == [10, 4, 4])
        #expect(values(join, .service) == [10, 3, 3])
        #expect(join.series[.measure]?[.response]?.censored == 0)
        #expect(join.sentCount == 10 && join.untimedCount == 0)
    }

    @Test func `what was never accepted enters with the time that it had taken at the end`() {
        var sources = sources(accepted: [0: 2])
        sources.rejected = [SequenceRun(start: 5, count: 2)]
        let join = LatencyJoin(sources)
        #expect(values(join, .response) == [8, 2, 190], "notification 1 had waited from 10 ms to 200 ms")
        #expect(values(join, .service) == [8, 1, 189])
        #expect(join.series[.measure]?[.response]?.censored == 7)
        #expect(join.series[.measure]?[.service]?.censored == 7)
        #expect(join.untimedCount == 2, "refused ones have their error replies' latency, and are no responses")
    }

    @Test func `what was due and never sent has waited, too, and what was not due has not`() {
        var sources = sources(accepted: Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, Int64($0) * 10 + 4) }))
        sources.unsent = [UnsentRun(run: SequenceRun(start: 10, count: 1_000), until: sources.end)]
        let join = LatencyJoin(sources)
        #expect(join.unsentCount == 11, "those of 100 ms to 200 ms")
        #expect(values(join, .response) == [21, 0, 100])
        #expect(join.series[.measure]?[.response]?.censored == 11)
        #expect(values(join, .service) == [10, 3, 3])
    }

    @Test func `what was skipped has waited until then, however long the run goes on`() {
        func values(ofRunUntil end: Int64) -> [Int64?] {
            var sources = sources(accepted: Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, Int64($0) * 10 + 4) }))
            sources.end = time(end)
            sources.unsent = [UnsentRun(run: SequenceRun(start: 10, count: 5), until: time(160))]
            let join = LatencyJoin(sources)
            #expect(join.series[.measure]?[.response]?.censored == 5)
            return self.values(join, .response)
        }
        #expect(values(ofRunUntil: 200) == [15, 4, 60])
        #expect(values(ofRunUntil: 200_000) == [15, 4, 60])
    }

    @Test func `without a simulator there are upper bounds, in series of their own`() {
        var sources = sources(accepted: nil)
        for sequence in 0..<UInt64(6) { sources.proved.add(sequence, at: time(150)) }
        let join = LatencyJoin(sources)
        #expect(values(join, .responseBound) == [6, 100, 150])
        #expect(values(join, .serviceBound) == [6, 99, 149])
        #expect(join.series[.measure]?[.response] == nil && join.series[.measure]?[.service] == nil)
        #expect(join.untimedCount == 4)
    }

    @Test func `each phase has its own histogram, by the intended time`() {
        var sources = sources(accepted: Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, 150) }))
        sources.bounds = PhaseBounds(measureStart: time(30), measureEnd: time(70))
        let join = LatencyJoin(sources)
        #expect(values(join, .response, .warmup) == [3, 130, 150])
        #expect(values(join, .response) == [4, 90, 120])
        #expect(values(join, .response, .drain) == [3, 60, 80])
    }

    @Test func `a closed loop has no response time`() {
        var sources = sources(accepted: [0: 4])
        sources.schedule = nil
        let join = LatencyJoin(sources)
        #expect(join.series[.measure]?[.response] == nil)
        #expect(join.series[.measure]?[.service]?.histogram.count == 10)
    }

    @Test func `samples of different thickness are joined by what both have`() {
        var sources = sources(accepted: nil)
        sources.sent = SequenceSample(capacity: 64)
        sources.accepted = SequenceSample(capacity: 1_000)
        for sequence in 0..<UInt64(500) {
            sources.sent.add(sequence, at: time(Int64(sequence) * 10))
            sources.accepted?.add(sequence, at: time(Int64(sequence) * 10 + 1))
        }
        sources.end = time(10_000)
        let join = LatencyJoin(sources)
        #expect(join.shift == sources.sent.shift && join.shift > 0)
        #expect(values(join, .service) == [Int64(sources.sent.entries.count), 1, 1])
        #expect(join.series[.measure]?[.service]?.censored == 0)
    }

    @Test func `nothing sent leaves nothing measured`() {
        var sources = sources(accepted: [:])
        sources.sent = SequenceSample()
        #expect(LatencyJoin(sources).series.isEmpty)
    }
}
