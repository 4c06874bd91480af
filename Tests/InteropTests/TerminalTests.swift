import Foundation
import Glibc
import RunRecords
import Testing

extension InteropTests {
    /// Live progress on a terminal of an emulator that we did not write.
    @Suite struct TerminalTests {
        private struct Task: Encodable {
            var command: [String]
            var environment = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]
            var columns = 100
            var rows = 24
            var output: String
            var signals: [[Double]] = []
            var reads = true
        }

        private struct Answer: Decodable {
            struct Screen: Decodable {
                var at: Double
                var lines: [String]
            }
            var status: Int32
            var seconds: Double
            var screens: [Screen]
            var drawn: Int
            var last: [String]
            var cursorHidden: Bool
            var cursorColumn: Int
            var escapes: Int
            var colors: Int
            var text: String
        }

        /// Some seconds at an even rate, with a dead token now and then.
        private static func profile(_ seconds: Int) -> String {
            """
            { name: "shown", target: { simulator: { loops: 1 } }, load: { loop: "open", rate: "2000/s" },
              workload: { devices: 1000, seed: 1, faults: { badToken: 0.002 } },
              sender: { connections: 2, loops: 1 }, phases: { measure: "\(seconds)s" } }
            """
        }

        private static func run(
            seconds: Int = 3, _ arguments: [String] = [], in folder: ScratchFolder,
            _ change: (inout Task) -> Void = { _ in }
        ) async throws -> (answer: Answer, output: String, record: RunRecord) {
            let profile = try folder.file("run.json5", profile(seconds))
            let record = "\(folder.path)/run.json"
            var task = Task(
                command: [try Simulator.program(), "run", profile, "--calibration", "off", "-o", "json=\(record)"]
                    + arguments, output: "\(folder.path)/output")
            change(&task)
            let answer = try await Clients.run("terminal_screen.py", task, as: Answer.self)
            let output = try String(contentsOfFile: task.output, encoding: .utf8)
            return (answer, output, try RunRecord.read(record))
        }

        @Test func `the screen shows the run, and leaves nothing behind`() async throws {
            let folder = try ScratchFolder()
            let (answer, output, record) = try await Self.run(in: folder)
            #expect(answer.status == 0 && record.verdict.status == .passed)
            // On a busy machine the run still drains in the last screen that there is.
            let full = try #require(
                answer.screens.last { screen in
                    ["measuring", "processor"].allSatisfy { word in screen.lines.contains { $0.hasPrefix(word) } }
                })
            let text = full.lines.joined(separator: "\n")
            for part in [
                "measuring", " left · shown", "rate         offered 2 k/s · achieved ", "accepted ", "in flight ",
                "connections 2 of 2", "reconnects ", "residence p50 ", " p99 ", "sender ", "simulator ",
                "invalid token (8)",
            ] { #expect(text.contains(part), "\(part): \(text)") }
            #expect(answer.last.allSatisfy { $0.isEmpty } && answer.cursorColumn == 0, "\(answer.last)")
            #expect(!answer.cursorHidden)
            #expect(answer.colors > 0)
            #expect(Double(answer.drawn) <= answer.seconds * 10 + 2, "ten times a second at most: \(answer.drawn)")
            #expect(answer.drawn >= 5)
            #expect(output.hasPrefix("PASSED: shown"), "\(output)")
        }

        @Test(arguments: zip([SIGINT, SIGTERM], [Int32(130), 143]))
        func `a signal takes the screen away, and the record is written`(_ signal: Int32, _ status: Int32) async throws
        {
            let folder = try ScratchFolder()
            let (answer, output, record) = try await Self.run(seconds: 30, in: folder) {
                $0.signals = [[2, Double(signal)]]
            }
            #expect(answer.status == status && record.verdict.status == .interrupted && record.ledger.isBalanced)
            #expect(answer.screens.count > 3)
            #expect(answer.last.allSatisfy { $0.isEmpty } && answer.cursorColumn == 0, "\(answer.last)")
            #expect(!answer.cursorHidden)
            #expect(output.hasPrefix("INTERRUPTED: shown"))
        }

        @Test func `a narrow and low terminal gets what fits, and no line wraps`() async throws {
            let folder = try ScratchFolder()
            let (answer, _, _) = try await Self.run(in: folder) {
                $0.columns = 24
                $0.rows = 6
            }
            #expect(answer.status == 0)
            for screen in answer.screens {
                #expect(screen.lines.filter { $0.hasPrefix("measuring") || $0.hasPrefix("connecting") }.count <= 1)
                #expect(screen.lines.filter { !$0.isEmpty }.count <= 5, "\(screen.lines)")
            }
            #expect(
                answer.screens.contains { $0.lines[0].hasPrefix("measuring 2 s, 1 s left") },
                "\(answer.screens.map(\.lines))")
            #expect(answer.last.allSatisfy { $0.isEmpty })
        }

        @Test(arguments: [["CI": "true"], ["TERM": "dumb"]])
        func `in a job and on a dumb terminal there are plain lines`(_ variables: [String: String]) async throws {
            let folder = try ScratchFolder()
            let (answer, _, _) = try await Self.run(in: folder) { $0.environment.merge(variables) { $1 } }
            #expect(answer.status == 0 && answer.escapes == 0, "\(answer.text)")
            #expect(answer.text.contains("measuring 1 s, ") && answer.text.contains(" · reconnects "), "\(answer.text)")
        }

        @Test func `without colours the screen has none, and asked for it comes in a job, too`() async throws {
            let folder = try ScratchFolder()
            let (answer, _, _) = try await Self.run(["--progress", "tui"], in: folder) {
                $0.environment["NO_COLOR"] = "1"
                $0.environment["CI"] = "1"
            }
            #expect(answer.status == 0, "\(answer.text)")
            #expect(answer.colors == 0 && answer.drawn > 5, "\(answer.drawn) times: \(answer.text)")
        }

        @Test(arguments: [[], ["--progress", "json"]])
        func `a terminal that stands still does not hold up the run`(_ arguments: [String]) async throws {
            let folder = try ScratchFolder()
            let (answer, output, record) = try await Self.run(seconds: 4, arguments, in: folder) {
                $0.reads = false
                $0.columns = 1_000
                $0.rows = 500
            }
            // One that waited would do so for good: this terminal is read when the run has ended. A busy machine needs time for its start.
            #expect(answer.status == 0 && answer.seconds < 35, "\(answer.seconds) s")
            #expect(record.intervals.count >= 3)
            #expect(record.intervals.allSatisfy { $0.lengthNs < 3_000_000_000 }, "no interval waited for the terminal")
            #expect(output.hasPrefix("PASSED"))
        }

        @Test(arguments: ["2>&-", "2>/dev/full", "2> >(exec true)"])
        func `a standard error that takes nothing is no reason to stop`(_ redirection: String) async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", Self.profile(2))
            for style in ["plain", "json"] {
                let record = "\(folder.path)/\(style).json"
                let (_, status) = try await Shell.run(
                    """
                    exec bash -c "exec timeout 30 '\(try Simulator.program())' run '\(profile)' --calibration off \
                    --progress \(style) -o json='\(record)' >/dev/null \(redirection)"
                    """)
                #expect(status == 0, "\(style)")
                let written = try RunRecord.read(record)
                #expect(written.verdict.status == .passed && written.ledger.isBalanced)
            }
        }

        @Test func `each interval is a line of JSON with the documented fields`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", Self.profile(4))
            let (_, status) = try await Product.run(
                ["run", profile, "--calibration", "off", "--progress", "json"], in: folder)
            #expect(status == 0)
            let lines = try String(contentsOfFile: "\(folder.path)/errors", encoding: .utf8).split(separator: "\n")
            #expect(lines.count >= 3)
            let fields: Set = [
                "schema", "phase", "elapsedNs", "timeLeftNs", "planned", "written", "resent", "bytes", "accepted",
                "rejected",
                "reconnects", "inFlight", "openConnections", "connections", "connectionFailures", "offeredPerSecond",
                "errors", "latencies", "interval",
            ]
            var before = 0
            for line in lines {
                let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(Set(object.keys) == fields)
                #expect(object["schema"] as? String == "pushbench.progress/1")
                let written = try #require(object["written"] as? Int)
                #expect(written >= before)
                before = written
            }
            let readme = try String(
                contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../README.md"),
                encoding: .utf8)
            for field in fields { #expect(readme.contains("`\(field)`"), "README tells of \(field)") }
        }
    }
}
