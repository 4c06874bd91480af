import Foundation
import Histograms
import Primitives
import RunRecords
import Testing

extension InteropTests {
    /// Our reports through readers that others wrote: prometheus_client, promtool, markdown-it, junitparser.
    @Suite struct ReportReaderTests {
        private struct Answer: Decodable {
            struct Family: Decodable {
                struct Sample: Decodable {
                    var name: String
                    var labels: [String: String]
                    var value: Double
                }
                var family: String
                var type: String
                var unit: String
                var samples: [Sample]
            }
            struct Page: Decodable {
                var headings: [String]
                var tables: [[[String]]]
                var items: [String]
                var elements: [String: Int]
            }
            struct TestSuite: Decodable {
                struct Case: Decodable {
                    struct Result: Decodable {
                        var kind: String
                        var message: String
                    }
                    var name: String
                    var classname: String
                    var results: [Result]
                }
                var name: String
                var tests: Int
                var failures: Int
                var cases: [Case]
            }
            struct Benchmarks: Decodable {
                struct Result: Decodable {
                    var name: String
                    var iterations: Int
                    var values: [String: Double]
                }
                var configuration: [String: String]
                var results: [Result]
            }
            var openmetrics: [Family]
            var prometheus: [Family]
            var markdown: Page
            var junit: [TestSuite]
            var gobench: Benchmarks

            /// The value of a sample, in the newer text.
            func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
                openmetrics.flatMap(\.samples).first { sample in
                    sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
                }?.value
            }
        }

        private static let forms = ["openmetrics", "prometheus", "markdown", "junit", "gobench"]

        private static func read(_ texts: [String: String]) async throws -> Answer {
            try await Clients.run("report_reader.py", texts, as: Answer.self)
        }

        private static func texts(_ arguments: [String], _ folder: ScratchFolder) async throws -> [String: String] {
            var texts: [String: String] = [:]
            for form in forms { texts[form] = try await Product.report(arguments, as: form, in: folder) }
            return texts
        }

        /// What promtool finds wrong with a text in Prometheus' older format; nothing if all is well.
        private static func promtoolFindings(_ text: String, _ folder: ScratchFolder) async throws -> String {
            let file = try folder.file("metrics.prom", text)
            let (output, status) = try await Shell.run(
                "'\(try Clients.prometheus("promtool"))' check metrics <'\(file)' 2>&1")
            return status == 0
                ? String(decoding: output, as: UTF8.self) : "\(status): \(String(decoding: output, as: UTF8.self))"
        }

        /// A form's families have the same numbers in both texts, by the names of their samples.
        private static func expectSameMetrics(_ answer: Answer) {
            func numbers(_ families: [Answer.Family]) -> [String: Double] {
                var numbers: [String: Double] = [:]
                for sample in families.flatMap(\.samples) {
                    numbers["\(sample.name) \(sample.labels.sorted { $0.key < $1.key })"] = sample.value
                }
                return numbers
            }
            #expect(numbers(answer.openmetrics) == numbers(answer.prometheus))
        }

        @Test func `every form of a run's record is read by others, with the record's own figures`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", Product.shortProfile)
            let file = "\(folder.path)/run.json"
            let ran = try await Product.run(
                ["run", profile, "-q", "--calibration", "off", "-o", "json=\(file)"], in: folder)
            #expect(ran.status == 3, "one of its thresholds fails")
            let record = try RunRecord.read(file)
            let texts = try await Self.texts(["report", file], folder)
            let answer = try await Self.read(texts)
            #expect(try await Self.promtoolFindings(texts["prometheus"] ?? "", folder) == "")
            Self.expectSameMetrics(answer)

            let accepted = Double(record.ledger.accepted)
            #expect(answer.value("pushbench_notifications", ["fate": "accepted"]) == accepted)
            #expect(answer.value("pushbench_reconnects_total") == Double(record.reconnects.count))
            let (name, series) = try #require(record.latency.first { $0.key == "errorReply" })
            let histogram = try Histogram(base64: series.histogram)
            #expect(answer.value("pushbench_latency_seconds_count", ["series": name]) == Double(series.count))
            #expect(
                answer.value("pushbench_latency_seconds_sum", ["series": name])
                    == series.sumNs.map { Double($0) / 1e9 })
            #expect(
                answer.value("pushbench_latency_seconds_bucket", ["series": name, "le": "0.001"])
                    == Double(histogram.count(in: 0...1_000_000)))
            let types = Dictionary(answer.openmetrics.map { ($0.family, $0.type) }) { first, _ in first }
            #expect(types["pushbench_latency_seconds"] == "histogram")
            #expect(types["pushbench_errors"] == "counter")
            #expect(answer.openmetrics.first { $0.family == "pushbench_cpu_seconds" }?.unit == "seconds")

            #expect(answer.markdown.headings == ["FAILED: short"])
            let ledger = try #require(answer.markdown.tables.first { $0.first?.first == "generated" })
            #expect(ledger[1][0] == "600" && ledger[1][1] == "\(record.ledger.accepted)", "\(ledger)")
            #expect(answer.markdown.tables.allSatisfy { table in table.allSatisfy { $0.count == table[0].count } })
            let thresholds = try #require(answer.markdown.tables.first { $0[0].contains("threshold") })
            #expect(thresholds.dropFirst().map { $0[1] }.sorted() == record.thresholds.map(\.text).sorted())

            let cases = answer.junit.flatMap(\.cases)
            let failed = cases.filter { $0.results.contains { $0.kind == "Failure" } }.map(\.name)
            #expect(failed.contains { $0.contains("errorReply.p50 < 1ns") }, "\(cases.map(\.name))")
            for threshold in record.thresholds { #expect(cases.contains { $0.name.contains(threshold.text) }) }

            let result = try #require(answer.gobench.results.first)
            #expect(answer.gobench.results.count == 1)
            let rate = try #require(record.throughput.acceptedPerSecond)
            #expect(
                result.values.contains { $0.key.hasSuffix("/s") && abs($0.value - rate) <= rate * 1e-6 }, "\(result)")
        }

        @Test func `every form of several runs and of a comparison is read by others`() async throws {
            let folder = try ScratchFolder()
            let runs = (1...6).map { index in
                var run = Self.hostileRun("short")
                run.throughput = ThroughputRecord(
                    accepted: 10_000 + Int64(index), written: 10_000, bytes: 1_000_000, over: .seconds(1))
                return run
            }
            let file = "\(folder.path)/runs.json"
            try RecordFile(path: file).write(RunSeriesRecord(runs))
            for arguments in [["report", file], ["compare", file, file]] {
                let texts = try await Self.texts(arguments, folder)
                let answer = try await Self.read(texts)
                #expect(try await Self.promtoolFindings(texts["prometheus"] ?? "", folder) == "", "\(arguments)")
                Self.expectSameMetrics(answer)
                #expect(answer.gobench.results.count == (arguments[0] == "report" ? 6 : 12))
                let text = try #require(texts["markdown"])
                #expect(text.utf8.count < 65_536 && text.split(separator: "\n").count < 60, "\(text)")
                #expect(answer.markdown.elements["details"] == answer.markdown.elements["summary"])
                #expect(answer.markdown.tables.allSatisfy { table in table.allSatisfy { $0.count == table[0].count } })
            }
        }

        @Test func `hostile texts reach their readers as they are, and nothing else of the page changes`() async throws
        {
            let folder = try ScratchFolder()
            let name = "a|b\\c\"d'<script>e</script>&amp; `x` *y* _z_ [l](u) <details> # EOF"
            let file = "\(folder.path)/hostile.json"
            try RecordFile(path: file).write(Self.hostileRun(name))
            let texts = try await Self.texts(["report", file], folder)
            let answer = try await Self.read(texts)
            #expect(try await Self.promtoolFindings(texts["prometheus"] ?? "", folder) == "")
            #expect(answer.openmetrics.flatMap(\.samples).allSatisfy { $0.labels["profile"] == name })
            #expect(answer.markdown.headings == ["PASSED: \(name)"])
            #expect(answer.markdown.elements["script"] == nil && answer.markdown.elements["a"] == nil)
            #expect(answer.markdown.elements["details"] == answer.markdown.elements["summary"])
            #expect(answer.junit.contains { $0.name.contains(name) }, "\(answer.junit.map(\.name))")
        }

        /// A run with latencies and errors, and a name that may be anything.
        private static func hostileRun(_ name: String) -> RunRecord {
            var run = RunRecord()
            run.profile = .object(["name": .string(name)])
            run.verdict = VerdictRecord(status: .passed, exitCode: 0)
            run.throughput = ThroughputRecord(accepted: 10_000, written: 10_000, bytes: 1_000_000, over: .seconds(1))
            run.errors = (0..<40).map { ErrorCountRecord(status: nil, name: "\(name) \($0)", count: 40 - Int64($0)) }
            for series in ["residence", "errorReply", "service", "response", "reconnect", "connectTCP", "connectTLS"] {
                let histogram = Histogram()
                for value in Int64(1)...2_000 { histogram.record(value * 1_000) }
                run.latency[series] = LatencyRecord(histogram)
            }
            return run
        }
    }
}
