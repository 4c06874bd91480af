import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// The pages and Markdown of sweeps and of searches for a capacity, by readers that we did not write.
    @Suite struct PlanPageTests {
        /// The records of a real sweep and of a real search, made once.
        private static let sample = Task { try await makeSample() }

        private static func makeSample() async throws -> (sweep: String, capacity: String, folder: ScratchFolder) {
            let folder = try ScratchFolder()
            let swept = try folder.file(
                "sweep.json5",
                """
                { target: { simulator: { loops: 1 } },
                  workload: { notifications: 3_000, devices: 500, seed: 1, faults: { badToken: 0.005 } },
                  sender: { connections: 2, loops: 1 }, thresholds: ["lost == 0"] }
                """)
            let searched = try folder.file(
                "capacity.json5",
                """
                { target: { simulator: { loops: 1, faults: [{ fault: "throttle", rate: "2000/s", scope: "total" }] } },
                  workload: { devices: 100, seed: 1 }, sender: { connections: 2, loops: 1 } }
                """)
            let (sweep, capacity) = ("\(folder.path)/sweep.json", "\(folder.path)/capacity.json")
            let first = try await Product.run(
                [
                    "sweep", swept, "--vary", "sender.batch.notifications=1,50", "--vary", "sender.connections=1,2,3",
                    "--repeat", "2", "-q", "-o", "json=\(sweep)", "-o", "html=\(sweep).html", "-o",
                    "markdown=\(sweep).md",
                ], in: folder)
            try #require([0, 3].contains(first.status), "the sweep ended with \(first.status)")
            let second = try await Product.run(
                [
                    "capacity", searched, "--start", "1000/s", "--tolerance", "30%", "--probe", "1s", "--settle",
                    "500ms", "--confirm", "1s", "--slo", "response.p99 < 1s", "--slo", "lost == 0", "-q", "-o",
                    "json=\(capacity)", "-o", "html=\(capacity).html", "-o", "junit=\(capacity).xml",
                ], in: folder)
            try #require([0, 3, 4, 7].contains(second.status), "the search ended with \(second.status)")
            return (sweep, capacity, folder)
        }

        /// A record as plain JSON, without the types that the program has for it.
        private static func json(_ path: String) throws -> JSONValue {
            try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: URL(filePath: path)))
        }

        /// What stands at a path of keys and places of a record.
        private static func value(_ record: JSONValue, _ path: [String]) -> JSONValue? {
            path.reduce(record) { value, name in
                switch value {
                case .object(let members): members[name]
                case .array(let elements): Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                default: nil
                }
            }
        }

        private static func number(_ record: JSONValue, _ path: [String]) -> Double? {
            switch value(record, path) {
            case .integer(let number): Double(number)
            case .number(let number): number
            default: nil
            }
        }

        private static func elements(_ record: JSONValue, _ path: [String]) -> [JSONValue] {
            if case .array(let elements) = value(record, path) { elements } else { [] }
        }

        private static func sweepValue(_ record: JSONValue, _ name: String) -> Double? {
            let parts = name.split(separator: ".").map(String.init)
            switch parts[0] {
            case "runs" where parts.count == 1: return Double(elements(record, ["runs"]).count)
            case "runs": return number(record, parts)
            case "recommended", "best":
                let cell = number(record, ["findings", parts[0]]).map { "\(Int($0))" } ?? ""
                return number(record, ["findings", "cells", cell, parts[1]])
            default: return number(record, ["findings"] + parts)
            }
        }

        private static func capacityValue(_ record: JSONValue, _ name: String) -> Double? {
            let parts = name.split(separator: ".", maxSplits: 2).map(String.init)
            guard parts[0] == "probes" else { return number(record, parts) }
            guard parts.count > 1 else { return Double(elements(record, ["probes"]).count) }
            let run = ["probes", parts[1], "run"]
            let quantiles = run + ["latency", "response", "quantiles"]
            switch parts[2] {
            case "p50", "p99", "p99.9": return number(record, quantiles + [parts[2]])
            case "response.p99": return number(record, quantiles + ["p99"])
            case "lost": return number(record, run + ["ledger", "lost"])
            case "senderBusy", "simulatorBusy": return number(record, run + ["limit", parts[2]])
            case "errors":
                return elements(record, run + ["errors"]).reduce(0) { $0 + (number($1, ["count"]) ?? 0) }
            case "inFlight":
                let all = elements(record, run + ["intervals"]).compactMap { number($0, ["inFlight"]) }
                return all.reduce(0, +) / Double(all.count)
            default: return number(record, ["probes", parts[1], parts[2]])
            }
        }

        @Test func `every figure of a sweep's page is the record's own`() async throws {
            let sample = try await Self.sample.value
            let record = try Self.json(sample.sweep)
            let page = try await ReportPage.read(sample.sweep + ".html")
            page.expectSound()
            for figure in page.figures {
                let value = try #require(Self.sweepValue(record, figure.name), "no figure is \(figure.name)")
                #expect(Double(figure.value) == value, "\(figure.name)")
            }
            let names = Set(page.figures.map(\.name))
            for cell in 0..<6 { #expect(names.contains("cells.\(cell).acceptedPerSecond"), "\(cell)") }
            for heading in [
                "Recommendation", "Map", "What each axis does", "The price of a bad token", "Combinations", "Runs",
                "Machine",
            ] {
                #expect(page.headings.contains(heading))
            }
            #expect(page.pictures >= 6)
            let map = try #require(page.tables.first { $0.caption.hasPrefix("Accepted notifications a second") })
            #expect(map.rows[1] == ["sender.batch.notifications", "1", "2", "3"])
            #expect(map.rows.dropFirst(2).map { $0[0] } == ["1", "50"])
            #expect(map.rows.dropFirst(2).flatMap { $0.dropFirst() }.allSatisfy { $0.contains("/s") })
            #expect(map.rows.flatMap { $0 }.count { $0.contains("★ recommended") } == 1)
        }

        @Test func `every figure of a capacity's page is the record's own`() async throws {
            let sample = try await Self.sample.value
            let record = try Self.json(sample.capacity)
            let page = try await ReportPage.read(sample.capacity + ".html")
            page.expectSound()
            for figure in page.figures {
                let value = try #require(Self.capacityValue(record, figure.name), "no figure is \(figure.name)")
                #expect(Double(figure.value) == value, "\(figure.name)")
            }
            let tries = Self.elements(record, ["probes"]).count
            let table = try #require(page.tables.first { $0.caption == "Every try in its order" })
            #expect(table.rows.count == tries + 1 && tries > 0)
            for heading in ["Result", "Tries", "Limits", "Machine", "Configuration"] {
                #expect(page.headings.contains(heading), "\(heading)")
            }
        }

        @Test func `a record that is read later gives the same pages, and without gnuplot the tables`() async throws {
            let sample = try await Self.sample.value
            for record in [sample.sweep, sample.capacity] {
                let again = try await ReportPage.report(record, into: record + ".again.html")
                let first = try await ReportPage.read(record + ".html")
                #expect(again.text == first.text && again.pictures == first.pictures && again.pictures > 0)
                let plain = try await ReportPage.report(record, into: record + ".again.html", prelude: "PATH=;")
                plain.expectSound()
                #expect(plain.pictures == 0 && plain.text.contains("apt-get install gnuplot-nox"))
                #expect(Set(plain.figures.map(\.name)) == Set(first.figures.map(\.name)))
            }
        }

        @Test func `a try of a search has a page of its own`() async throws {
            let sample = try await Self.sample.value
            let (output, status) = try await Product.run(
                ["report", sample.capacity, "--run", "1", "-o", "html=\(sample.capacity).try.html"],
                in: sample.folder)
            #expect(status == 0, "\(output)")
            let page = try await ReportPage.read(sample.capacity + ".try.html")
            page.expectSound()
            #expect(page.headings.contains("Ledger") && page.headings.contains("Over time"))
        }

        @Test func `what a hostile record says is text`() async throws {
            let sample = try await Self.sample.value
            let hostile = "</td></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`$(touch x)\u{202E}\n"
            for (record, keys) in [
                (sample.sweep, ["profileName", "reason"]), (sample.capacity, ["profileName", "evidence"]),
            ] {
                let text = try String(contentsOfFile: record, encoding: .utf8)
                let quoted = String(
                    decoding: try JSONSerialization.data(withJSONObject: hostile, options: .fragmentsAllowed),
                    as: UTF8.self)
                let edited = try keys.reduce(text) { text, key in
                    text.replacing(try Regex("\"\(key)\" : \"[^\"]*\""), with: "\"\(key)\" : \(quoted)")
                }
                let path = try sample.folder.file("hostile.json", edited)
                let page = try await ReportPage.report(path, into: path + ".again.html")
                page.expectSound()
                #expect(page.pictures > 0)
                #expect(
                    page.text.contains("<script>alert(1)</script><img src=x onerror=alert(1)>\"'`$(touch x)\u{FFFD}"))
                #expect(!page.text.contains("\u{202E}"))
            }
        }

        @Test(
            .enabled(
                if: Browser.path != nil || Browser.isRequired,
                "there is no Chromium; scripts/interop-setup installs it as root"))
        func `a browser shows the pages without a word on its console and without a request`() async throws {
            let sample = try await Self.sample.value
            let browser = try #require(Browser.path, "continuous integration wants a browser")
            for record in [sample.sweep, sample.capacity] {
                let shown = try await Clients.run(
                    "browser.py", View(page: record + ".html", browser: browser), as: Shown.self)
                #expect(shown.status == 0 && shown.dom.contains("</html>"))
                #expect(shown.console == [] && shown.requests == [])
            }
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

        @Test func `Markdown and JUnit of plans are read by others, with the record's own figures`() async throws {
            let sample = try await Self.sample.value
            let capacity = try await Product.report(["report", sample.capacity], as: "markdown", in: sample.folder)
            let texts = [
                ["markdown": try String(contentsOfFile: sample.sweep + ".md", encoding: .utf8)],
                [
                    "markdown": capacity,
                    "junit": try String(contentsOfFile: sample.capacity + ".xml", encoding: .utf8),
                ],
            ]
            let swept = try await Clients.run("report_reader.py", texts[0], as: Answer.self)
            let searched = try await Clients.run("report_reader.py", texts[1], as: Answer.self)
            for page in [swept.markdown, searched.markdown] {
                #expect(page.headings.count == 1)
                #expect(page.tables.allSatisfy { table in table.allSatisfy { $0.count == table[0].count } })
                #expect(page.elements["details"] == page.elements["summary"])
            }
            let map = try #require(swept.markdown.tables.first)
            #expect(map[0].dropFirst() == ["1", "2", "3"] && map.dropFirst().map { $0[0] } == ["1", "50"])
            let record = try Self.json(sample.capacity)
            let tries = try #require(searched.markdown.tables.first { $0[0].first == "try" })
            #expect(tries.count == Self.elements(record, ["probes"]).count + 1)
            let cases = try #require(searched.junit).flatMap(\.cases)
            #expect(cases.map(\.name) == ["capacity", "response.p99 < 1s", "lost == 0"])
        }

        private struct Answer: Decodable {
            struct Page: Decodable {
                var headings: [String]
                var tables: [[[String]]]
                var elements: [String: Int]
            }
            struct TestSuite: Decodable {
                struct Case: Decodable { var name: String }
                var cases: [Case]
            }
            var markdown: Page
            var junit: [TestSuite]?
        }
    }
}
