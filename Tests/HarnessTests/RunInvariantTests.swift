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
        var phase = PhaseRecord(name: "measure", startNs: 0, lengthNs: 4_000_000_000)
        (phase.sent, phase.written, phase.bytes) = (4_000, 4_000, 40_000)
        record.phases = [phase]
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

    @Test func `a phase that is left out is told`() {
        let outcome = outcome(service: 50)
        var record = record()
        #expect(RunInvariants(record, outcome, join: join(outcome)).broken == [])
        record.phases?[0].written = 3_000
        record.phases?[0].sent = 3_000
        record.phases?[0].bytes = 30_000
        #expect(
            RunInvariants(record, outcome, join: join(outcome)).broken == [
                "the phases' written add up to 3000, and the total is 4000",
                "the phases' sent add up to 3000, and the total is 4000",
                "the phases' bytes add up to 30000, and the total is 40000",
            ])
    }

    @Test func `values of intervals that no phase has are told, and the other way round`() {
        let outcome = outcome(service: 50)
        let timed = Histogram()
        timed.record(1_000)
        var record = record()
        record.intervals[0].histograms = ["connectTCP": timed.base64(), "warmup/residence": timed.base64()]
        record.latency["connectTCP"] = LatencyRecord(timed)
        record.latency["sendGap"] = LatencyRecord(timed)
        #expect(
            RunInvariants(record, outcome, join: join(outcome)).broken == [
                "the intervals' 0 values of sendGap are not those of the phases",
                "the intervals' 1 values of warmup/residence are not those of the phases",
            ])
        timed.record(5_000)
        record.intervals[0].histograms = ["connectTCP": timed.base64()]
        record.latency["sendGap"] = nil
        #expect(
            RunInvariants(record, outcome, join: join(outcome)).broken == [
                "the intervals' 2 values of connectTCP are not those of the phases"
            ])
    }

    @Test func `what a simulator that died had reported is not told as accepted`() {
        var outcome = outcome(service: 50)
        outcome.simulator = nil
        outcome.abort = .simulatorDied
        outcome.acceptedBySender = 4_000
        outcome.intervals = record(accepted: 3_000).intervals
        #expect(
            RunInvariants(record(accepted: 3_000), outcome, join: nil).broken == [
                "the intervals' accepted add up to 3000, and the total is 4000"
            ])
        var answered = outcome
        answered.completeIntervals(countsAnswers: true)
        #expect(answered.intervals.map(\.accepted) == [4_000], "answers tell")
        outcome.completeIntervals(countsAnswers: false)
        #expect(outcome.intervals.map(\.accepted) == [nil], "silence does not")
    }

    @Test func `what is written after an interrupt in the warm-up has a phase`() throws {
        var planned = PhaseBounds(measureStart: begin + .seconds(2), measureEnd: begin + .seconds(4))
        let interrupt = begin + .seconds(1)
        planned = planned.ended(at: interrupt)
        #expect(planned.phase(at: begin) == .warmup && planned.phase(at: begin + .seconds(3)) == .drain)
        // A loop that wrote before it heard of the interrupt has counted that for the phase that was planned.
        var outcome = outcome(service: 50)
        (outcome.bounds, outcome.measureEnd, outcome.abort) = (planned, interrupt, .interrupted)
        outcome.sender.histograms[.measure]?[.connectTCP] = Histogram().snapshot()
        outcome.sender.phases[.warmup] = LoopRecorder.PhaseCounts(sent: 0, written: 0, bytes: 0)
        var record = record()
        record.tellMeasurements(of: outcome, profile: Profile())
        #expect(record.phases?.map(\.name) == ["warmup", "measure", "drain"])
        #expect(record.phases?.map(\.written) == [0, 4_000, 0])
        #expect(record.latency["connectTCP"] != nil)
        outcome.sender.phases[.measure] = nil
        record.tellMeasurements(of: outcome, profile: Profile())
        #expect(record.phases?.map(\.name) == ["warmup", "drain"])
        #expect(record.latency["connectTCP"] != nil, "set-up is told also where nothing was measured")
        #expect(record.brokenInvariants?.contains("the phases' written add up to 0, and the total is 4000") == true)
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
        var record = record()
        record.phases?[0].sent = 3_998
        let broken = RunInvariants(record, outcome, join: join(outcome)).broken
        #expect(broken.count == 2, "\(broken)")
    }
}
