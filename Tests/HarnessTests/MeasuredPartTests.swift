import Primitives
import ProviderSessions
import RunRecords
import Testing
import Workload

@testable import Harness

/// What counts for rates, and when there is none.
@Suite struct MeasuredPartTests {
    private let begin = Instant.zero + .seconds(5)

    private func profile(_ text: String) throws -> Profile { try Profile.read(text: text, source: "test.json5") }

    /// So many were written, accepted and proved after a second.
    private func outcome(_ count: UInt64, after length: Interval = .seconds(1)) -> RunOutcome {
        var outcome = RunOutcome()
        (outcome.startedAt, outcome.measureStart, outcome.end) = (begin, begin, begin + .seconds(20))
        outcome.sender.firstWrite = begin
        outcome.sender.lastWrite = begin
        outcome.sender.lastProof = begin + length
        outcome.sender.ledger.record(.wrote(notifications: count, resent: 0, bytes: count, residence: .zero, at: begin))
        outcome.sender.ledger.record(.settled(SequenceRun(start: 0, count: count), .accepted, .sentinel))
        return outcome
    }

    private func rates(_ part: MeasuredPart) -> ThroughputRecord { ThroughputRecord(part, isScheduleMet: true) }

    @Test func `one notification is no rate, and neither are nine`() throws {
        for count in [0, 1, 9] as [UInt64] {
            let part = outcome(count).measured(Profile())
            #expect(rates(part) == ThroughputRecord())
            #expect(part.whyNoRate?.hasSuffix("too few for a rate: 10 are needed") == true)
        }
        let ten = rates(outcome(10).measured(Profile()))
        #expect(ten.acceptedPerSecond == 10 && ten.writtenPerSecond == 10)
    }

    @Test func `no time is no rate`() throws {
        for length in [.zero, .microseconds(999)] as [Interval] {
            let part = outcome(100, after: length).measured(Profile())
            #expect(rates(part) == ThroughputRecord() && part.acceptedPerSecond == nil)
            #expect(part.whyNoRate?.hasSuffix("too short for a rate: 1 ms is needed") == true)
        }
    }

    @Test func `over HTTP/2 the answers of a foreign target within the time count`() throws {
        let profile = try profile(
            """
            { protocol: "http2", target: { host: "gateway.test", port: 443 }, phases: { warmup: "1s", measure: "2s" },
              sender: { http2: { authentication: "certificate" } } }
            """
        )
        var outcome = outcome(300)
        (outcome.measureStart, outcome.measureEnd) = (begin + .seconds(1), begin + .seconds(3))
        var counts = LoopRecorder.PhaseCounts()
        (counts.sent, counts.written, counts.bytes, counts.answered) = (190, 190, 190, 180)
        outcome.sender.phases[.measure] = counts
        let part = outcome.measured(profile)
        #expect(part == MeasuredPart(accepted: 180, written: 190, bytes: 190, length: .seconds(2)))
        #expect(rates(part).acceptedPerSecond == 90 && rates(part).acceptedBound == nil)
    }

    @Test func `of a silent target there is a lower bound, by the last proof and less what was written before`() throws
    {
        let profile = try profile(
            #"{ target: { host: "gateway.test", port: 2195 }, phases: { warmup: "1s", measure: "2s" } }"#)
        var outcome = outcome(300, after: .seconds(5))
        (outcome.measureStart, outcome.measureEnd) = (begin + .seconds(1), begin + .seconds(3))
        for (phase, count) in [(RunPhase.warmup, 100), (.measure, 200)] as [(RunPhase, UInt64)] {
            var counts = LoopRecorder.PhaseCounts()
            (counts.sent, counts.written, counts.bytes) = (count, count, count)
            outcome.sender.phases[phase] = counts
        }
        let part = outcome.measured(profile)
        #expect(rates(part).acceptedPerSecond == 50, "200 in the 4 s from the warm-up to the proof")
        #expect(rates(part).acceptedBound == "lower" && rates(part).writtenPerSecond == 100)
        outcome.sender.lastProof = nil
        #expect(rates(outcome.measured(profile)).acceptedPerSecond == nil)
    }

    @Test func `without any proof a silent target has no rate, and not a bound of 0`() throws {
        let profile = try profile(#"{ target: { host: "gateway.test", port: 2195 } }"#)
        var outcome = outcome(0)
        let wrote = SessionEvent.wrote(notifications: 100, resent: 0, bytes: 100, residence: .zero, at: begin)
        outcome.sender.ledger.record(wrote)
        outcome.sender.lastWrite = begin + .milliseconds(99)
        outcome.sender.lastProof = nil
        #expect(outcome.measured(profile).accepted == nil)
        let rates = rates(outcome.measured(profile))
        #expect(rates.acceptedPerSecond == nil && rates.acceptedBound == nil && rates.writtenPerSecond != nil)
        outcome.sender.lastProof = begin + .seconds(1)
        #expect(
            self.rates(outcome.measured(profile)).acceptedPerSecond == 0, "a reply that refuses the first proves it")
    }

    @Test func `fewer accepted than ten in the measured part are no rate, unless the target accepted nothing at all`() {
        var part = MeasuredPart(accepted: 0, written: 16_384, bytes: 1_000, length: .milliseconds(1))
        #expect(rates(part).acceptedPerSecond == 0)
        part.acceptedLater = 16_384
        #expect(rates(part).acceptedPerSecond == nil && part.acceptedPerSecond == nil)
        #expect(
            part.whyNoAcceptedRate
                == "0 accepted in the measured part, and 16384 after it, are too few for a rate: 10 are needed")
        (part.accepted, part.acceptedLater) = (9, 0)
        #expect(rates(part).acceptedPerSecond == nil && rates(part).writtenPerSecond == 16_384_000)
        #expect(part.whyNoAcceptedRate == "9 accepted are too few for a rate: 10 are needed")
        part.accepted = 10
        #expect(rates(part).acceptedPerSecond == 10_000)
    }

    @Test func `the pause behind the last burst belongs to its rate`() throws {
        var outcome = outcome(50_000, after: .milliseconds(2_040))
        outcome.generated = 50_000
        let schedule = ArrivalSchedule(RateCurve(Rate(perSecond: 20_000)), spacing: .bursts(10_000))
        outcome.arrivals = ArrivalPlan(schedule)
        #expect(rates(outcome.measured(Profile())).acceptedPerSecond == 20_000)
        outcome.abort = .interrupted
        #expect(outcome.measured(Profile()).length == .milliseconds(2_040), "what was cut short has no pause")
        #expect(schedule.length(of: 45_000) == .milliseconds(2_250), "half a burst has half a pause")
        #expect(ArrivalSchedule.constant(Rate(perSecond: 1_000)).length(of: 10) == .milliseconds(10))
    }
}
