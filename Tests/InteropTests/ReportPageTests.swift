import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// The HTML report by readers that we did not write: Python's HTML parser, and a browser.
    @Suite struct ReportPageTests {
        /// A record of a real run of some seconds with bad tokens, made once.
        private static let sample = Task { try await runSample() }

        private static func runSample() async throws -> (record: RunRecord, path: String, folder: ScratchFolder) {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "run.json5",
                """
                { name: "page", target: { simulator: { loops: 1 } },
                  workload: { notifications: 6000, devices: 1000, faults: { badToken: 0.002 } },
                  load: { loop: "open", rate: "2k/s" }, sender: { connections: 3, loops: 1 },
                  thresholds: ["lost == 0", "errorReply.p99 < 1s"] }
                """)
            let path = "\(folder.path)/run.json"
            let made = try await pushbench(["run", profile, "-q", "--calibration", "off", "-o", "json=\(path)"])
            try #require([0, 3].contains(made.status), "the run ended with \(made.status)")
            return (try RunRecord.read(path), path, folder)
        }

        private static func pushbench(_ arguments: [String]) async throws -> (output: [UInt8], status: Int32) {
            let words = ([try Simulator.program()] + arguments).map { "'\($0)'" }.joined(separator: " ")
            return try await Shell.run("exec \(words) </dev/null")
        }

        private static func page(_ record: String, prelude: String = "") async throws -> (
            page: ReportPage, path: String
        ) {
            let path = record + ".html"
            return (try await ReportPage.report(record, into: path, prelude: prelude), path)
        }

        @Test func `every figure of a page is the record's own, and none is missing`() async throws {
            let sample = try await Self.sample.value
            let (page, _) = try await Self.page(sample.path)
            page.expectSound()
            let expected = RecordFigures(sample.record)
            for figure in page.figures {
                let value = try #require(expected.value(figure.name), "no figure of the record is \(figure.name)")
                #expect(figure.value == value, "\(figure.name)")
                if value.allSatisfy(\.isNumber), !figure.text.contains(" "), !figure.text.contains("/") {
                    #expect(figure.text.filter { $0 != "," } == value, "\(figure.name)")
                }
            }
            let names = Set(page.figures.map(\.name))
            let wanted = expected.names.filter { !names.contains($0) }
            #expect(wanted == [], "not on the page")
            #expect(page.headings.first == "page")
            for heading in [
                "Summary", "Thresholds", "Over time", "Latency", "Ledger", "Errors", "Connections", "Resources",
                "Machine", "Configuration",
            ] {
                #expect(page.headings.contains(heading))
            }
        }

        @Test func `the summary on the page is that of the terminal, word for word`() async throws {
            let sample = try await Self.sample.value
            let (page, _) = try await Self.page(sample.path)
            let terminal = try await Self.pushbench(["report", sample.path])
            let blocks = String(decoding: terminal.output, as: UTF8.self).components(separatedBy: "\n\n")
            try #require(blocks.count > 3)
            // Terminals without Unicode have other letters for some.
            let plain = { (text: String) in
                [("µ", "u"), ("×", "x"), ("\u{A0}", " ")].reduce(text) { $0.replacing($1.0, with: $1.1) }
            }
            let shown = plain(page.text)
            let lines = blocks[1].split(separator: "\n").map { line in
                let words = line.dropFirst(12)
                return words.hasSuffix(",") ? words.dropLast() : words
            }
            #expect(lines.count > 6)
            for line in lines { #expect(shown.contains(plain(String(line))), "\(line)") }
        }

        @Test func `charts have names and descriptions, and no identifier twice`() async throws {
            let (page, _) = try await Self.page(try await Self.sample.value.path)
            #expect(page.pictures >= 3)
            #expect(page.text.contains("Rate over time") && page.text.contains("Latency by percentile"))
        }

        @Test func `without gnuplot the tables stand, and a line says how to get the charts`() async throws {
            let sample = try await Self.sample.value
            let (page, _) = try await Self.page(sample.path, prelude: "PATH=;")
            page.expectSound()
            #expect(page.pictures == 0)
            #expect(page.text.contains("apt-get install gnuplot-nox"))
            let expected = RecordFigures(sample.record)
            let names = Set(page.figures.map(\.name))
            #expect(expected.names.allSatisfy(names.contains))
        }

        @Test func `what a hostile gateway or file says is text`() async throws {
            let sample = try await Self.sample.value
            let hostile = "</td></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`$(touch x)\u{202E}\n"
            var record = sample.record
            record.profile = .object(["name": .string(hostile), hostile: .string(hostile)])
            record.errors.append(ErrorCountRecord(status: nil, name: hostile, count: 3))
            record.verdict = VerdictRecord(status: .failed, reasons: [hostile], exitCode: 3)
            record.warnings = [hostile]
            record.brokenInvariants = [hostile]
            record.unmeasured?[hostile] = hostile
            record.latency["serviceRefused/" + hostile] = record.latency["residence"]
            record.machine.cpuModel = hostile
            record.tool.libraries[hostile] = hostile
            record.thresholds = [ThresholdRecord(text: hostile, value: 1, passed: false)]
            record.reconnects.failedAttempts[hostile] = 2
            let path = "\(sample.folder.path)/hostile.json"
            try Data(record.encoded()).write(to: URL(filePath: path))
            let (page, _) = try await Self.page(path)
            page.expectSound()
            #expect(page.pictures >= 3)
            #expect(page.text.contains("<script>alert(1)</script><img src=x onerror=alert(1)>\"'`$(touch x)\u{FFFD}"))
            #expect(!page.text.contains("\u{202E}"))
        }

        @Test func `runs of a profile and comparisons have pages as sound`() async throws {
            let sample = try await Self.sample.value
            let runs = (0..<5).map { index -> RunRecord in
                var run = sample.record
                run.startedAt = "2026-01-02T03:04:0\(index)Z"
                return run
            }
            let path = "\(sample.folder.path)/runs.json"
            try Data(RunSeriesRecord(runs).encoded()).write(to: URL(filePath: path))
            let (page, _) = try await Self.page(path)
            page.expectSound()
            #expect(page.pictures >= 3)
            let accepted = page.figures.filter { $0.name.hasSuffix(".accepted") }.map(\.value)
            #expect(accepted == Array(repeating: "\(sample.record.ledger.accepted)", count: 5))

            let compared = "\(sample.folder.path)/compare"
            let made = try await Self.pushbench([
                "compare", path, path, "-q", "--exit-zero", "-o", "html=\(compared).html", "-o",
                "json=\(compared).json",
            ])
            try #require(made.status == 0)
            let comparison = try await ReportPage.read("\(compared).html")
            comparison.expectSound()
            #expect(comparison.headings.contains("Changes") && comparison.headings.contains("Method"))
            let json = try JSONDecoder().decode(
                ComparedFigures.self, from: Data(contentsOf: URL(filePath: "\(compared).json")))
            for metric in json.metrics {
                let shown = comparison.figures.first { $0.name == "\(metric.name).base" }
                #expect(shown.flatMap { Double($0.value) } == metric.base.median, "\(metric.name)")
            }
            #expect(json.metrics.count > 10)
        }

        @Test(
            .enabled(
                if: Browser.path != nil || Browser.isRequired,
                "there is no Chromium; scripts/interop-setup installs it as root"))
        func `a browser shows a page without a word on its console and without a request`() async throws {
            let browser = try #require(Browser.path, "continuous integration wants a browser")
            let (page, path) = try await Self.page(try await Self.sample.value.path)
            let shown = try await Self.show(path, in: browser)
            #expect(shown.status == 0 && shown.dom.contains("</html>"))
            #expect(shown.console == [])
            #expect(shown.requests == [])
            #expect(shown.dom.contains("aria-labelledby") && page.pictures > 0)
        }

        @Test(
            .enabled(
                if: Browser.path != nil || Browser.isRequired,
                "there is no Chromium; scripts/interop-setup installs it as root"))
        func `a page that says something and asks for something is seen to do it`() async throws {
            let browser = try #require(Browser.path, "continuous integration wants a browser")
            let folder = try ScratchFolder()
            let path = try folder.file(
                "control.html",
                "<!DOCTYPE html><title>a</title><script>console.error('heard')</script><img src='http://gateway.invalid/asked.png'>"
            )
            let shown = try await Self.show(path, in: browser)
            #expect(shown.console.contains { $0.contains("heard") }, "\(shown.console)")
            #expect(shown.requests.contains { $0.contains("asked.png") }, "\(shown.requests)")
        }

        private struct Shown: Decodable {
            var status: Int
            var dom: String
            var console: [String]
            var requests: [String]
        }

        private struct View: Encodable {
            var page: String
            var browser: String
        }

        private static func show(_ path: String, in browser: String) async throws -> Shown {
            try await Clients.run("browser.py", View(page: path, browser: browser), as: Shown.self)
        }

        private struct ComparedFigures: Decodable {
            struct Metric: Decodable {
                struct Sample: Decodable { var median: Double? }
                var name: String
                var base: Sample
            }
            var metrics: [Metric]
        }
    }
}
