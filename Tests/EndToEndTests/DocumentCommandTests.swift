import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// What the program tells about itself to shells, to `man` and to CI jobs.
    @Suite struct DocumentCommandTests {
        /// Runs a command of the shell, without its messages about what went wrong.
        private static func run(_ command: String) async throws -> (output: String, status: Int32) {
            try await aside {
                let process = Process()
                process.executableURL = URL(filePath: "/bin/bash")
                process.arguments = ["-c", command]
                process.standardInput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                let pipe = Pipe()
                process.standardOutput = pipe
                try process.run()
                let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                return (String(decoding: output, as: UTF8.self), process.terminationStatus)
            }
        }

        private static func isInstalled(_ command: String) async -> Bool {
            (try? await run("command -v \(command)"))?.status == 0
        }

        private static func script(_ shell: String, in folder: ScratchFolder) async throws -> String {
            let result = try await Program.shell("", ["completions", shell])
            try #require(result.status == 0, "\(result.output)")
            return try folder.file("completions.\(shell)", result.output)
        }

        @Test(arguments: ["bash", "zsh", "fish"])
        func `completions name every command, and their shell understands them`(_ shell: String) async throws {
            let folder = try ScratchFolder()
            let script = try await Self.script(shell, in: folder)
            let text = try String(contentsOfFile: script, encoding: .utf8)
            for word in ["run", "simulate", "compare", "completions", "man", "exit-zero", "github-bigger=", "binary-a"]
            {
                #expect(text.contains(word), "\(word)")
            }
            #expect(!text.contains("controlled"), "hidden options stay hidden")
            if await Self.isInstalled(shell) {
                #expect(try await Self.run("\(shell) -n '\(script)'").status == 0)
            }
        }

        @Test(arguments: [
            ("com", ["compare", "completions"]), ("run --exit", ["--exit-zero"]), ("run -o mark", ["markdown="]),
            ("run --progress j", ["json"]), ("completions ''", ["bash", "zsh", "fish"]), ("run --connections ''", []),
            ("compare -o csv", []), ("run -o json = /etc/host", ["/etc/hosts", "/etc/hostname"]),
            ("report /etc/host", ["/etc/hosts", "/etc/hostname"]),
        ])
        func `bash offers what fits`(_ words: String, _ offered: [String]) async throws {
            let folder = try ScratchFolder()
            let script = try await Self.script("bash", in: folder)
            let result = try await Self.run(
                """
                source '\(script)'; COMP_WORDS=(pushbench \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pushbench
                printf '%s\\n' "${COMPREPLY[@]}"
                """)
            let found = result.output.split(separator: "\n").map(String.init)
            #expect(Set(offered).isSubset(of: found), "\(found)")
            #expect(!offered.isEmpty || found.isEmpty, "\(found)")
        }

        @Test func `the manual page has every command, option, format and exit code`() async throws {
            let folder = try ScratchFolder()
            let result = try await Program.shell("", ["man"])
            #expect(result.status == 0 && result.output.hasPrefix(".TH PUSHBENCH 1 "), "\(result.output)")
            for text in [
                #"\fBpushbench compare\fR"#, #"\fB\-\-exit\-zero\fR"#, #"\fBgithub\-bigger\fR"#, #"\fB143\fR"#,
                "PUSHBENCH_PASSPHRASE",
            ] { #expect(result.output.contains(text), "\(text)") }
            #expect(!result.output.contains("controlled"), "hidden options stay hidden")
            let page = try folder.file("pushbench.1", result.output)
            if await Self.isInstalled("groff") {
                let warnings = try await Self.run("groff -man -Tascii -ww -z '\(page)' 2>&1")
                #expect(warnings.status == 0 && warnings.output.isEmpty, "\(warnings.output)")
                let shown = try await Self.run("groff -man -Tascii -P-cbou '\(page)'")
                #expect(shown.output.contains("--explain-exit"), "\(shown.output)")
            }
        }

        @Test func `the recipes for continuous integration use commands and options that there are`() async throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
            let page = try String(contentsOf: root.appending(path: "docs/ci.md"), encoding: .utf8)
                .replacing("\\\n", with: " ").replacing(/\n +(-o|--binary)/) { " \($0.1)" }
            var help: [String: String] = [:]
            var count = 0
            for line in page.matches(of: /pushbench (run|compare)\b([^\n`]*)/) {
                let command = String(line.1)
                if help[command] == nil { help[command] = try await Program.shell("", [command, "--help"]).output }
                let text = help[command] ?? ""
                for option in line.2.matches(of: /(--[a-z-]+)/) {
                    #expect(text.contains("\(option.1) ") || text.contains("\(option.1)\n"), "\(command) \(option.1)")
                    count += 1
                }
                for format in line.2.matches(of: /-o ([a-z-]+)=/) {
                    #expect(text.contains(format.1), "\(command) -o \(format.1)")
                    count += 1
                }
            }
            #expect(count > 20, "the page has \(count)")
        }

        @Test func `exit codes of verdicts can pass and be explained, those of errors stay`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "run.json5",
                """
                { name: "short", target: { simulator: { loops: 1 } }, workload: { notifications: 100, devices: 10 },
                  sender: { connections: 1, loops: 1 }, thresholds: ["lost > 0"] }
                """)
            let record = "\(folder.path)/run.json"
            let failed = try await Program.shell(
                "",
                [
                    "run", profile, "-q", "--calibration", "off", "--explain-exit", "-o", "json=\(record)", "-o",
                    "junit=\(folder.path)/run.xml", "-o", "markdown=\(folder.path)/run.md",
                ])
            #expect(failed.status == 3)
            #expect(failed.output.contains("exit 3, a threshold failed"), "\(failed.output)")
            #expect(failed.output.contains(": lost > 0 failed"), "\(failed.output)")
            #expect(try String(contentsOfFile: "\(folder.path)/run.xml", encoding: .utf8).contains("lost &gt; 0"))
            #expect(
                try String(contentsOfFile: "\(folder.path)/run.md", encoding: .utf8).hasPrefix("### FAILED: short\n"))

            let passed = try await Program.shell(
                "", ["run", profile, "-q", "--calibration", "off", "--exit-zero", "--explain-exit"])
            #expect(passed.status == 0)
            #expect(
                passed.output.contains("exit 0 by --exit-zero in place of 3, a threshold failed"), "\(passed.output)")

            let compared = try await Program.shell(
                "", ["compare", record, record, "-q", "--exit-zero", "-o", "github-bigger=-"])
            #expect(compared.status == 0 && compared.output.contains("accepted/s"), "\(compared.output)")
            // The candidate's run failed by its own condition.
            #expect(try await Program.shell("", ["compare", record, record, "-q"]).status == 3)
            let refused = try await Program.shell("", ["compare", record, record, "-o", "csv=-"])
            #expect(refused.status == 2 && refused.output.contains("markdown"), "\(refused.output)")
            let missing = try await Program.shell(
                "", ["compare", record, "\(folder.path)/none.json", "--exit-zero", "--explain-exit"])
            #expect(missing.status == 2 && missing.output.contains("exit 2, usage"), "\(missing.output)")

            let metrics = try await Program.shell("", ["report", record, "-o", "openmetrics=-"])
            #expect(metrics.status == 0 && metrics.output.hasSuffix("# EOF\n"), "\(metrics.output)")
        }
    }
}
