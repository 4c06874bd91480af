import Analysis
import Foundation
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// `sweep` and `capacity`, as a user starts them.
    @Suite struct PlanningRunTests {
        private func profile(_ folder: ScratchFolder, faults: String = "", more: String = "") throws -> String {
            try folder.file(
                "plan.json5",
                """
                {
                  target: { simulator: { loops: 1, faults: [\(faults)] } },
                  workload: { notifications: 2_000, devices: 100, seed: 1 }, sender: { connections: 2, loops: 1 }, \(more)
                }
                """)
        }

        @Test func `capacity finds a hard limit, and keeps every try`() async throws {
            let folder = try ScratchFolder()
            let record = "\(folder.path)/capacity.json"
            let limit = #"{ fault: "throttle", rate: "2000/s", scope: "total" }"#
            let result = try await Program.shell(
                "",
                [
                    "capacity", try profile(folder, faults: limit), "--start", "1000/s", "--tolerance", "25%",
                    "--probe",
                    "1s", "--settle", "500ms", "--confirm", "1s", "-o", "json=\(record)",
                ])
            let kept = try CapacityRecord.read(record)
            #expect(result.status == Int32(kept.verdict.exitCode ?? -1), "\(result.output)")
            #expect([0, 4].contains(result.status), "\(result.output)")
            let finding = try #require(kept.finding)
            #expect(finding.kind == .found)
            // A burst may be answered from what the gateway may read at once; a busy machine may be slower than asked.
            #expect((1_200...2_600).contains(try #require(finding.sustainablePerSecond)), "\(result.output)")
            #expect(kept.probes.last?.stage == .confirm)
            #expect(kept.probes.allSatisfy { $0.run.simulatorLedger != nil }, "a fresh simulator for each try")
            #expect(result.output.contains("sustainable: ") && result.output.contains("bisect "), "\(result.output)")
        }

        @Test func `capacity stops at the highest rate allowed`() async throws {
            let folder = try ScratchFolder()
            let result = try await Program.shell(
                "",
                [
                    "capacity", try profile(folder), "--start", "200/s", "--max-rate", "200/s", "--probe", "500ms",
                    "--settle", "100ms", "--slo", "lost == 0", "-q", "-o", "json=-",
                ])
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output.contains(#""kind" : "atLeast""#), "\(result.output)")
        }

        @Test(arguments: [
            (["--slo", "response.p99 < 20"], "--slo: "),
            (["--slo", "compare(lost) < 5%"], "only conditions on one run"),
            (["--tolerance", "0"], "--tolerance 0: a share"), (["--probe", "0s"], "--probe: "),
            (["--max-rate", "x"], "--max-rate: "),
            (["--set", "load.loop=open", "--set", "load.stages=[{rate:'1/s',for:'1s'}]"], "load.stages"),
        ])
        func `capacity refuses what it cannot do, before any run`(options: [String], said: String) async throws {
            let folder = try ScratchFolder()
            let result = try await Program.shell("", ["capacity", try profile(folder)] + options)
            #expect(result.status == 2 && result.output.contains(said), "\(result.output)")
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }

        @Test func `a sweep tries all settings, recommends one, and is interrupted and resumed without losing a run`()
            async throws
        {
            let folder = try ScratchFolder()
            let record = "\(folder.path)/sweep.json"
            let words = [
                "sweep", try profile(folder), "--vary", "sender.batch.notifications=1,10", "--vary",
                "sender.connections=1,2", "--repeat", "2", "--full", "-o", "json=\(record)",
            ]
            // Each run takes a while by work that is planted, so that the signal comes in the middle.
            let slow = ["--set", "sender.extraWork=200us"]
            let stopped = try await Program.shell("(sleep 2; kill -INT $$) >/dev/null 2>&1 &", words + slow)
            let first = try SweepRecord.read(record)
            #expect(stopped.status == 130, "\(stopped.output)")
            #expect(first.verdict.status == .interrupted && first.runs.count < 8, "\(stopped.output)")
            let rest = try await Program.shell("", words + slow + ["--resume", record])
            #expect(rest.status == 0, "\(rest.output)")
            let whole = try SweepRecord.read(record)
            #expect(Array(whole.runs.prefix(first.runs.count)) == first.runs)
            #expect(whole.runs.count == 8 && whole.findings?.cells.allSatisfy { $0.runs == 2 } == true)
            #expect(rest.output.contains("recommended: sender.batch.notifications="), "\(rest.output)")
            let other = try await Program.shell("", words + ["--resume", record])
            #expect(other.status == 2 && other.output.contains("is of another sweep"), "\(other.output)")
        }

        @Test func `a sweep ends with the time that it was given`() async throws {
            let folder = try ScratchFolder()
            let record = "\(folder.path)/sweep.json"
            let result = try await Program.shell(
                "",
                [
                    "sweep", try profile(folder), "--set", "sender.extraWork=200us", "--vary",
                    "sender.connections=1,2,3,4", "--budget", "1500ms", "-q", "-o", "json=\(record)",
                ])
            let kept = try SweepRecord.read(record)
            #expect(result.status == 0, "\(result.output)")
            #expect(kept.runs.count < 12 && kept.verdict.reasons == ["the time was over before all runs were made"])
        }

        @Test func `a target that is not there ends a sweep as what it is`() async throws {
            let folder = try ScratchFolder()
            let record = "\(folder.path)/sweep.json"
            let authority = try await Program.shell("", ["certificates", "\(folder.path)/keys"])
            try #require(authority.status == 0, "\(authority.output)")
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/keys")
            let ca = try #require(names.first { $0.contains("ca") || $0.contains("authority") }, "\(names)")
            let profile = try folder.file(
                "gone.json5",
                """
                { target: { host: "127.0.0.1", port: 1, tls: { caFile: "\(folder.path)/keys/\(ca)" } },
                  workload: { notifications: 10 } }
                """)
            let result = try await Program.shell(
                "",
                [
                    "sweep", profile, "--vary", "sender.connections=1,2", "-q", "-o", "json=\(record)",
                ])
            #expect(result.status == 8, "\(result.output)")
            #expect(result.output.hasPrefix("pushbench: unreachable: "), "\(result.output)")
            let kept = try SweepRecord.read(record)
            #expect(kept.runs.isEmpty && kept.verdict.status == .unreachable)
        }

        @Test(arguments: [["-o", "json=-"], []])
        func `what a full standard output did not take is an error`(options: [String]) async throws {
            let folder = try ScratchFolder()
            let rates = ["--start", "100/s", "--max-rate", "100/s", "--probe", "200ms", "--settle", "50ms"]
            let searched = try await Program.shell(
                "exec >/dev/full;", ["capacity", try profile(folder)] + rates + options)
            #expect(searched.status == 2)
            let axis = ["--vary", "sender.connections=1", "--repeat", "1"]
            let swept = try await Program.shell("exec >/dev/full;", ["sweep", try profile(folder)] + axis + options)
            #expect(swept.status == 2)
        }

        @Test func `plans are written in every form that they have, which report makes again from the record`()
            async throws
        {
            let folder = try ScratchFolder()
            let plans: [(name: String, words: [String], forms: [String])] = [
                (
                    "sweep", ["--vary", "sender.connections=1,2", "--repeat", "1"],
                    ["csv", "markdown", "html", "terminal"]
                ),
                (
                    "capacity",
                    [
                        "--start", "200/s", "--max-rate", "200/s", "--probe", "500ms", "--settle", "100ms", "--slo",
                        "lost == 0",
                    ],
                    ["csv", "markdown", "html", "junit", "terminal"]
                ),
            ]
            for plan in plans {
                let path = { (form: String) in "\(folder.path)/\(plan.name).\(form)" }
                let outputs = (["json"] + plan.forms).flatMap { ["-o", "\($0)=\(path($0))"] }
                let made = try await Program.shell(
                    "", [plan.name, try profile(folder), "-q"] + plan.words + outputs)
                #expect([0, 7].contains(made.status), "\(made.output)")
                for form in plan.forms {
                    let again = try await Program.shell(
                        "", ["report", path("json"), "-o", "\(form)=\(path(form)).again"])
                    #expect(again.status == 0, "\(again.output)")
                    let texts = try ["", ".again"].map { try String(contentsOfFile: path(form) + $0, encoding: .utf8) }
                    #expect(texts[0] == texts[1] && !texts[0].isEmpty, "\(plan.name) \(form)")
                }
                let other = try await Program.shell("", ["report", path("json"), "-o", "hgrm=-"])
                #expect(other.status == 2 && other.output.contains("hgrm is no form of a"), "\(other.output)")
                #expect(other.output.split(separator: "\n").count == 1, "\(other.output)")
                let one = try await Program.shell("", ["report", path("json"), "--run", "1", "-o", "hgrm=-"])
                #expect(one.status == (plan.name == "sweep" ? 2 : 0), "\(one.output)")
            }
        }

        @Test func `a sweep that was interrupted before its first run has a page and says so`() async throws {
            let folder = try ScratchFolder()
            let slow = ["--set", "sender.extraWork=1ms", "--vary", "sender.connections=1,2", "--repeat", "1"]
            let page = "\(folder.path)/sweep.html"
            let stopped = try await Program.shell(
                "(sleep 1; kill -INT $$) >/dev/null 2>&1 &",
                ["sweep", try profile(folder), "-o", "html=\(page)", "-o", "json=\(folder.path)/sweep.json"] + slow)
            #expect(stopped.status == 130, "\(stopped.output)")
            let kept = try SweepRecord.read("\(folder.path)/sweep.json")
            let text = try String(contentsOfFile: page, encoding: .utf8)
            #expect(kept.runs.isEmpty == text.contains("No run was made."))
            #expect(text.contains("INTERRUPTED") && text.hasSuffix("</html>\n"))
        }

        @Test(arguments: [
            (["sweep"], "junit=a", "junit is no form of a sweep; accepted here: terminal, json, csv, markdown, html"),
            (
                ["capacity"], "gobench=a",
                "gobench is no form of a search for a capacity; accepted here: terminal, json, "
            ),
            (["sweep"], "htm=a", "unknown format \"htm\", did you mean \"html\"?"),
            (["capacity"], "html=/proc/nope/a", "/proc/nope/a: cannot"),
        ])
        func `a form that a plan has not, and a place where nothing can be, are told before any run`(
            command: [String], output: String, said: String
        ) async throws {
            let folder = try ScratchFolder()
            let result = try await Program.shell("", command + [try profile(folder), "-o", output])
            #expect(result.status == 2 && result.output.contains(said), "\(result.output)")
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }

        @Test(arguments: [
            (["--vary", "sender.connections"], "is not KEY=VALUE"),
            (["--vary", "sender.connections=1,,2"], "is empty"),
            (["--vary", "sender.connections=1,1"], "stands there twice"),
            (["--vary", "sender.conections=1"], "sender.conections"),
            (["--vary", "sender.window=1", "--vary", "sender.batch.notifications=100"], "is less than a batch"),
            (["--repeat", "0"], "--repeat 0"), (["--resume", "/dev/null"], "is empty"),
        ])
        func `a sweep refuses settings that no run can have, before any run`(options: [String], said: String)
            async throws
        {
            let folder = try ScratchFolder()
            let result = try await Program.shell("", ["sweep", try profile(folder)] + options)
            #expect(result.status == 2 && result.output.contains(said), "\(result.output)")
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }
    }
}
