import Analysis
import Histograms
import Primitives
import RunRecords
import Testing

@Suite struct ThresholdTests {
    @Test(arguments: [
        ("accepted/s >= 500k", Threshold.Comparison.atLeast, 500_000.0), ("errorReply.p99 < 20ms", .below, 20e6),
        ("lost==0", .equal, 0), ("  bytes/s   >  1MiB/s ", .above, 1_048_576),
        ("sender.peakRSS <= 64MiB", .atMost, 67_108_864),
        ("residence.p99.99 < 1m30s", .below, 90e9), ("duplicates != 1k", .notEqual, 1_000),
        ("sender.headroom >= 0.1", .atLeast, 0.1), ("sendGap.variation<.25", .below, 0.25),
        ("reconnect.resent <= 1.5k", .atMost, 1_500), ("sender.systemCallsPerNotification < 0.0125", .below, 0.0125),
        ("reconnect.lost >= -5", .atLeast, -5), ("sender.memoryGrowth >= -1MiB", .atLeast, -1_048_576),
        ("reconnect.count <= 5", .atMost, 5), ("connectTLS.max < 0", .below, 0),
    ])
    func `metric, operator and value in the metric's unit`(
        _ text: String, _ comparison: Threshold.Comparison, _ bound: Double
    ) throws {
        let threshold = try Threshold(text)
        #expect(threshold.text == text)
        #expect(threshold.comparison == comparison)
        #expect(threshold.bound == bound)
    }

    @Test(arguments: [
        "", "lost", "lost 0", "== 0", "lost == ", "lost === 0", "lost => 0", "lost == 0 0", "lost == 20ms", "lost < -1",
        "sender.headroom >= -0.1", "sender.headroom >= 0.1.2", "sender.headroom >= inf", "lost < 0.5",
        "accepted/s > -1",
        "errorReply.p99 < 20", "errorReply.p99 < 5 parsecs", "errorReply.p101 < 1s", "errorReply. < 1s",
        "nope.p99 < 1s",
        "errorReply.pNaN < 1s", "accepted/s > fast",
    ])
    func `anything else is refused`(_ text: String) { #expect(throws: ThresholdError.self) { try Threshold(text) } }

    @Test func `a fraction is told with its places`() {
        #expect(MetricUnit.number.text(0.0125) == "0.0125" && MetricUnit.number.text(0.5) == "0.5")
        #expect(MetricUnit.number.text(0.000031) == "0.000031" && MetricUnit.number.text(0) == "0")
        #expect(MetricUnit.number.text(12) == "12" && MetricUnit.number.text(-1_498.3) == "-1,498")
    }

    @Test func `an unknown metric is answered with the nearest one`() {
        #expect(throws: ThresholdError.unknownMetric("erorReply.p99", nearest: "errorReply.p99")) {
            try Threshold("erorReply.p99 < 1s")
        }
    }

    @Test(arguments: [
        ("lost == 0", true), ("lost != 0", false), ("rejected <= 10", true), ("rejected < 10", false),
        ("accepted/s > 79k", true), ("accepted/s > 80k", false), ("residence.p50 < 2ms", true),
        ("residence.p99.9 < 3ms", true), ("residence.max < 1ms", false), ("residence.count == 2000", true),
        ("sender.allocations < 5k", true), ("inFlightAtError.max >= 400", true),
        ("reconnect.p50 < 6ms", true), ("reconnect.resent <= 123", false), ("reconnect.lost <= 420", true),
        ("reconnect.full == 1", true), ("reconnect.resumed == 9", true), ("sender.fullHandshakeCPU > 700us", false),
        ("sender.resumedHandshakeCPU == 400us", true), ("simulator.fullHandshakeCPU < 400us", true),
        ("simulator.resumedHandshakeCPU >= 300us", true),
    ])
    func `a threshold holds as its comparison says`(_ text: String, _ holds: Bool) throws {
        let outcome = try Threshold(text).outcome(in: sampleRecord())
        #expect(outcome.passed == holds)
        #expect(outcome.text == text)
        #expect(outcome.value != nil)
    }

    @Test(arguments: [
        "errorReply.p99 < 20ms", "simulator.allocations >= 0", "response.count >= 0", "reconnectDetect.p99 < 1s",
    ])
    func `no data never holds`(_ text: String) throws {
        let outcome = try Threshold(text).outcome(in: sampleRecord())
        #expect(!outcome.passed && outcome.value == nil)
    }

    @Test func `an empty record has no data for any rate or latency`() throws {
        for metric in ["accepted/s", "written/s", "bytes/s", "ledgerDifference", "sender.cpuPerNotification"] {
            #expect(try Metric(metric).value(in: RunRecord()) == nil, "\(metric)")
        }
    }

    @Test func `quantiles of few values still answer thresholds`() throws {
        var record = RunRecord()
        let histogram = Histogram()
        for value: Int64 in [5, 7, 9] { histogram.record(value) }
        record.latency["errorReply"] = LatencyRecord(histogram)
        #expect(record.latency["errorReply"]?.quantiles.p99 == nil)
        #expect(try Threshold("errorReply.p99 < 10ns").outcome(in: record).value == 9)
    }

    @Test func `growth counts from 20 to 90 percent of the run and needs ten intervals`() throws {
        var record = sampleRecord()
        record.intervals = (0..<20).map { second in
            var interval = IntervalRecord()
            interval.senderRSSBytes = 1_000_000 * Int64(second)
            interval.senderDescriptors = second < 10 ? 30 : 28
            return interval
        }
        #expect(try Threshold("sender.memoryGrowth <= 10MiB").outcome(in: record).value == 14_000_000)
        #expect(try !Threshold("sender.memoryGrowth <= 10MiB").outcome(in: record).passed)
        #expect(try Threshold("sender.descriptorGrowth <= 0").outcome(in: record).value == -2)
        #expect(try Threshold("simulator.memoryGrowth <= 10MiB").outcome(in: record).value == nil)
        record.intervals.removeLast(11)
        #expect(try Threshold("sender.memoryGrowth <= 10MiB").outcome(in: record).value == nil)
    }

    @Test(arguments: [
        ("compare(accepted/s) > -5%", -0.05), ("compare( response.p99 ) <= +12.5%", 0.125), ("compare(lost)==0%", 0),
    ])
    func `a change is bounded in percent`(_ text: String, _ bound: Double) throws {
        let threshold = try Threshold(text)
        #expect(threshold.isChange && abs(threshold.bound - bound) < 1e-12 && threshold.abortAfter == nil)
    }

    @Test(arguments: [
        ("accepted/s >= 500k abort", Interval.zero), ("rejected < 10 abort after 10s", .seconds(10)),
        ("residence.max<1s abort after 500ms", .milliseconds(500)),
    ])
    func `a threshold may end the run`(_ text: String, _ delay: Interval) throws {
        let threshold = try Threshold(text)
        #expect(threshold.abortAfter == delay && !threshold.isChange && threshold.text == text)
    }

    @Test(arguments: [
        ("compare(accepted/s) > -5", "expected a percentage"), ("compare(accepted/s) > 5ms", "expected a percentage"),
        ("compare(acepted/s) > -5%", "did you mean \"accepted/s\""), ("compare(accepted/s > -5%", "unknown metric"),
        ("compare(accepted/s) > -5% abort", "cannot abort one"), ("errorReply.p99 < 1s abort", "cannot abort one"),
        ("accepted/s > 5 abort after", "abort after TIME"), ("accepted/s > 5 abort at 5s", "abort after TIME"),
        ("accepted/s > 5 abort after 5 s", "abort after TIME"), ("accepted/s > 5 abort after soon", "soon"),
        ("accepted/s > 5%", "5%"),
    ])
    func `what cannot be meant is refused with what is accepted`(_ text: String, _ expected: String) throws {
        let error = try #require(throws: ThresholdError.self) { try Threshold(text) }
        #expect("\(error)".contains(expected), "\(error)")
    }

    @Test func `the first threshold that fails ends the run, once its time has come and there is data`() throws {
        var profile = Profile()
        profile.phases.warmup = .seconds(1)
        profile.thresholds = try ["accepted/s >= 100", "accepted/s >= 100 abort after 2s", "rejected <= 5 abort"].map {
            try Threshold($0)
        }
        let watch = ThresholdWatch(profile)
        func interval(_ second: Int64, accepted: Int64?, rejected: Int64 = 0) -> IntervalRecord {
            var interval = IntervalRecord()
            interval.startNs = second * 1_000_000_000
            interval.lengthNs = 1_000_000_000
            interval.accepted = accepted
            interval.rejected = rejected
            return interval
        }
        var intervals = [interval(0, accepted: 0)]
        #expect(watch.failure(in: []) == nil && watch.failure(in: intervals) == nil, "the warm-up does not count")
        intervals.append(interval(1, accepted: 50))
        #expect(watch.failure(in: intervals) == nil, "its time has not come")
        intervals.append(interval(2, accepted: 150))
        #expect(watch.failure(in: intervals) == nil, "100 a second so far")
        intervals.append(interval(3, accepted: 97))
        let failed = try #require(watch.failure(in: intervals))
        #expect(failed.text == "accepted/s >= 100 abort after 2s" && failed.value == 99 && !failed.passed)
        intervals[3].accepted = nil
        #expect(watch.failure(in: intervals) == nil, "no data yet is no failure yet")
        intervals[3].rejected = 6
        #expect(watch.failure(in: intervals)?.text == "rejected <= 5 abort")
    }

    @Test func `a threshold about a change is none of a single run`() throws {
        var profile = Profile()
        profile.thresholds = [try Threshold("compare(accepted/s) > -5%"), try Threshold("lost == 0")]
        #expect(profile.thresholdOutcomes(in: sampleRecord()).map(\.text) == ["lost == 0"])
    }
}
