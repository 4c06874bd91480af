import Foundation
import Glibc
import Testing

/// The built program beside the test bundle.
enum Program {
    /// Its path; the tests fail, and do not skip, when it is not there.
    static func path() throws -> String {
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let tree = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../.build/debug")
        let candidates = [bundle, tree].map { $0.appending(path: "pushbench").standardized.path }
        return try #require(
            candidates.first { access($0, X_OK) == 0 },
            "the program is not built; `swift build` makes it, it is looked for at \(candidates)")
    }

    /// What a finished command line leaves.
    struct Result {
        var output: String
        /// The exit status, or 128 + the signal that ended it, as shells count.
        var status: Int32
    }

    /// Runs `pushbench` with these arguments behind a shell prelude such as `ulimit -n 256;`; both outputs come as one.
    static func shell(_ prelude: String = "", _ arguments: [String]) async throws -> Result {
        let quoted = ([try path()] + arguments).map { "'\($0)'" }.joined(separator: " ")
        // What runs on a busy machine measure must not be kept for those of the user.
        let cache = "XDG_CACHE_HOME='\(FileManager.default.temporaryDirectory.path)/pushbench-tests-cache'"
        return try await aside { try finished("export \(cache); \(prelude) exec \(quoted) 2>&1 </dev/null") }
    }

    /// What a command of the shell leaves; blocks until it has ended.
    private static func finished(_ command: String) throws -> Result {
        guard let pipe = popen(command, "r") else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {  // ends with the program
            let count = fread(&chunk, 1, chunk.count, pipe)
            guard count > 0 else { break }
            output += chunk[..<count]
        }
        let status = pclose(pipe)
        return Result(
            output: String(decoding: output, as: UTF8.self),
            status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
    }
}

/// The program under a name of its own, by which the simulators of one run are told from those that others have started.
final class NamedProgram: Sendable {
    private let folder: ScratchFolder
    /// Where it is.
    let path: String

    init() throws {
        folder = try ScratchFolder()
        path = "\(folder.path)/pushbench"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Program.path())
    }

    /// The simulators that run under this name.
    func simulators() -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { process in
            // Empty for one that has ended and was not waited for.
            (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8))?.hasPrefix(path) == true
        }
    }
}

/// A folder for one test's files, which goes away with the value.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "pushbench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = "\(path)/\(name)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Writes a file of bytes and returns its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }

    /// A file of `count` different tokens; those whose numbers (from 1) are in `bad` are zeros, which every simulator refuses.
    func tokens(_ count: Int, bad: Set<Int> = []) throws -> String {
        let lines = (1...count).map { number in
            let hexadecimal = String(bad.contains(number) ? 0 : number, radix: 16)
            return String(repeating: "0", count: 64 - hexadecimal.count) + hexadecimal
        }
        return try file("tokens.txt", lines.joined(separator: "\n") + "\n")
    }
}
