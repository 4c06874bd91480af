import Foundation
import RunRecords
import Testing

extension InteropTests {
    /// A real Prometheus, and curl, at the page that a run serves.
    @Suite struct PrometheusTests {
        private struct Task: Encodable {
            var prometheus: String
            var command: [String]
            var folder: String
            var queries: [String: String]
            var ranges: [String: String]
        }

        private struct Answer: Decodable {
            struct Sample: Decodable {
                var labels: [String: String]
                var value: String
            }
            var health: [[String]]
            var values: [String: [Sample]]
            var ranges: [String: [Double]]
            var types: [String: String]
            var status: Int32
            var said: String

            /// The one number that a query gave.
            func number(_ name: String) -> Double? {
                values[name]?.count == 1 ? values[name].flatMap { Double($0[0].value) } : nil
            }
        }

        /// Six seconds at an even rate, with a dead token now and then.
        private static let profile = """
            { name: "scraped", target: { simulator: { loops: 1 } }, load: { loop: "open", rate: "2000/s" },
              workload: { devices: 1000, seed: 1, faults: { badToken: 0.002 } },
              sender: { connections: 2, loops: 1 }, phases: { measure: "6s" } }
            """

        @Test func `a real Prometheus scrapes a run, and answers with the figures of its record`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", Self.profile)
            let file = "\(folder.path)/run.json"
            let task = Task(
                prometheus: try Clients.prometheus("prometheus"),
                command: [
                    try Simulator.program(), "run", profile, "-q", "--calibration", "off", "-o", "json=\(file)",
                    "--metrics", "PORT", "--metrics-linger", "30s",
                ], folder: folder.path,
                queries: [
                    "accepted": "pushbench_notifications{fate=\"accepted\"}",
                    "rejected": "pushbench_notifications{fate=\"rejected\"}",
                    "written": "pushbench_written_notifications_total",
                    "replies": "pushbench_latency_seconds_count{series=\"errorReply\"}",
                    "replySum": "pushbench_latency_seconds_sum{series=\"errorReply\"}",
                    "errors": "sum(pushbench_errors_total)",
                    "median":
                        "histogram_quantile(0.5, pushbench_latency_seconds_bucket{series=\"residence\"})",
                    "passed": "pushbench_verdict{pushbench_verdict=\"passed\"}",
                    "version": "pushbench_run_info",
                ],
                ranges: [
                    "measuring": "pushbench_phase{pushbench_phase=\"measuring\"}",
                    "written": "pushbench_written_notifications_total",
                    "rate": "rate(pushbench_written_notifications_total[2s])",
                    "offered": "pushbench_offered_per_second", "open": "pushbench_open_connections",
                    "live": "pushbench_latency_seconds_count{series=\"residence\"}",
                ])
            let answer = try await Clients.run("prometheus_scrape.py", task, as: Answer.self)
            let record = try RunRecord.read(file)
            #expect(answer.status == 0, "\(answer.said)")
            #expect(answer.health == [["up", ""]], "Prometheus has nothing to complain about")
            #expect(answer.number("accepted") == Double(record.ledger.accepted) && record.ledger.accepted > 11_000)
            #expect(answer.number("rejected") == Double(record.ledger.rejected))
            #expect(answer.number("written") == Double(record.intervals.reduce(0) { $0 + $1.written }))
            let replies = try #require(record.latency["errorReply"])
            #expect(answer.number("replies") == Double(replies.count) && replies.count > 0)
            #expect(answer.number("replySum") == replies.sumNs.map { Double($0) / 1e9 })
            #expect(answer.number("errors") == Double(record.errors.reduce(0) { $0 + $1.count }))
            #expect((answer.number("median") ?? 0) > 0)
            #expect(answer.number("passed") == 1)
            #expect(answer.values["version"]?.first?.labels["profile"] == "scraped")
            #expect(answer.types["pushbench_latency_seconds"] == "histogram", "\(answer.types)")
            #expect(answer.types["pushbench_written_notifications"] == "counter")

            // What it has seen while the run went on.
            #expect(answer.ranges["measuring"]?.contains(1) == true)
            let written = try #require(answer.ranges["written"])
            #expect(written == written.sorted(), "a counter does not fall")
            #expect(Set(written).count > 3, "\(written)")
            #expect(answer.ranges["rate"]?.contains { $0 > 1_000 } == true, "\(answer.ranges["rate"] ?? [])")
            #expect(answer.ranges["offered"]?.contains { $0 > 1_500 && $0 < 2_500 } == true)
            #expect(answer.ranges["open"]?.contains(2) == true)
            #expect(Set(answer.ranges["live"] ?? []).count > 2)
        }

        @Test func `curl gets the older text, and the newer one when it asks for it`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", Self.profile)
            let program = try Simulator.program()
            let (output, status) = try await Shell.run(
                """
                cd '\(folder.path)' && '\(program)' run '\(profile)' -q --calibration off --metrics 0 \
                  2>errors >output & run=$!
                for _ in $(seq 200); do
                  page=$(sed -n 's|.*metrics at \\(http://[^ ]*\\)|\\1|p' '\(folder.path)/errors' 2>/dev/null)
                  [ -n "$page" ] && break; sleep 0.05
                done
                get() { curl -sS --max-time 5 "$@"; }
                get -i "$page"; echo ==
                get -i -H 'Accept: application/openmetrics-text; version=1.0.0' "$page"; echo ==
                get -I "$page"; echo ==
                get -o /dev/null -w '%{http_code} ' "${page%metrics}other" -X GET; get -o /dev/null -w '%{http_code} ' -d x "$page"
                get "$page" | '\(try Clients.prometheus("promtool"))' check metrics && echo checked
                kill -INT $run; wait $run; echo ended $?
                """)
            #expect(status == 0)
            let parts = String(decoding: output, as: UTF8.self).components(separatedBy: "==\n")
            try #require(parts.count == 4, "\(parts)")
            #expect(parts[0].hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"), "\(parts[0])")
            #expect(
                parts[0].contains("pushbench_phase{profile=\"scraped\",pushbench_phase=") && !parts[0].contains("# EOF")
            )
            #expect(parts[1].contains("Content-Type: application/openmetrics-text") && parts[1].hasSuffix("# EOF\n"))
            #expect(parts[2].hasPrefix("HTTP/1.1 200 OK\r\n") && !parts[2].contains("# TYPE"))
            #expect(parts[3].hasPrefix("404 405 checked\nended 130"), "\(parts[3])")
        }

        @Test(arguments: [
            (["--metrics", "0.0.0.0:0"], "--expose-metrics"), (["--metrics", "x"], "[HOST:]PORT"),
            (["--metrics", "70000"], "[HOST:]PORT"), (["--metrics-linger", "5s"], "--metrics only"),
            (["--metrics", "0", "--metrics-linger", "soon"], "soon"),
        ])
        func `an address that others reach is refused, and so is what is none`(_ words: [String], _ says: String)
            async throws
        {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", Product.shortProfile)
            let (_, status) = try await Product.run(["run", profile] + words, in: folder)
            let errors = try String(contentsOfFile: "\(folder.path)/errors", encoding: .utf8)
            #expect(status == 2 && errors.contains(says) && errors.split(separator: "\n").count == 1, "\(errors)")
        }
    }
}
