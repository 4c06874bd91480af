import Primitives
import ProviderSessions
import RunRecords
import Testing
import Workload

@testable import Harness

/// When a schedule counts as met, and whose fault it is if not.
@Suite struct ScheduleVerdictTests {
    private let begin = Instant.zero + .seconds(5)

    /// 10 s of 1,000/s, of which so many were handed out by the end, and so many of those skipped.
    private func outcome(claimed: UInt64 = 10_000, skipped: UInt64 = 0) throws -> RunOutcome {
        var plan = ArrivalPlan(.constant(Rate(perSecond: 1_000)))
        plan.skipAfter = .milliseconds(100)
        var outcome = RunOutcome()
        (outcome.startedAt, outcome.measureEnd, outcome.end) = (begin, begin + .seconds(10), begin + .seconds(11))
        (outcome.arrivals, outcome.generated, outcome.claimedInTime) = (plan, 10_000, claimed)
        let supply = SequenceSupply(limit: 10_000, arrivals: .open(plan), connectionCount: 1)
        // What is due is looked at once only, so late that so many of it are too late.
        if skipped > 0 { _ = supply.claim(most: 1, now: .zero + .milliseconds(Int64(skipped) + 100)) }
        outcome.tally = supply.tally
        #expect(outcome.tally?.skippedCount == skipped)
        for skip in outcome.tally?.skips ?? [] { outcome.sender.ledger.recordUnsent(skip.run) }
        return outcome
    }

    /// So many milliseconds of 10,000/s, of which the first notifications were handed out in time, and so many at the end never sent.
    private func shortOutcome(_ milliseconds: Int64, claimed: UInt64, unsent: UInt64 = 0) -> RunOutcome {
        var outcome = RunOutcome()
        let end = begin + .milliseconds(milliseconds)
        (outcome.startedAt, outcome.measureEnd, outcome.end) = (begin, end, end + .milliseconds(100))
        outcome.arrivals = ArrivalPlan(.constant(Rate(perSecond: 10_000)))
        outcome.generated = UInt64(milliseconds) * 10
        outcome.claimedInTime = claimed
        outcome.sender.ledger.recordUnsent(SequenceRun(start: outcome.generated - unsent, count: unsent))
        return outcome
    }

    @Test func `what a short run never sent is missed, whenever it was given up`() {
        #expect(shortOutcome(200, claimed: 9, unsent: 1_991).missedSchedule == 0)
        #expect(shortOutcome(240, claimed: 312, unsent: 2_088).missedSchedule == 13)
        #expect(shortOutcome(600, claimed: 4_740, unsent: 1_260).missedSchedule == 79)
        #expect(shortOutcome(200, claimed: 2_000, unsent: 30).missedSchedule == 98)
        #expect(shortOutcome(200, claimed: 2_000, unsent: 20).missedSchedule == nil)
    }

    @Test func `being late is excused for a tenth of a short run, and for 20 ms of any`() {
        #expect(shortOutcome(1_000, claimed: 9_050).missedSchedule == nil)
        #expect(shortOutcome(1_000, claimed: 8_900).missedSchedule == 89)
        #expect(shortOutcome(100, claimed: 850).missedSchedule == nil)
        #expect(shortOutcome(100, claimed: 750).missedSchedule != nil)
    }

    @Test func `a burst is in time until the next one is due`() {
        var outcome = shortOutcome(2_300, claimed: 0)
        let schedule = ArrivalSchedule(RateCurve(Rate(perSecond: 20_000)), spacing: .bursts(10_000))
        (outcome.arrivals, outcome.generated, outcome.claimedInTime) = (ArrivalPlan(schedule), 50_000, nil)
        #expect(outcome.missedSchedule == nil, "the fifth burst has 500 ms from 2 s on")
        outcome.measureEnd = begin + .milliseconds(2_800)
        #expect(outcome.missedSchedule == 89)
    }

    @Test func `what was not due yet when a run was interrupted is not missed`() {
        var outcome = shortOutcome(500, claimed: 5_000)
        (outcome.generated, outcome.abort) = (50_000, .interrupted)
        outcome.sender.ledger.recordUnsent(SequenceRun(start: 5_000, count: 45_000))
        #expect(outcome.missedSchedule == nil)
        outcome.sender.ledger.recordUnsent(SequenceRun(start: 4_000, count: 1_000))
        #expect(outcome.missedSchedule == 80)
        outcome.measureEnd = .zero
        #expect(outcome.missedSchedule != nil, "also of one that ended before its offer did")
    }

    @Test func `what was skipped was not offered`() throws {
        #expect(try outcome().missedSchedule == nil)
        #expect(try outcome(skipped: 1_000).missedSchedule == 90)
        #expect(try outcome(claimed: 8_000).missedSchedule == 80)
        #expect(try outcome(claimed: 8_000, skipped: 800).missedSchedule == 72)
    }

    @Test func `one in a hundred is excused, and what is a quarter of a second late and not skipped`() throws {
        #expect(try outcome(claimed: 9_760).missedSchedule == nil)
        #expect(try outcome(claimed: 9_740).missedSchedule == 97)
        #expect(try outcome(skipped: 90).missedSchedule == nil)
        #expect(try outcome(skipped: 110).missedSchedule == 98)
    }

    @Test func `a run that skipped too much ends with 7, whatever its thresholds tolerate`() throws {
        let outcome = try outcome(skipped: 1_000)
        var record = RunRecord()
        (record.ledger.generated, record.ledger.accepted, record.ledger.unsent) = (10_000, 9_000, 1_000)
        record.verdict = VerdictRecord(of: outcome, profile: Profile())
        record.conclude(thresholds: [ThresholdRecord(text: "unsent <= 2000", value: 1_000, passed: true)])
        #expect(record.verdict.exitCode == 7 && record.verdict.status == .generatorLimited)
    }

    @Test(arguments: LimitRecord.Kind.allCases)
    func `the headline is the generator's only where it was the limit`(kind: LimitRecord.Kind) throws {
        let limit = LimitRecord(kind: kind, evidence: "busy loops; the evidence")
        let verdict = VerdictRecord(of: try outcome(claimed: 5_000), profile: Profile(), limit: limit)
        let isOwn = kind == .generator || kind == .processor
        #expect(verdict.status == (isOwn ? .generatorLimited : .scheduleMissed) && verdict.exitCode == 7)
        #expect(verdict.reasons.contains("the limit was \(kind.rawValue): the evidence") == !isOwn)
    }
}
