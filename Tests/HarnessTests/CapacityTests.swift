import Analysis
import Primitives
import RunRecords
import Testing

@testable import Harness

/// A rate is what the target can take only where the target was the limit.
@Suite struct CapacityTests {
    private func record(_ kind: LimitRecord.Kind?, simulatorBound: Bool = false) -> RunRecord {
        var record = RunRecord()
        record.throughput = ThroughputRecord(accepted: 1_000, written: 1_000, bytes: 10, over: .seconds(1))
        record.ledger.generated = 1_000
        record.ledger.accepted = 1_000
        record.unmeasured = [:]
        if let kind {
            var limit = LimitRecord(kind: kind, evidence: "")
            limit.simulatorBound = simulatorBound
            record.limit = limit
        }
        record.tellCapacity()
        return record
    }

    @Test func `a simulator that was the limit has a capacity`() {
        let bound = record(.simulator, simulatorBound: true)
        #expect(bound.throughput.capacityPerSecond == 1_000 && bound.unmeasured?["capacity/s"] == nil)
    }

    @Test(arguments: LimitRecord.Kind.allCases + [nil] as [LimitRecord.Kind?])
    func `any other limit gives no capacity, and a reason`(kind: LimitRecord.Kind?) {
        let record = record(kind)
        #expect(record.throughput.capacityPerSecond == nil)
        #expect(record.unmeasured?["capacity/s"]?.isEmpty == false)
        #expect(record.throughput.acceptedPerSecond == 1_000, "what was taken was taken")
    }

    @Test(arguments: [LimitRecord.Kind.generator, .processor])
    func `an own limit ends a run that asks for a capacity with code 7`(kind: LimitRecord.Kind) throws {
        let threshold = try Threshold("capacity/s >= 500")
        var limited = record(kind)
        limited.conclude(thresholds: [threshold.outcome(in: limited)])
        #expect(limited.verdict.status == .generatorLimited && limited.verdict.exitCode == 7)
    }

    @Test func `only a threshold about the very figure tolerates what is lost, or that nothing was accepted`() {
        func code(_ text: String, lost: Int64 = 0) -> Int? {
            var record = RunRecord()
            (record.ledger.generated, record.ledger.lost, record.ledger.rejected) = (100, lost, 100 - lost)
            if lost > 0 { (record.ledger.accepted, record.ledger.rejected) = (100 - lost, 0) }
            record.conclude(thresholds: [ThresholdRecord(text: text, value: 1, passed: true)])
            return record.verdict.exitCode
        }
        #expect(code("accepted/s >= 0") == 3 && code("accepted >= 0") == 0)
        #expect(code("  lost<= 100k", lost: 5) == 0 && code("unsent == 0", lost: 5) == 3)
    }

    @Test func `who asks for a capacity gets it or the reason, and who does not passes`() throws {
        let threshold = try Threshold("capacity/s >= 500")
        var limited = record(.generator)
        limited.conclude(thresholds: [threshold.outcome(in: limited)])
        #expect(limited.verdict.status == .generatorLimited && limited.verdict.exitCode == 7)
        #expect(limited.verdict.reasons.contains { $0.contains("the generator was the limit") })
        var unasked = record(.generator)
        unasked.conclude(thresholds: [])
        #expect(unasked.verdict.status == .passed && unasked.verdict.exitCode == 0)
        var waiting = record(.connections)
        waiting.conclude(thresholds: [threshold.outcome(in: waiting)])
        #expect(waiting.verdict.exitCode == 3, "a threshold without data fails")
        #expect(waiting.verdict.reasons.contains { $0.hasSuffix("the limit was connections, and not the target") })
        var known = record(.simulator, simulatorBound: true)
        known.conclude(thresholds: [threshold.outcome(in: known)])
        #expect(known.verdict.exitCode == 0)
    }
}
