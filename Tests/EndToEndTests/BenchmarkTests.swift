import Foundation
import Glibc
import RunRecords
import Testing

extension EndToEndTests {
    /// The benchmarks in their small sizes, so that they do not rot; what they measure here means nothing.
    @Suite struct BenchmarkTests {
        private static func run(_ arguments: [String]) async throws -> (output: String, status: Int32) {
            let pushbench = try Program.path()
            let program = URL(filePath: pushbench).deletingLastPathComponent().appending(path: "Benchmarks").path
            try #require(access(program, X_OK) == 0, "the benchmarks are not built: \(program)")
            return try await aside {
                let process = Process()
                process.executableURL = URL(filePath: program)
                process.arguments = arguments
                let pipe = Pipe()
                process.standardOutput = pipe
                process.standardError = pipe
                try process.run()
                let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                return (output, process.terminationStatus)
            }
        }

        @Test func `all benchmarks work in their small sizes, and allocations stay under their limit`() async throws {
            let folder = try ScratchFolder()
            let path = folder.path + "/results.json"
            let (output, status) = try await Self.run(["--quick", "--out", path])
            try #require(status == 0, "\(output)")
            let results = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: URL(filePath: path)))
            guard case .object(let members) = results, case .object(let parts)? = members["parts"] else {
                Issue.record("no parts in \(results)")
                return
            }
            #expect(
                Set(parts.keys) == [
                    "operations", "pipe", "allocations", "memory", "handshakes", "writes", "matrix", "http2",
                    "measuring", "accuracy", "pacing", "verdicts", "sweeps", "capacities",
                    "badtokens",
                ])
            for (name, part) in parts {
                guard case .object(let table) = part, case .array(let rows)? = table["rows"] else {
                    Issue.record("\(name) is no table")
                    continue
                }
                #expect(!rows.isEmpty, "\(name)")
            }
            #expect(members["quick"] == .bool(true))
        }

        @Test func `an unknown part is refused with the names of all`() async throws {
            let (output, status) = try await Self.run(["everything"])
            #expect(status == 1)
            #expect(
                output.contains(
                    "operations, pipe, allocations, memory, handshakes, writes, matrix, http2, measuring, accuracy, pacing, verdicts, sweeps, capacities, badtokens"
                ),
                "\(output)")
        }
    }
}
