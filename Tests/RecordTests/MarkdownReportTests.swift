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
        #expect(text.contains("other figures</summary>\n\n| figure |") && text.contains("|\n\n</details>\n"))
        Self.expectShape(text)
    }

    @Test func `several runs have medians and extremes`() throws {
        let series = RunSeriesRecord([90_000, 100_000, 110_000].map { sampleRun(acceptedPerSecond: $0) })
        let text = try OutputFormat.markdown.text(.runs(series))
        #expect(text.hasPrefix("### PASSED: unnamed, 3 of 3 runs passed\n"), "\(text)")
        #expect(text.contains("\n| accepted/s | 100 k/s | 90 k/s | 110 k/s | 3 |\n"), "\(text)")
        Self.expectShape(text)
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
