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
        return outcome
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
