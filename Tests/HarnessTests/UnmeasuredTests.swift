import Histograms
import Primitives
import ProviderSessions
import RunRecords
import Testing

@testable import Harness

/// Whatever is null has its reason beside it.
@Suite struct UnmeasuredTests {
    private let begin = Instant.zero + .seconds(5)

    private func outcome(_ count: UInt64) -> RunOutcome {
        var outcome = RunOutcome()
        (outcome.startedAt, outcome.measureStart, outcome.end) = (begin, begin, begin + .seconds(2))
        outcome.bounds = PhaseBounds(measureStart: begin)
        (outcome.sender.firstWrite, outcome.sender.lastWrite) = (begin, begin + .seconds(1))
        outcome.sender.ledger.record(.wrote(notifications: count, resent: 0, bytes: count, residence: .zero, at: begin))
        outcome.sender.phases[.measure] = LoopRecorder.PhaseCounts(sent: count, written: count, bytes: count)
        return outcome
    }

    private func reasons(_ outcome: RunOutcome, _ profile: Profile = Profile()) throws -> [String: String] {
        var record = RunRecord()
        if outcome.abort == nil {
            record.throughput = ThroughputRecord(outcome.measured(profile), isScheduleMet: true)
        }
        record.tellMeasurements(of: outcome, profile: profile)
        return try #require(record.unmeasured)
    }

    @Test func `quantiles of every series say how many values are missing`() throws {
        var outcome = outcome(20)
        for series in [Series.connectTCP, .timerLag, .sendGap, .reconnectWait, .firstAcceptance] {
            let histogram = Histogram()
            for value in 0..<Int64(100) { histogram.record(value) }
            outcome.sender.histograms[.measure, default: [:]][series] = histogram.snapshot()
        }
        outcome.sender.histograms[.measure]?[.errorReply] = Histogram().snapshot()
        let reasons = try reasons(outcome)
        for name in ["connectTCP", "timerLag", "sendGap", "reconnectWait", "firstAcceptance"] {
            #expect(reasons["\(name).p90"] == nil)
            #expect(reasons["\(name).p99"] == "needs 1000 values, and there are 100")
            #expect(reasons["\(name).p99.9"] == "needs 10000 values, and there are 100")
        }
        #expect(reasons["errorReply"] == "there are no values")
    }

    @Test func `rates say why they are null`() throws {
        let one = try reasons(outcome(1))
        for name in ["accepted/s", "written/s", "bytes/s"] {
            #expect(one[name] == "1 notification is too few for a rate: 10 are needed", "\(name)")
        }
        #expect(one["undisturbed/s"] == "nothing tells when what was accepted")
        var quiet = outcome(20)
        var interval = IntervalRecord()
        (interval.lengthNs, interval.accepted, interval.written, interval.bytes) = (1_000_000_000, 20, 20, 20)
        quiet.intervals = [interval]
        #expect(try reasons(quiet)["undisturbed/s"] == "nothing went wrong: accepted/s is that rate")
        #expect(try reasons(quiet)["written/s"] == nil && reasons(quiet)["bytes/s"] == nil)
        quiet.intervals[0].reconnects = 1
        #expect(try reasons(quiet)["undisturbed/s"]?.hasPrefix("there is no whole interval") == true)
        quiet.abort = .unreachable
        for name in ["accepted/s", "undisturbed/s", "written/s", "bytes/s"] {
            #expect(try reasons(quiet)[name] == "the run was cut short", "\(name)")
        }
    }

    @Test func `over HTTP/2 success is not silent, whoever answers`() throws {
        let profile = try Profile.read(
            text: """
                { protocol: "http2", target: { host: "gateway.test", port: 443 },
                  sender: { http2: { authentication: "certificate" } } }
                """, source: "test.json5")
        #expect(try reasons(outcome(20), profile)["service"] == "no request was accepted; see serviceRefused")
        let silent = try Profile.read(text: #"{ target: { host: "gateway.test", port: 2195 } }"#, source: "test.json5")
        #expect(try reasons(outcome(20), silent)["service"]?.hasPrefix("success is silent") == true)
    }
}
