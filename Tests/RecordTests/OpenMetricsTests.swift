import Analysis
import RunRecords
import Testing

@testable import Reports

@Suite struct OpenMetricsTests {
    @Test func `a small record, exactly`() throws {
        var record = RunRecord()
        record.profile = .object(["name": .string("small")])
        record.tool.version = "0.1.0"
        record.durationNs = 1_500_000_000
        record.verdict = VerdictRecord(status: .passed, exitCode: 0)
        record.ledger.generated = 7
        record.ledger.accepted = 7
        #expect(
            try OutputFormat.openmetrics.text(.run(record)) == """
                # TYPE pushbench_run info
                # HELP pushbench_run What ran, and where.
                pushbench_run_info{profile="small",version="0.1.0",build="",profile_hash="",cpu="",started_at=""} 1
                # TYPE pushbench_verdict stateset
                # HELP pushbench_verdict How the run ended.
                pushbench_verdict{profile="small",pushbench_verdict="running"} 0
                pushbench_verdict{profile="small",pushbench_verdict="passed"} 1
                pushbench_verdict{profile="small",pushbench_verdict="failed"} 0
                pushbench_verdict{profile="small",pushbench_verdict="inconclusive"} 0
                pushbench_verdict{profile="small",pushbench_verdict="generatorLimited"} 0
                pushbench_verdict{profile="small",pushbench_verdict="scheduleMissed"} 0
                pushbench_verdict{profile="small",pushbench_verdict="unreachable"} 0
                pushbench_verdict{profile="small",pushbench_verdict="interrupted"} 0
                pushbench_verdict{profile="small",pushbench_verdict="internalError"} 0
                # TYPE pushbench_duration_seconds gauge
                # UNIT pushbench_duration_seconds seconds
                # HELP pushbench_duration_seconds How long the run took.
                pushbench_duration_seconds{profile="small"} 1.5
                # TYPE pushbench_measured_seconds gauge
                # UNIT pushbench_measured_seconds seconds
                # HELP pushbench_measured_seconds The part of it that rates are about.
                pushbench_measured_seconds{profile="small"} 0
                # TYPE pushbench_notifications gauge
                # HELP pushbench_notifications Notifications by their fate; each has exactly one.
                pushbench_notifications{profile="small",fate="accepted"} 7
                pushbench_notifications{profile="small",fate="rejected"} 0
                pushbench_notifications{profile="small",fate="lost"} 0
                pushbench_notifications{profile="small",fate="unknown"} 0
                pushbench_notifications{profile="small",fate="unsent"} 0
                # TYPE pushbench_written_notifications counter
                # HELP pushbench_written_notifications Writes of notifications, the repeated ones among them.
                pushbench_written_notifications_total{profile="small"} 0
                # TYPE pushbench_resent_notifications counter
                # HELP pushbench_resent_notifications Writes beyond the first of a notification.
                pushbench_resent_notifications_total{profile="small"} 0
                # TYPE pushbench_written_bytes counter
                # UNIT pushbench_written_bytes bytes
                # HELP pushbench_written_bytes Plain bytes written.
                pushbench_written_bytes_total{profile="small"} 0
                # TYPE pushbench_reconnects counter
                # HELP pushbench_reconnects Connections that were replaced.
                pushbench_reconnects_total{profile="small"} 0
                # TYPE pushbench_cpu_seconds counter
                # UNIT pushbench_cpu_seconds seconds
                # HELP pushbench_cpu_seconds Processor time of sender and simulator.
                pushbench_cpu_seconds_total{profile="small",process="sender"} 0
                # TYPE pushbench_peak_memory_bytes gauge
                # UNIT pushbench_peak_memory_bytes bytes
                # HELP pushbench_peak_memory_bytes The most memory that a process held.
                pushbench_peak_memory_bytes{profile="small",process="sender"} 0
                # EOF

                """)
    }

    @Test func `a whole record is read back with its figures, in seconds`() throws {
        let read = try OpenMetricsReader(try OutputFormat.openmetrics.text(.run(namedRecord())))
        #expect(read.value("pushbench_accepted_per_second", [:]) == 79_992)
        #expect(read.value("pushbench_latency_seconds_count", ["series": "residence"]) == 2_000)
        #expect(read.value("pushbench_latency_max_seconds", ["series": "residence"]) == 0.002)
        #expect(read.value("pushbench_latency_seconds_sum", ["series": "residence"]) == 2.001)
        for (bound, count) in [
            ("0.0001", 100.0), ("0.001", 1_000), ("0.0025", 2_000), ("60.0", 2_000), ("+Inf", 2_000),
        ] {
            let found = try #require(
                read.value("pushbench_latency_seconds_bucket", ["series": "residence", "le": bound]))
            #expect(abs(found - count) <= 1, "\(bound): \(found), by cells of a thousandth")
        }
        #expect(
            read.value("pushbench_latency_percentile_seconds", ["series": "reconnect", "percentile": "99"]) == nil,
            "too few")
        #expect(
            read.value("pushbench_latency_percentile_seconds", ["series": "residence", "percentile": "99"])
                == sampleRecord().latency["residence"]?.quantiles.p99.map { Double($0) / 1e9 })
        #expect(read.value("pushbench_cpu_seconds_total", ["process": "simulator"]) == 1.4)
        #expect(read.value("pushbench_threshold_passed", ["threshold": "lost == 0"]) == 1)
        #expect(read.value("pushbench_threshold_passed", ["threshold": "errorReply.p99 < 20ms"]) == 0)
        #expect(read.value("pushbench_ledger_difference", [:]) == 0)
        #expect(read.value("pushbench_errors_total", ["name": "invalid token"]) == 10)
        #expect(read.samples.allSatisfy { $0.labels["profile"] == "sample" })
    }

    @Test func `what was not measured has no sample`() throws {
        let read = try OpenMetricsReader(try OutputFormat.openmetrics.text(.run(RunRecord())))
        for name in ["accepted_per_second", "bytes_per_second", "ledger_difference", "latency_seconds"] {
            #expect(read.value("pushbench_\(name)", [:]) == nil, "\(name)")
        }
    }

    @Test func `runs of a series are told apart, and hostile texts stay in their labels`() throws {
        let series = RunSeriesRecord([try hostileRecord(), try hostileRecord()])
        let read = try OpenMetricsReader(try OutputFormat.openmetrics.text(.runs(series)))
        #expect(Set(read.samples.compactMap { $0.labels["run"] }) == ["1", "2"])
        let escaped = hostileText.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
            .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
        let shown = String(
            String.UnicodeScalarView(
                escaped.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
        #expect(read.value("pushbench_errors_total", ["name": shown]) == 1)
    }

    @Test func `the older text has the same figures, with types that it knows and without an end`() throws {
        let record = try namedRecord()
        let newer = try OpenMetricsReader(try OutputFormat.openmetrics.text(.run(record)))
        let older = try OutputFormat.prometheus.text(.run(record))
        let lines = older.split(separator: "\n")
        #expect(!older.contains("# EOF") && !older.contains("# UNIT"))
        #expect(lines.count { !$0.hasPrefix("#") } == newer.samples.count)
        let types = Set(lines.filter { $0.hasPrefix("# TYPE") }.map { String($0.split(separator: " ")[3]) })
        #expect(types == ["gauge", "counter", "histogram"])
        #expect(lines.contains("# TYPE pushbench_errors_total counter"))
        #expect(lines.contains("# TYPE pushbench_run_info gauge"))
    }

    @Test func `a series whose histogram is broken has its number and its sum`() throws {
        var record = try namedRecord()
        record.latency["residence"]?.histogram = "HISTF"
        let read = try OpenMetricsReader(try OutputFormat.openmetrics.text(.run(record)))
        #expect(read.value("pushbench_latency_seconds_bucket", ["series": "residence", "le": "+Inf"]) == 2_000)
        #expect(read.value("pushbench_latency_seconds_bucket", ["series": "residence", "le": "1.0"]) == nil)
        #expect(read.value("pushbench_latency_seconds_sum", ["series": "residence"]) == 2.001)
    }

    @Test func `a comparison's figures have both sides and the ratio`() throws {
        let comparison = compare(
            scatteredRuns(10, around: 100_000, seed: 1), scatteredRuns(10, around: 80_000, seed: 2))
        let read = try OpenMetricsReader(try OutputFormat.openmetrics.text(.comparison(comparison)))
        let gate = ["metric": "accepted/s", "gating": "true"]
        #expect(read.value("pushbench_comparison_ratio", gate) == comparison.figure("accepted/s")?.ratio)
        #expect(
            read.value("pushbench_comparison_median", gate.merging(["side": "candidate"]) { $1 })
                == comparison.figure("accepted/s")?.candidate.median)
        #expect(read.value("pushbench_comparison_verdict", ["pushbench_comparison_verdict": "regressed"]) == 1)
    }

    @Test(arguments: [
        "", "# TYPE a gauge\na 1\n", "# TYPE a gauge\n\na 1\n# EOF\n", "# TYPE a gauge\na NaN\n# EOF\n",
        "# TYPE a gauge\na{b=\"c\"d\"} 1\n# EOF\n", "# TYPE a gauge\na{b=\"c\",b=\"d\"} 1\n# EOF\n",
        "# TYPE a gauge\na 1\na 2\n# EOF\n", "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
        "# TYPE a gauge\na 1\n# TYPE a gauge\n# EOF\n", "# TYPE a gauge\nb 1\n# EOF\n",
        "# TYPE a info\na_info 2\n# EOF\n", "# TYPE a counter\na 2\n# EOF\n", "# TYPE a counter\na_total -1\n# EOF\n",
        "# TYPE a histogram\na_bucket{le=\"1.0\"} 2\na_count 2\n# EOF\n",
        "# TYPE a histogram\na_bucket{le=\"1.0\"} 2\na_bucket{le=\"+Inf\"} 1\na_count 1\n# EOF\n",
        "# TYPE a gauge\na 1\n# EOF\n# EOF\n",
    ])
    func `the reader of these tests refuses what is no OpenMetrics`(_ text: String) {
        #expect(throws: OpenMetricsReader.Failure.self) { try OpenMetricsReader(text) }
    }
}
