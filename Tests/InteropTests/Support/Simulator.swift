import Foundation
import Glibc
import RunRecords
import Testing

/// `pushbench simulate` as a user starts it, on a free port.
final class Simulator {
    let folder: ScratchFolder
    /// Where it listens.
    let port: Int
    /// Where its feedback service listens.
    let feedbackPort: Int
    /// Where it serves the HTTP/2 provider API.
    let http2Port: Int
    /// The file of the authority that its certificate is from.
    let authority: String

    /// What it printed at its end.
    private(set) var closingSums = ""

    /// Its output, which one thread reads at a time.
    private struct Started: @unchecked Sendable { var pipe: UnsafeMutablePointer<FILE> }

    private let pipe: UnsafeMutablePointer<FILE>
    private let process: pid_t
    private var isRunning = true

    /// Starts it and waits until it listens; `authority` vouches for a certificate of the user's own.
    init(_ options: [String] = [], authority: String? = nil) async throws {
        folder = try ScratchFolder()
        self.authority = authority ?? "\(folder.path)/ca.pem"
        let program = try Self.program()
        let path = folder.path
        let files = ["--ledger", "\(path)/ledger.json", "--log", "\(path)/log.jsonl"]
        let written = authority == nil ? ["--write-ca", "\(path)/ca.pem"] : []
        // One event loop, so that the log has one order.
        let loops = ["--set", "target.simulator.loops=1"]
        let arguments = (["simulate", "--port", "0"] + loops + files + written + options).map { "'\($0)'" }.joined(
            separator: " ")
        // A simulator whose test died ends by itself; the signal that ends it in order is passed on.
        let command = "echo $$; exec timeout 150 '\(program)' \(arguments) 2>'\(path)/errors' </dev/null"
        let (started, first, ready) = try await aside {
            let pipe = try Shell.start(command)
            return (Started(pipe: pipe), Self.readLine(pipe), Self.readLine(pipe))
        }
        pipe = started.pipe
        process = pid_t(first.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        let errors = (try? String(contentsOfFile: "\(path)/errors", encoding: .utf8)) ?? ""
        let places = try #require(
            ready.firstMatch(of: /listening on [0-9.]+:(\d+), feedback on [0-9.]+:(\d+), HTTP\/2 on [0-9.]+:(\d+)/),
            "it says: \(ready)\(errors)")
        port = try #require(Int(places.1))
        feedbackPort = try #require(Int(places.2))
        http2Port = try #require(Int(places.3))
    }

    deinit { if isRunning { _ = Self.end(process, pipe) } }

    /// Ends it with the signal that service managers send, and reads what it left.
    func finish() async throws -> Books {
        isRunning = false
        let started = Started(pipe: pipe)
        let (sums, status) = try await aside { [process] in Self.end(process, started.pipe) }
        closingSums = sums
        let errors = (try? String(contentsOfFile: "\(folder.path)/errors", encoding: .utf8)) ?? ""
        try #require(status == 0, "the simulator ended with \(status): \(errors)")
        let book = try Data(contentsOf: URL(filePath: "\(folder.path)/ledger.json"))
        let log = try String(contentsOfFile: "\(folder.path)/log.jsonl", encoding: .utf8)
        return Books(
            book: try JSONDecoder().decode(SimulatorBook.self, from: book),
            lines: try log.split(separator: "\n").map { try JSONDecoder().decode(LogLine.self, from: Data($0.utf8)) })
    }

    /// Waits until so many notifications have been judged.
    func waitForLog(lines: Int) async throws {
        for _ in 0..<1_000 {
            let log = (try? String(contentsOfFile: "\(folder.path)/log.jsonl", encoding: .utf8)) ?? ""
            if log.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= lines { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("fewer than \(lines) notifications were judged in ten seconds")
    }

    private static func end(_ process: pid_t, _ pipe: UnsafeMutablePointer<FILE>) -> (sums: String, status: Int32) {
        if process > 0 { kill(process, SIGTERM) }
        let sums = String(decoding: Shell.readAll(pipe), as: UTF8.self)
        return (sums, Shell.status(of: pclose(pipe)))
    }

    private static func readLine(_ pipe: UnsafeMutablePointer<FILE>) -> String {
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        return getline(&line, &capacity, pipe) > 0 ? line.map { String(cString: $0) } ?? "" : ""
    }

    /// The built program beside the test bundle.
    static func program() throws -> String {
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let tree = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../.build/debug")
        let candidates = [bundle, tree].map { $0.appending(path: "pushbench").standardized.path }
        return try #require(
            candidates.first { access($0, X_OK) == 0 },
            "the program is not built; `swift build` makes it, it is looked for at \(candidates)")
    }
}

/// One line of the simulator's log.
struct LogLine: Decodable, Hashable {
    var outcome: String
    var status: Int?
    var reason: String?
    /// Nil for requests of HTTP/2.
    var command: Int?
    var identifier: UInt32?
    var token: String?
    var payloadBytes: Int?
}

/// What a simulator leaves: its sums, and each notification.
struct Books {
    var book: SimulatorBook
    var lines: [LogLine]

    /// What it refused, as a client would say it.
    var failures: [Failure] {
        lines.filter { $0.outcome == "rejected" }.map {
            Failure(identifier: $0.identifier ?? 0, status: $0.status ?? -1)
        }
    }
    /// Tokens of accepted notifications, each time counted.
    var acceptedTokens: [String] {
        lines.filter { ["accepted", "duplicate"].contains($0.outcome) }.map { $0.token ?? "" }
    }

    /// The two files agree with each other.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) {
        let ledger = book.ledger
        #expect(book.unloggedNotifications == 0, sourceLocation: sourceLocation)
        #expect(book.loggedNotifications == Int64(lines.count), sourceLocation: sourceLocation)
        #expect(
            Int64(acceptedTokens.count) == ledger.accepted + ledger.acceptedWithoutIdentifier + ledger.duplicates,
            sourceLocation: sourceLocation)
        #expect(
            Int64(failures.count) == ledger.rejected + ledger.rejectedWithoutIdentifier + ledger.sentinels
                + ledger.unknownCommands,
            sourceLocation: sourceLocation)
        #expect(
            Int64(lines.count { $0.outcome == "discarded" }) == ledger.discarded, sourceLocation: sourceLocation)
    }
}
