import RunRecords
import Testing

@testable import Analysis
@testable import Reports

@Suite struct MarkdownReportTests {
    @Test func `a record has its verdict first, then small tables`() throws {
        var record = try namedRecord()
        record.verdict = VerdictRecord(status: .failed, reasons: ["errorReply.p99 < 20ms failed: no data"], exitCode: 3)
        #expect(
            try OutputFormat.markdown.text(.run(record)) == """
                ### FAILED: sample

                - errorReply.p99 \\< 20ms failed: no data

                | figure | value |
                |---|---:|
                | accepted/s | 80 k/s |
                | bytes/s | 11.4 MiB/s |
                | measured | 1.25 s |
                | limit | simulator |
                | errors | 2 reset by peer, 10 invalid token |
                | reconnects | 10 |

                | generated | accepted | rejected | lost | unknown | unsent | resent | duplicates |
                |---:|---:|---:|---:|---:|---:|---:|---:|
                | 100,000 | 99,990 | 10 | 0 | 0 | 0 | 1,234 | 0 |

                | latency | count | p50 | p90 | p99 | max |
                |---|---:|---:|---:|---:|---:|
                | residence | 2,000 | 1 ms | 1.8 ms | 1.98 ms | 2 ms |
                | reconnect | 10 | 5 ms | - | - | 10 ms |

                |  | threshold | value |
                |---|---|---:|
                | ok | lost == 0 | 0 |
                | FAILED | errorReply.p99 \\< 20ms | no data |

                - pushbench 0.1.0, Example CPU, 2 cores, 2026-01-02T03:04:05Z

                """)
    }

    @Test func `a comparison shows what decides and what changed, and folds the rest`() throws {
        let comparison = compare(
            scatteredRuns(10, around: 100_000, seed: 1), scatteredRuns(10, around: 80_000, seed: 2))
        let text = try OutputFormat.markdown.text(.comparison(comparison))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "### REGRESSED")
        #expect(lines[1].hasPrefix("- accepted/s regressed: -20"), "\(lines[1])")
        #expect(lines[2] == "| figure | baseline | candidate | change | 95 % interval | p |  |")
        #expect(lines[3] == "|---|---:|---:|---:|---:|---:|---|")
        #expect(lines[4].hasPrefix("| accepted/s | ") && lines[4].hasSuffix(" | 0.000011 | regressed |"), "\(lines[4])")
        #expect(text.contains("other figures</summary>\n\n| figure |") && text.contains(/(\||more)\n\n<\/details>\n/))
        Self.expectShape(text)
    }

    @Test func `several runs have medians and extremes`() throws {
        let series = RunSeriesRecord([90_000, 100_000, 110_000].map { sampleRun(acceptedPerSecond: $0) })
        let text = try OutputFormat.markdown.text(.runs(series))
        #expect(text.hasPrefix("### PASSED: unnamed, 3 of 3 runs passed\n"), "\(text)")
        #expect(text.contains("\n| accepted/s | 100 k/s | 90 k/s | 110 k/s | 3 |\n"), "\(text)")
        let open = text.firstRange(of: "<details>").map { text[..<$0.lowerBound] } ?? text[...]
        #expect(!open.contains("sender.cpuPerNotification") && text.contains("| sender.cpuPerNotification |"))
        #expect(text.contains("<details><summary>each run</summary>\n\n| run | began |"))
        Self.expectShape(text)
    }

    @Test func `however much there is, it fits into a comment and its tables are whole`() throws {
        let long = String(repeating: "_@<|*", count: 200)
        var record = try namedRecord()
        record.profile = .object(["name": .string(long)])
        record.errors = (0..<100).map { ErrorCountRecord(status: nil, name: "\(long) \($0)", count: 1) }
        record.verdict = VerdictRecord(status: .failed, reasons: (0..<300).map { "\($0) \(long)" }, exitCode: 3)
        record.thresholds = (0..<400).map { ThresholdRecord(text: "\(long) \($0)", value: 1, passed: $0 % 2 == 0) }
        for index in 0..<40 { record.latency["\(long) \(index)"] = record.latency["residence"] }
        let series = RunSeriesRecord(Array(repeating: record, count: 5))
        let comparison = compare(series.runs, series.runs)
        for subject in [ReportSubject.run(record), .runs(series), .comparison(comparison)] {
            let text = try OutputFormat.markdown.text(subject)
            #expect(text.utf8.count < 65_536)
            #expect(text.split(separator: "\n").count < 120)
            Self.expectShape(text)
            #expect(text.contains("more") || text.contains("left out"))
            #expect(text.count(of: "<details>") == text.count(of: "</details>"))
        }
    }

    @Test func `what a usual run, series or comparison has to say takes fewer than sixty lines`() throws {
        var record = try namedRecord()
        for name in ["service", "errorReply", "connectTCP", "connectTLS", "timerLag", "firstAcceptance", "response"] {
            record.latency[name] = record.latency["residence"]
        }
        let series = RunSeriesRecord(Array(repeating: record, count: 10))
        for subject in [ReportSubject.run(record), .runs(series), .comparison(compare(series.runs, series.runs))] {
            let lines = try OutputFormat.markdown.text(subject).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count < 60, "\(lines.joined(separator: "\n"))")
        }
    }

    @Test func `what was not measured is a dash`() throws {
        let text = try OutputFormat.markdown.text(.run(RunRecord()))
        #expect(text.contains("| accepted/s | - |") && text.contains("| limit | - |"))
        #expect(!text.contains("| latency |"))
    }

    @Test func `hostile texts stay in their cells and call nobody`() throws {
        let text = try OutputFormat.markdown.text(.run(hostileRecord()))
        Self.expectShape(text)
        #expect(!text.contains("@all"), "\(text)")
        #expect(text.split(separator: "\n").allSatisfy { !$0.hasPrefix("# ") && !$0.contains("<e>") })
        #expect(MarkdownTable.escaped("a|b\n`c`") == "a\\|b \\`c\\`")
        #expect(MarkdownTable.escaped("a\u{202E}b") == "a\u{FFFD}b")
    }

    /// Every row of a table has as many cells as its heading.
    private static func expectShape(_ text: String) {
        var columns: Int?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                columns = nil
                continue
            }
            let borders = line.replacing("\\\\", with: "").replacing("\\|", with: "").count { $0 == "|" }
            #expect(columns == nil || columns == borders, "\(line)")
            columns = borders
        }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
