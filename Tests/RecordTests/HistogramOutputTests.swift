import Histograms
import Primitives
import RunRecords
import Testing

@testable import Reports

/// The two forms that HdrHistogram's tools read.
@Suite struct HistogramOutputTests {
    private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    private func histogram(_ values: [Int64]) -> Histogram {
        let histogram = Histogram()
        for value in values { histogram.record(value) }
        return histogram
    }

    @Test func `an interval log has a line for each interval and series, by start and tag`() throws {
        var record = sampleRecord()
        let parts = [histogram([1_000_000, 2_000_000]), histogram([3_000_000]), histogram([4])]
        record.intervals = [IntervalRecord(), IntervalRecord()]
        record.intervals[0].lengthNs = 1_000_000_000
        record.intervals[0].histograms = ["residence": parts[0].base64(), "drain/residence": parts[2].base64()]
        record.intervals[1].startNs = 1_000_000_000
        record.intervals[1].lengthNs = 250_000_000
        record.intervals[1].histograms = ["residence": parts[1].base64()]
        let text = lines(String(decoding: try OutputFormat.hlog.render(.run(record), style: .plain), as: UTF8.self))
        #expect(text.contains("#[StartTime: 1767323045.000 (seconds since epoch), Fri Jan 02 03:04:05 UTC 2026]"))
        let data = text.filter { $0.hasPrefix("Tag=") }
        #expect(
            data.map { $0.split(separator: ",").prefix(3).joined(separator: ",") } == [
                "Tag=drain/residence,0.000,1.000", "Tag=residence,0.000,1.000", "Tag=residence,1.000,0.250",
            ])
        let sum = Histogram()
        for line in data where line.hasPrefix("Tag=residence,") {
            try sum.add(Histogram(base64: String(line.split(separator: ",")[4])))
        }
        #expect(sum.base64() == histogram([1_000_000, 2_000_000, 3_000_000]).base64())
    }

    @Test func `a record without histograms of its intervals has no interval log, and says what makes one`() {
        var record = sampleRecord()
        #expect(throws: RecordError.noIntervalHistograms) { try OutputFormat.hlog.render(.run(record), style: .plain) }
        #expect(RecordError.noIntervalHistograms.description.contains("`pushbench run -o hlog=PATH` keeps them"))
        record.intervals = []
        #expect(throws: RecordError.noIntervalHistograms) { try OutputFormat.hlog.render(.run(record), style: .plain) }
    }

    @Test func `a histogram that cannot be read is named by its tag`() {
        var record = sampleRecord()
        record.intervals = [IntervalRecord()]
        record.intervals[0].histograms = ["response": "HISTFAAA"]
        let error = #expect(throws: RecordError.self) { try OutputFormat.hlog.render(.run(record), style: .plain) }
        #expect(error?.description.contains("intervals.histograms.response") == true)
    }

    @Test func `percentile distributions of all series stand under their names, in milliseconds`() throws {
        var record = sampleRecord()
        var warmup = PhaseRecord(name: "warmup", startNs: 0, lengthNs: 5)
        warmup.latency["residence"] = LatencyRecord(histogram([5_000_000]))
        record.phases = [warmup]
        record.latency["response"] = LatencyRecord(histogram([1_000_000, 4_000_000]))
        record.latency["response"]?.censored = 1
        record.latency["response"]?.sampledOneOf = 8
        record.latency["errorReply"] = LatencyRecord(Histogram())
        let text = String(decoding: try OutputFormat.hgrm.render(.run(record), style: .plain), as: UTF8.self)
        let headings = lines(text).filter { $0.hasPrefix("#[Series") }
        #expect(
            headings == [
                "#[Series: response, milliseconds]", "#[Series: residence, milliseconds]",
                "#[Series: reconnect, milliseconds]", "#[Series: warmup/residence, milliseconds]",
            ])
        #expect(text.contains("#[1 values are lower bounds: unanswered when the run ended]\n"))
        #expect(text.contains("#[One of 8 notifications was timed]\n"))
        // Plotters take lines of four numbers, and nothing else may look like one.
        let rows = lines(text).filter { !$0.hasPrefix("#") && $0.split(separator: " ").count == 4 }
        #expect(rows.count { $0.split(separator: " ").allSatisfy { Double($0) != nil } } == rows.count - 4)
        #expect(lines(text).count { $0.hasPrefix("#[Mean") } == 4)
    }

    @Test func `a record without values has a distribution of none`() throws {
        var record = sampleRecord()
        record.latency = [:]
        let text = String(decoding: try OutputFormat.hgrm.render(.run(record), style: .plain), as: UTF8.self)
        #expect(text == "#[No series has a value]\n")
    }
}

/// The simulator's ceiling, out of a machine's calibration.
@Suite struct CeilingTests {
    private var calibration: CalibrationRecord {
        var record = CalibrationRecord()
        (record.acceptAllNs, record.acceptAllBytes, record.pipeReceiverNsPerRecord) = (100, 150, 8_192)
        return record
    }

    @Test func `the ceiling is that of the measured notifications for each loop`() {
        #expect(calibration.acceptAllPerSecond(bytes: 150, loops: 1) == 1e7)
        #expect(calibration.acceptAllPerSecond(bytes: 150, loops: 4) == 4e7)
    }

    @Test func `longer ones cost what the pipe takes for the difference, and short ones their parsing`() {
        // Half a nanosecond a byte.
        #expect(calibration.acceptAllPerSecond(bytes: 350, loops: 1) == 5e6)
        #expect(calibration.acceptAllPerSecond(bytes: 50, loops: 1) == 2e7)
        var costly = calibration
        costly.pipeReceiverNsPerRecord = 16_384 * 10
        #expect(costly.acceptAllPerSecond(bytes: 1, loops: 1) == 4e7)
    }

    @Test func `without a measurement there is no ceiling`() {
        #expect(CalibrationRecord().acceptAllPerSecond(bytes: 150, loops: 1) == nil)
        #expect(
            calibration.acceptAllPerSecond(bytes: 150, loops: 1, isHTTP2: true) == nil,
            "not that of the binary interface")
        #expect(calibration.acceptAllPerSecond(bytes: 0, loops: 1) == nil)
        #expect(calibration.acceptAllPerSecond(bytes: 150, loops: 0) == nil)
    }
}
