import Histograms
import Primitives
import RunRecords
import Testing

@testable import Analysis

@Suite struct ProbeJudgeTests {
    /// A run of ten seconds at 1,000/s in which all went well; one in a hundred response times is as long as asked for.
    private static func record(
        slow: Int64 = 0, of count: Int64 = 10_000, _ change: (inout RunRecord) -> Void = { _ in }
    ) -> RunRecord {
        var record = sampleRecord()
        record.limit = LimitRecord(kind: .rate, evidence: "")
        record.ledger = LedgerRecord()
        record.ledger.generated = 10_000
        record.ledger.accepted = 10_000
        record.throughput = ThroughputRecord(accepted: 10_000, written: 10_000, bytes: 0, over: .seconds(10))
        record.schedule = ScheduleRecord()
        record.schedule?.planned = 10_000
        record.schedule?.sent = 10_000
        record.phases = [PhaseRecord(name: "measure", startNs: 0, lengthNs: 10_000_000_000)]
        let histogram = Histogram()
        histogram.record(1_000_000, count: count - slow)
        if slow > 0 { histogram.record(50_000_000, count: slow) }
        record.latency = ["response": LatencyRecord(histogram)]
        record.intervals = (0..<10).map { second in
            var interval = IntervalRecord()
            interval.startNs = Int64(second) * 1_000_000_000
            interval.lengthNs = 1_000_000_000
            interval.written = 1_000
            interval.accepted = 1_000
            interval.inFlight = 5
            return interval
        }
        change(&record)
        return record
    }

    private static func judge(_ record: RunRecord, _ conditions: String...) throws -> ProbeJudge.Judgement {
        ProbeJudge(ServiceLevel(try conditions.map { try Threshold($0) })).judge(record)
    }

    @Test func `a run in which everything held holds`() throws {
        let judgement = try Self.judge(Self.record(), "response.p99 < 20ms", "lost == 0")
        #expect(judgement.outcome == .holds && judgement.reasons.isEmpty, "\(judgement)")
    }

    @Test func `a share of slow answers is held against the quantile with its uncertainty`() throws {
        #expect(try Self.judge(Self.record(slow: 50), "response.p99 < 20ms").outcome == .holds)
        #expect(try Self.judge(Self.record(slow: 100), "response.p99 < 20ms").outcome == .undecided)
        let failed = try Self.judge(Self.record(slow: 200), "response.p99 < 20ms")
        #expect(failed.outcome == .fails)
        #expect(failed.reasons == ["response.p99 < 20ms: 98.000 % of 10000 are within it"])
        // The same shares of a hundred answers say nothing.
        #expect(try Self.judge(Self.record(slow: 1, of: 100), "response.p99 < 20ms").outcome == .undecided)
    }

    @Test func `a figure that runs of the profile do not have ends the search, and says which there are`() throws {
        for condition in ["errorReply.p99 < 20ms", "errorReply.max < 20ms"] {
            let judgement = try Self.judge(Self.record(), condition)
            #expect(judgement.outcome == .unusable)
            #expect(
                judgement.reasons == [
                    "\(condition): a run of this profile has no such figure; series that it has: response"
                ])
        }
    }

    @Test func `less answered than offered fails`() throws {
        let short = Self.record {
            $0.throughput = ThroughputRecord(accepted: 9_800, written: 10_000, bytes: 0, over: .seconds(10))
        }
        let judgement = try Self.judge(short)
        #expect(judgement.outcome == .fails && judgement.reasons.count == 1)
        #expect(judgement.reasons[0].contains("980/s answered of 1 k/s offered"), "\(judgement)")
    }

    @Test func `refused notifications were answered`() throws {
        let refused = Self.record {
            $0.ledger.accepted = 9_000
            $0.ledger.rejected = 1_000
            $0.throughput = ThroughputRecord(accepted: 9_000, written: 10_000, bytes: 0, over: .seconds(10))
        }
        #expect(try Self.judge(refused).outcome == .holds)
    }

    @Test func `where a schedule was missed the measured intervals tell what was answered`() throws {
        let missed = Self.record {
            $0.verdict = VerdictRecord(status: .scheduleMissed, reasons: ["the schedule was not met"], exitCode: 7)
            $0.limit = LimitRecord(kind: .connections, evidence: "")
            $0.throughput = ThroughputRecord()
            for index in $0.intervals.indices { $0.intervals[index].accepted = 700 }
        }
        #expect(ProbeJudge.answeredPerSecond(of: missed) == 700)
        #expect(try Self.judge(missed).outcome == .fails)
    }

    @Test func `a generator or a machine at its limit judges no target`() throws {
        for kind in [LimitRecord.Kind.generator, .processor] {
            let limited = Self.record { $0.limit = LimitRecord(kind: kind, evidence: "busy") }
            #expect(try Self.judge(limited).outcome == .generatorLimited)
        }
        let late = Self.record {
            let lag = Histogram()
            lag.record(5_000_000, count: 10_000)
            $0.latency["scheduleLag"] = LatencyRecord(lag)
            $0.schedule?.late.generatorLate = 100
        }
        #expect(try Self.judge(late, "response.p99 < 20ms").outcome == .generatorLimited)
        #expect(try Self.judge(late, "response.p99 < 200ms").outcome == .holds, "5 ms are little of 200 ms")
        let held = Self.record {
            $0.latency["scheduleLag"] = late.latency["scheduleLag"]
            $0.schedule?.late.windowFull = 100
        }
        #expect(try Self.judge(held, "response.p99 < 20ms").outcome == .holds, "it was not the generator that was late")
    }

    @Test func `a growing backlog fails, of silent protocols too`() throws {
        let growing = Self.record {
            for index in $0.intervals.indices { $0.intervals[index].accepted = 990 }
        }
        let judgement = try Self.judge(growing)
        #expect(
            judgement.outcome == .fails && judgement.reasons[0].contains("not yet answered grew from"), "\(judgement)")
        // In flight grows for the sender of a silent protocol as long as nothing is proved, and says nothing.
        let silent = Self.record {
            for index in $0.intervals.indices { $0.intervals[index].inFlight = Int64(1_000 * index) }
        }
        #expect(try Self.judge(silent).outcome == .holds)
    }

    @Test func `runs that cannot be used say so`() throws {
        for status in [VerdictRecord.Status.interrupted, .internalError, .running, .unreachable] {
            let record = Self.record {
                $0.verdict = VerdictRecord(status: status, reasons: ["why"], exitCode: 1)
                $0.ledger.accepted = 0
            }
            #expect(try Self.judge(record).outcome == .unusable, "\(status)")
        }
        let blind = Self.record {
            $0.throughput = ThroughputRecord()
            for index in $0.intervals.indices { $0.intervals[index].accepted = nil }
        }
        #expect(try Self.judge(blind).outcome == .unusable)
    }
}
