import Analysis
import Foundation
import Glibc
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    @Suite struct ReportCommandTests {
        private func record(_ folder: ScratchFolder, _ rate: Int64 = 1_000) throws -> String {
            var run = RunRecord()
            run.verdict = VerdictRecord(status: .passed, exitCode: 0)
            run.throughput = ThroughputRecord(accepted: rate, written: rate, bytes: rate, over: .seconds(1))
            return try folder.file("\(rate).json", run.encoded())
        }

        @Test(arguments: [
            ["report", "RECORD"], ["report", "RECORD", "-o", "junit=-"], ["compare", "RECORD", "RECORD"],
            ["compare", "RECORD", "RECORD", "--advisory", "-o", "json=-"], ["compare", "--self-test"], ["man"],
            ["completions", "bash"], ["--help"], ["--version"], ["compare", "--help"], ["doctor", "RECORD"],
        ])
        func `what a full standard output did not take is an error`(_ words: [String]) async throws {
            let folder = try ScratchFolder()
            let path = try record(folder)
            let arguments = words.map { $0 == "RECORD" ? path : $0 }
            let outcome = try await Program.shell(
                "exec >/dev/full;", arguments.filter { words[0] != "doctor" || $0 != path })
            #expect(outcome.status == 2)
        }

        @Test func `a full standard output is told in one line`() async throws {
            let folder = try ScratchFolder()
            let path = try record(folder)
            let program = try Program.path()
            let outcome = try await Program.shell("sh -c '\(program) report \(path) 2>&1 >/dev/full';", ["--version"])
            #expect(
                outcome.output.hasPrefix(
                    "pushbench: standard output: cannot write: No space left on device (errno 28)\npushbench 0."),
                "\(outcome.output)")
        }

        @Test func `a comparison that was kept is shown again in every form of more than one run`() async throws {
            let folder = try ScratchFolder()
            let (base, candidate) = (try record(folder), try record(folder, 900))
            let kept = "\(folder.path)/compared.json"
            let comparing = try await Program.shell("", ["compare", base, candidate, "-o", "json=\(kept)"])
            #expect(comparing.status == 4)
            let shown = try await Program.shell("", ["report", kept])
            #expect(shown.status == 0 && shown.output == comparing.output, "\(shown.output)")
            for (form, word) in [
                ("html", "<!DOCTYPE html>"), ("junit", "<testsuites"), ("markdown", "accepted/s"),
                ("json", "pushbench.compare/1"), ("openmetrics", "# EOF"),
            ] {
                let report = try await Program.shell("", ["report", kept, "-o", "\(form)=-"])
                #expect(report.status == 0 && report.output.contains(word), "\(form)")
            }
            let single = try await Program.shell("", ["report", kept, "-o", "csv=-"])
            #expect(single.status == 2 && single.output.contains("csv is no form of a comparison"))
            #expect(try await Program.shell("", ["report", kept, "--run", "1"]).status == 2)
        }

        @Test(arguments: [("same", "./same"), ("same", "same"), ("link", "same")])
        func `two outputs cannot go to one file`(_ left: String, _ right: String) async throws {
            let folder = try ScratchFolder()
            let path = try record(folder)
            if left == "link" {
                _ = try folder.file("same", "old")
                #expect(symlink("same", "\(folder.path)/link") == 0)
            }
            let report = try await Program.shell(
                "cd \(folder.path);", ["report", path, "-o", "json=\(left)", "-o", "markdown=\(right)"])
            #expect(report.status == 2 && report.output.contains("json and markdown cannot both go to"))
            let apart = try await Program.shell(
                "cd \(folder.path);", ["report", path, "-o", "json=/dev/null", "-o", "markdown=/dev/null"])
            #expect(apart.status == 0, "\(apart.output)")
        }

        @Test func `a place where runs cannot be kept is told before they are made`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("p.json5", "{ workload: { notifications: 10 } }")
            let outcome = try await Program.shell("", ["compare", "--run", profile, "--keep", "/proc/nope"])
            #expect(outcome.status == 2)
            #expect(
                outcome.output == "pushbench: /proc/nope: cannot create: No such file or directory (errno 2)\n",
                "\(outcome.output)")
        }

        @Test func `what an inconclusive comparison passes by is told`() async throws {
            let folder = try ScratchFolder()
            let path = try record(folder)
            let outcome = try await Program.shell("", ["compare", path, path, "--advisory", "--explain-exit"])
            #expect(outcome.status == 0)
            #expect(
                outcome.output.contains("exit 0, passed: inconclusive, which --advisory lets pass; "),
                "\(outcome.output)")
            #expect(outcome.output.contains("note: \(path) stands on both sides"), "\(outcome.output)")
            let test = try await Program.shell("", ["compare", "--self-test"])
            #expect(test.output.contains("other machine: cpu model the first against another than the first"))
            let profile = try folder.file("p.json5", "{ workload: { notifications: 10 } }")
            let mistaken = try await Program.shell("", ["compare", "--self-test", profile])
            #expect(mistaken.status == 2 && mistaken.output.contains("profiles have them, records do not"))
            let completions = try await Program.shell("", ["completions", "bash"])
            #expect(completions.output.contains("accepted/s") && !completions.output.contains("written/s"))
        }

        private func sweep(_ folder: ScratchFolder) throws -> String {
            let axis = SweepGrid.Axis(key: "sender.connections", values: ["1", "2"])
            var plan = SweepRecord(
                profileName: "p.json5", profileHash: "h", grid: SweepGrid([axis]), plan: SweepRace.Plan())
            var run = RunRecord()
            run.verdict = VerdictRecord(status: .passed, exitCode: 0)
            run.ledger.generated = 1_000
            run.ledger.accepted = 1_000
            run.throughput = ThroughputRecord(accepted: 1_000, written: 1_000, bytes: 1_000, over: .seconds(1))
            plan.runs = [0, 1].map { SweepRunRecord(cell: $0, run) }
            plan.judge(.complete)
            return String(decoding: try plan.encoded(), as: UTF8.self)
        }

        @Test(arguments: [
            ("\"lowestPerSecond\" : 1000", "\"lowestPerSecond\" : NaN", "records do not"),
            ("\"highestPerSecond\" : 1000", "\"highestPerSecond\" : -1", "cannot be negative"),
            ("\"elapsedNs\" : 0", "\"elapsedNs\" : 1e300", "out of range"),
            ("\"repeats\" : 5", "\"repeats\" : \"five\"", "repeats: has a value of another kind"),
            ("\"seed\" : 1,", "", "seed: is missing"), ("pushbench.sweep/1", "pushbench.sweep/9", "pushbench.sweep/9"),
            ("\"cell\" : 1,", "\"cell\" : 2,", "is of a combination that the grid has not"),
            ("END", "", "ends within the record"), ("ALL", "", "is empty"), ("ALL", "[1, 2]", "names no schema"),
        ])
        func `a sweep's record that somebody has edited or cut is refused in one line`(
            _ old: String, _ new: String, _ said: String
        ) async throws {
            let folder = try ScratchFolder()
            let text = try sweep(folder)
            let edited =
                switch old {
                case "ALL": new
                case "END": String(text.dropLast(text.count / 2))
                default: text.replacing(old, with: new)
                }
            #expect(edited != text, "or this shows nothing")
            let bad = try folder.file("sweep.json", edited)
            for form in ["terminal", "html", "csv", "markdown"] {
                let outcome = try await Program.shell("", ["report", bad, "-o", "\(form)=-"])
                #expect(outcome.status == 2 && outcome.output.contains(said), "\(outcome.output)")
                #expect(outcome.output.count { $0 == "\n" } == 1, "\(outcome.output)")
            }
            let whole = try folder.file("whole.json", text)
            #expect(try await Program.shell("", ["report", whole, "-o", "html=-"]).status == 0)
        }

        @Test func `records with figures out of range are refused in one line`() async throws {
            let folder = try ScratchFolder()
            let path = try record(folder)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            for number in ["-5", "1e308", "9223372036854775807"] {
                let bad = try folder.file(
                    "bad.json",
                    text.replacing("\"acceptedPerSecond\" : 1000", with: "\"acceptedPerSecond\" : \(number)"))
                for arguments in [["report", bad], ["compare", path, bad]] {
                    let outcome = try await Program.shell("", arguments)
                    #expect(outcome.status == 2 && outcome.output.contains("acceptedPerSecond"), "\(outcome.output)")
                    #expect(outcome.output.contains("out of range") && outcome.output.count { $0 == "\n" } == 1)
                }
            }
        }
    }
}
