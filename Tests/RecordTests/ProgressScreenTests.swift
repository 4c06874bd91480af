import Histograms
import Primitives
import RunRecords
import Testing

@testable import Reports

/// Live progress as pure functions of a run's state.
@Suite struct ProgressScreenTests {
    private static let style = TerminalStyle(usesColor: false, usesUnicode: true, isLive: true, width: 100)

    private static func progress() -> RunProgress {
        var interval = IntervalRecord()
        interval.startNs = 11_000_000_000
        interval.lengthNs = 1_000_000_000
        interval.written = 199_800
        interval.accepted = 199_700
        interval.senderCPUNs = 950_000_000
        interval.simulatorCPUNs = 710_000_000
        var progress = RunProgress()
        progress.phase = .measuring
        progress.elapsed = .seconds(12)
        progress.timeLeft = .seconds(18)
        progress.intervals = [interval]
        progress.endsInterval = true
        progress.written = 2_400_500
        progress.resent = 500
        progress.accepted = 2_399_000
        progress.rejected = 104
        progress.reconnects = 104
        progress.inFlight = 1_234
        progress.planned = 6_000_000
        progress.offeredPerSecond = 200_000
        progress.openConnections = 8
        progress.connections = 8
        progress.errors = [
            ErrorCountRecord(status: nil, name: "reset by peer", count: 2),
            ErrorCountRecord(status: 8, name: "invalid token", count: 104),
        ]
        progress.latest = [
            RunProgress.LatencyGlance(series: "service", count: 100, p50Ns: 21_000, p99Ns: 257_000),
            RunProgress.LatencyGlance(series: "errorReply", count: 4, p50Ns: 151_000, p99Ns: 5_400_000),
        ]
        return progress
    }

    @Test func `the screen has everything that a user watches, exactly`() {
        let lines = ProgressScreen(title: "evening", style: Self.style).lines(Self.progress(), columns: 101, rows: 24)
        #expect(
            lines == [
                "measuring 12 s, 18 s left · evening",
                String(repeating: "█", count: 24) + String(repeating: "░", count: 36) + " 40 %",
                "rate         offered 200 k/s · achieved 200 k/s · accepted 200 k/s",
                "total        written 2,400,000 of 6,000,000 · accepted 2,399,000 · rejected 104 · resent 500",
                "on the way   in flight 1,234 · connections 8 of 8 · reconnects 104",
                "last second  service p50 21 µs p99 257 µs · errorReply p50 151 µs p99 5.4 ms",
                "processor    sender 95 % cpu · simulator 71 % cpu",
                "errors       104 invalid token (8) · 2 reset by peer",
            ])
    }

    @Test(arguments: 1...140)
    func `no line is as long as the terminal is wide, nor are there as many as it is high`(_ columns: Int) {
        var progress = Self.progress()
        progress.errors.append(ErrorCountRecord(status: nil, name: "日本語 \u{1B}[2J" + hostileText, count: 7))
        for unicode in [true, false] {
            let style = TerminalStyle(usesColor: false, usesUnicode: unicode, isLive: true, width: 100)
            let screen = ProgressScreen(title: hostileText, style: style)
            let lines = screen.lines(progress, columns: columns, rows: 8)
            #expect(lines.allSatisfy { displayWidth($0) <= max(1, columns - 1) }, "\(lines)")
            #expect(
                lines.allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } },
                "no control characters")
            #expect(unicode || lines.allSatisfy { $0.utf8.count == $0.count })
            for rows in 1...9 {
                #expect(screen.lines(progress, columns: columns, rows: rows).count <= max(1, rows - 1))
            }
        }
    }

    @Test func `a screen is drawn over the one before, and taken away as a whole`() {
        var screen = ProgressScreen(title: "t", style: Self.style)
        #expect(screen.clear() == "", "nothing was drawn")
        var progress = RunProgress()
        progress.connections = 4
        let first = screen.draw(progress, columns: 60, rows: 24)
        #expect(first.hasPrefix("\rconnecting 0 s · t\u{1B}[K\r\n"))
        let height = first.count { $0 == "\r\n" }
        let second = screen.draw(Self.progress(), columns: 60, rows: 24)
        #expect(second.hasPrefix("\r\u{1B}[\(height)Ameasuring 12 s, 18 s left"))
        #expect(second.hasSuffix("\u{1B}[K\u{1B}[J"), "what was below is cleared")
        #expect(screen.clear() == "\r\u{1B}[7A\u{1B}[J")
        #expect(screen.clear() == "")
        #expect(!(first + second).contains("\u{1B}[?25"), "the cursor stays visible")
    }

    @Test func `colours are used only where they may be`() {
        let colored = TerminalStyle(usesColor: true, usesUnicode: true, isLive: true, width: 100)
        let text = ProgressScreen(title: "t", style: colored).lines(Self.progress(), columns: 80, rows: 24)
        #expect(text[0].hasPrefix("\u{1B}[1m") && text[7].hasPrefix("\u{1B}[31m"))
        let plain = ProgressScreen(title: "t", style: Self.style).lines(Self.progress(), columns: 80, rows: 24)
        #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
    }

    @Test func `the time left is what time says, or else what the rate of the last second makes likely`() {
        var progress = Self.progress()
        progress.timeLeft = nil
        #expect(ProgressFigures(progress).time == "measuring 12 s, about 18 s left")
        #expect(ProgressFigures(progress).share == 0.4)
        progress.planned = nil
        #expect(ProgressFigures(progress).time == "measuring 12 s" && ProgressFigures(progress).share == nil)
        progress.phase = .draining
        progress.timeLeft = .zero
        #expect(ProgressFigures(progress).time == "draining 12 s")
        progress.phase = .warmup
        progress.timeLeft = .seconds(3_661)
        #expect(ProgressFigures(progress).time == "warmup 12 s, 1h 1m 1s left")
    }

    @Test func `before the first second there are no rates, and nothing divides by zero`() {
        var progress = RunProgress()
        progress.phase = .measuring
        progress.planned = 100
        progress.intervals = [IntervalRecord()]
        let figures = ProgressFigures(progress)
        #expect(figures.rates == [] && figures.processors == [] && figures.latencies == [] && figures.errors == [])
        #expect(figures.time == "measuring 0 s" && figures.share == 0)
        #expect(ProgressJSON(progress).text != nil)
    }

    @Test func `a plain line has the same figures, in what the log can take`() {
        let line = ProgressLine(Self.progress()).text(.plain)
        #expect(
            line == "measuring 12 s, 18 s left - 40 % - offered 200 k/s - achieved 200 k/s - accepted 200 k/s - "
                + "in flight 1,234 - connections 8 of 8 - reconnects 104 - service p50 21 us p99 257 us - "
                + "errorReply p50 151 us p99 5.4 ms - 104 invalid token (8) - 2 reset by peer - sender 95 % cpu - "
                + "simulator 71 % cpu")
    }
}

@Suite struct LiveMetricsTests {
    private static func metrics(_ change: (inout RunProgress) -> Void) throws -> OpenMetricsReader {
        var metrics = LiveMetrics(draft: try namedDraft(), warmup: .seconds(1))
        var progress = RunProgress()
        change(&progress)
        metrics.take(progress)
        return try OpenMetricsReader(metrics.text(.openMetrics))
    }

    private static func namedDraft() throws -> RunRecord {
        var draft = RunRecord()
        draft.profile = .object(["name": .string("live")])
        return draft
    }

    private static func interval(_ second: Int64, written: Int64) -> IntervalRecord {
        var interval = IntervalRecord()
        interval.startNs = second * 1_000_000_000
        interval.lengthNs = 1_000_000_000
        interval.written = written
        interval.accepted = written - 10
        interval.bytes = written * 100
        interval.senderCPUNs = 400_000_000
        interval.senderRSSBytes = 1_000 + second
        interval.simulatorCPUNs = 300_000_000
        interval.simulatorRSSBytes = 2_000
        return interval
    }

    @Test func `a run that has not begun has its name, its phase and zeros`() throws {
        let read = try Self.metrics { _ in }
        #expect(read.value("pushbench_phase", ["pushbench_phase": "connecting"]) == 1)
        #expect(read.value("pushbench_verdict", ["pushbench_verdict": "running"]) == 1)
        #expect(read.value("pushbench_notifications", ["fate": "accepted"]) == 0)
        #expect(read.value("pushbench_accepted_per_second", [:]) == nil)
        #expect(read.samples.allSatisfy { $0.labels["profile"] == "live" })
    }

    @Test func `counters, gauges and histograms are those of the run so far`() throws {
        let histogram = Histogram()
        for value in Int64(1)...1_000 { histogram.record(value * 1_000) }
        let read = try Self.metrics { progress in
            progress.phase = .measuring
            progress.elapsed = .seconds(3)
            progress.timeLeft = .seconds(7)
            progress.endsInterval = true
            progress.intervals = [
                Self.interval(0, written: 50), Self.interval(1, written: 100), Self.interval(2, written: 200),
            ]
            progress.written = 355
            progress.resent = 5
            progress.accepted = 300
            progress.rejected = 3
            progress.planned = 1_000
            progress.inFlight = 47
            progress.openConnections = 2
            progress.connections = 4
            progress.connectionFailures = 6
            progress.offeredPerSecond = 250
            progress.reconnects = 9
            progress.errors = [ErrorCountRecord(status: 8, name: "invalid token", count: 3)]
            progress.latencies = ["residence": histogram.snapshot()]
        }
        let fates = ["accepted", "rejected", "lost", "unknown", "unsent"].map {
            read.value("pushbench_notifications", ["fate": $0])
        }
        #expect(fates == [300, 3, 0, 47, 650], "each has exactly one")
        #expect(read.value("pushbench_accepted_per_second", [:]) == 140, "without the warm-up")
        #expect(read.value("pushbench_cpu_seconds_total", ["process": "sender"]) == 1.2)
        #expect(read.value("pushbench_peak_memory_bytes", ["process": "sender"]) == 1_002)
        #expect(read.value("pushbench_errors_total", ["name": "invalid token"]) == 3)
        #expect(read.value("pushbench_reconnects_total", [:]) == 9)
        #expect(read.value("pushbench_in_flight_notifications", [:]) == 47)
        #expect(read.value("pushbench_open_connections", [:]) == 2 && read.value("pushbench_connections", [:]) == 4)
        #expect(read.value("pushbench_connection_failures_total", [:]) == 6)
        #expect(read.value("pushbench_offered_per_second", [:]) == 250)
        #expect(read.value("pushbench_time_left_seconds", [:]) == 7)
        #expect(read.value("pushbench_latency_seconds_count", ["series": "residence"]) == 1_000)
        #expect(read.value("pushbench_latency_seconds_sum", ["series": "residence"]) == 0.5005)
    }

    @Test
    func `between two intervals the histograms stay, and what a gateway counts too much is no more than was written`()
        throws
    {
        let histogram = Histogram()
        histogram.record(5)
        var metrics = LiveMetrics(draft: try Self.namedDraft(), warmup: .zero)
        var progress = RunProgress()
        progress.endsInterval = true
        progress.latencies = ["service": histogram.snapshot()]
        metrics.take(progress)
        progress = RunProgress()
        progress.written = 10
        progress.resent = 20
        progress.accepted = 50
        progress.rejected = 50
        metrics.take(progress)
        let read = try OpenMetricsReader(metrics.text(.openMetrics))
        #expect(read.value("pushbench_latency_seconds_count", ["series": "service"]) == 1)
        #expect(read.value("pushbench_notifications", ["fate": "unknown"]) == 0)
    }

    @Test func `a run that has ended has the page of its record`() throws {
        let record = try namedRecord()
        #expect(try LiveMetrics.text(of: record, .openMetrics) == OutputFormat.openmetrics.text(.run(record)))
    }
}
