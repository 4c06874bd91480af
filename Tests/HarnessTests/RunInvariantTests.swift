import Histograms
import Primitives
import ProviderSessions
import RunRecords
import Testing
import Workload

@testable import Harness

/// The checks at the end of every run: that they pass for a sound one, and that each of them can fail.
@Suite struct RunInvariantTests {
    private let begin = Instant.zero + .seconds(100)

    /// Four seconds of 1,000 a second, each accepted `service` milliseconds after its write.
    private func outcome(service: Int64) -> RunOutcome {
        var outcome = RunOutcome()
        outcome.startedAt = begin
        outcome.measureEnd = begin + .seconds(4)
        outcome.end = begin + .seconds(5)
        outcome.generated = 4_000
        outcome.bounds = PhaseBounds(measureStart: begin)
        outcome.sender.firstWrite = begin
        outcome.sender.reconnects.beginMeasuring(at: begin)
        var accepted = SequenceSample()
        var acceptedAt = InstantSum()
        var counts = LoopRecorder.PhaseCounts()
        let residence = Histogram()
        for number in 0..<UInt64(4_000) {
            let at = begin + .milliseconds(Int64(number))
            outcome.sender.ledger.record(.wrote(notifications: 1, resent: 0, bytes: 10, residence: .zero, at: at))
            outcome.sender.ledger.record(.settled(SequenceRun(start: number, count: 1), .accepted, .sentinel))
            outcome.sender.reconnects.wrote(notifications: 1, resent: 0, at: at)
            outcome.sender.sent.add(number, at: at)
            outcome.sender.firstWrites.add(1, at: at)
            acceptedAt.add(1, at: at + .milliseconds(service))
            accepted.add(number, at: at + .milliseconds(service))
            residence.record(0)
            counts.sent += 1
            counts.written += 1
            counts.bytes += 10
        }
        outcome.sender.phases = [.measure: counts]
        outcome.sender.histograms = [.measure: [.residence: residence.snapshot()]]
        var simulator = SimulatorResult()
        simulator.ledger.accepted = 4_000
        simulator.acceptanceTimes = AcceptanceTimes(accepted)
        simulator.acceptedAt = AcceptanceInstants(acceptedAt)
        simulator.lastAcceptedNs = (begin + .milliseconds(3_999 + service)).nanoseconds
        outcome.simulator = simulator
        return outcome
    }

    private func join(_ outcome: RunOutcome) -> LatencyJoin {
        LatencyJoin(
            LatencyJoin.Sources(
                sent: outcome.sender.sent, accepted: outcome.simulator?.acceptanceTimes?.sample,
                proved: SequenceSample(),
                rejected: [], unsent: [], schedule: nil, start: begin, end: outcome.end, bounds: outcome.bounds))
    }

    private func record(written: Int64 = 4_000, accepted: Int64 = 4_000, rejected: Int64 = 0) -> RunRecord {
        var record = RunRecord()
        var interval = IntervalRecord()
        interval.written = written
        interval.accepted = accepted
        interval.rejected = rejected
        interval.bytes = 40_000
        record.intervals = [interval]
        return record
    }

    @Test func `intervals that do not add up are told`() {
        let outcome = outcome(service: 50)
        let broken = RunInvariants(record(written: 3_999), outcome, join: join(outcome)).broken
        #expect(broken == ["the intervals' written add up to 3999, and the total is 4000"])
        let others = RunInvariants(record(accepted: 3_990, rejected: 1), outcome, join: join(outcome)).broken
        #expect(
            others == [
                "the intervals' rejected add up to 1, and the total is 0",
                "the intervals' accepted add up to 3990, and the total is 4000",
            ])
    }

    @Test func `the last interval takes what is known at the end only, and what was counted too much is taken off`() {
        var intervals = [(10, 1), (20, 2), (5, 0)].map { accepted, rejected in
            var interval = IntervalRecord()
            (interval.accepted, interval.rejected) = (Int64(accepted), Int64(rejected))
            return interval
        }
        intervals.complete(accepted: 47, rejected: 1)
        #expect(intervals.map(\.accepted) == [10, 20, 17])
        #expect(intervals.map(\.rejected) == [1, 0, 0], "none is negative")
        intervals.complete(accepted: nil, rejected: 1)
        #expect(intervals.map(\.accepted) == [10, 20, 17])
        var untold = [IntervalRecord()]
        untold.complete(accepted: 3, rejected: 0)
        #expect(untold[0].accepted == 3)
    }

    @Test func `a schedule that does not balance is told, and ends the run as an internal error`() {
        var record = record()
        var schedule = ScheduleRecord()
        schedule.planned = 10
        schedule.sent = 7
        schedule.skipped.endOfRun = 2
        record.schedule = schedule
        let outcome = outcome(service: 50)
        record.brokenInvariants = RunInvariants(record, outcome, join: join(outcome)).broken
        #expect(record.brokenInvariants == ["planned 10 is not sent 7 + skipped 2"])
        record.conclude(thresholds: [])
        #expect(record.verdict.status == .internalError && record.verdict.exitCode == 1)
        #expect(record.verdict.reasons.contains("internal error: planned 10 is not sent 7 + skipped 2"))
    }

    @Test func `values that nobody timed are told`() {
        var outcome = outcome(service: 50)
        outcome.sender.phases[.measure]?.sent = 3_998
        outcome.sender.histograms[.measure]?[.residence] = Histogram().snapshot()
        let broken = RunInvariants(record(), outcome, join: join(outcome)).broken
        #expect(broken.count == 2, "\(broken)")
    }
}
