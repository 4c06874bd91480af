import Foundation
import Glibc
import RunRecords
import Testing

extension EndToEndTests {
    /// The program as a user starts it: limits of the process, exit codes, memory.
    @Suite struct ProgramTests {
        private static func record(_ path: String) throws -> RunRecord {
            try JSONDecoder().decode(RunRecord.self, from: Data(contentsOf: URL(filePath: path)))
        }

        @Test func `C64 more connections than descriptors are refused with both numbers`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("many.json5", "{ sender: { connections: 1_000 } }")
            let result = try await Program.shell("ulimit -n 256;", ["run", profile])
            #expect(result.status == 2, "\(result.output)")
            #expect(result.output.contains("1064"), "what is needed: \(result.output)")
            #expect(result.output.contains("256"), "what there is: \(result.output)")
        }

        @Test func `two results for the standard output are refused before anything runs`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", "{ workload: { notifications: 10 } }")
            let result = try await Program.shell("", ["run", profile, "-o", "json=-", "-o", "csv=-"])
            #expect(result.status == 2, "\(result.output)")
            #expect(result.output.contains("json and csv cannot both go to the standard output"), "\(result.output)")
        }

        @Test func `C64 a hundred thousand connections end with a message`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("many.json5", "{ sender: { connections: 100_000 } }")
            let result = try await Program.shell("ulimit -n 4096;", ["run", profile])
            #expect(result.status == 2, "\(result.output)")
            #expect(result.output.contains("100000") && result.output.contains("4096"), "\(result.output)")
        }

        @Test func `C32 the simulator's death is exit code 8 and no signal's`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "run.json5",
                """
                { target: { simulator: { faults: [{ fault: "throttle", rate: "200k/s" }] } },
                  workload: { notifications: 1_000_000 }, sender: { connections: 32 } }
                """)
            let file = "\(folder.path)/record.json"
            // The shell becomes the program, whose children are the simulator and this loop.
            let killer = #"""
                (sleep 1.5; for child in $(cat /proc/$$/task/*/children); do
                [ "$(tr '\0' ' ' < /proc/$child/cmdline | cut -d' ' -f2)" = simulate ] && kill -9 $child; done) &
                """#
            let result = try await Program.shell(killer, ["run", profile, "-o", "json=\(file)", "--progress", "none"])
            #expect(result.status == 8, "\(result.output)")
            let record = try Self.record(file)
            #expect(record.ledger.isBalanced)
            #expect(record.verdict.status == .unreachable)
        }

        @Test(arguments: [("INT", 130), ("TERM", 143)] as [(String, Int32)])
        func `a signal stops the run, which drains and tells its record`(signal: String, status: Int32) async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "run.json5",
                """
                { load: { loop: "open", rate: "10k/s" }, workload: { notifications: 600_000 },
                  sender: { connections: 4 } }
                """)
            let file = "\(folder.path)/record.json"
            let result = try await Program.shell(
                "(sleep 1; kill -\(signal) $$) &", ["run", profile, "-o", "json=\(file)", "--progress", "none"])
            #expect(result.status == status, "\(result.output)")
            let record = try Self.record(file)
            #expect(record.ledger.isBalanced)
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.accepted > 0)
            #expect([record.ledger.lost, record.ledger.unknown] == [0, 0])
        }

        @Test func `a record that cannot be written is an error before the run`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file("run.json5", "{ workload: { notifications: 1_000 } }")
            let result = try await Program.shell("", ["run", profile, "-o", "json=/nonexistent/record.json"])
            #expect(result.status == 2, "\(result.output)")
            #expect(result.output.contains("/nonexistent/record.json"), "\(result.output)")
        }
    }
}
