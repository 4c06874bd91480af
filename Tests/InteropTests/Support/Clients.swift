import Foundation
import Glibc
import Testing

/// Clients that we did not write, against the simulator over TLS. Serialized: each test is two processes already.
///
/// The libraries are installed by `scripts/interop-setup`. Where that failed these tests fail, too, unless the environment
/// says SKIP_INTEROP=1.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .disabled(if: Clients.areSkipped, "SKIP_INTEROP=1 leaves out the clients that we did not write"))
struct InteropTests {}

/// The foreign clients as processes.
enum Clients {
    static var areSkipped: Bool { ProcessInfo.processInfo.environment["SKIP_INTEROP"] == "1" }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Clients")
    private static let build = folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build")

    /// What runs a driver: the Python environment that its library is installed in, or node.
    private static func interpreter(of driver: String) throws -> String {
        if driver.hasSuffix(".mjs") { return "node" }
        let place =
            switch driver.prefix(while: { $0 != "_" && $0 != "." }) {
            case "aapns": "interop-aapns"
            case "report", "terminal", "prometheus": "interop-reports"
            default: "interop"
            }
        let python = build.appending(path: "\(place)/bin/python").path
        try #require(
            access(python, X_OK) == 0,
            """
            the Python clients are not installed in .build/\(place): run scripts/interop-setup, which needs Python's \
            package index once, or set SKIP_INTEROP=1 to leave these tests out
            """)
        return "'\(python)' -W ignore"
    }

    /// Runs one of our drivers in `Clients` with a job and reads its result.
    static func run<Result: Decodable>(_ driver: String, _ job: some Encodable, as type: Result.Type) async throws
        -> Result
    {
        let interpreter = try interpreter(of: driver)
        let scratch = try ScratchFolder()
        let file = try scratch.file("job.json", String(decoding: JSONEncoder().encode(job), as: UTF8.self))
        let script = folder.appending(path: driver).path
        let (output, status) = try await Shell.run(
            "exec timeout 60 \(interpreter) '\(script)' '\(file)' 2>'\(scratch.path)/errors'")
        let errors = (try? String(contentsOfFile: "\(scratch.path)/errors", encoding: .utf8)) ?? ""
        try #require(status == 0, "\(driver) ended with \(status): \(errors)")
        return try JSONDecoder().decode(type, from: Data(output))
    }

    /// A program of Debian's `prometheus` package, where `scripts/interop-setup` has put it, or the system's own.
    static func prometheus(_ name: String) throws -> String {
        let places = [build.appending(path: "prometheus/usr/bin/\(name)").path, "/usr/bin/\(name)"]
        return try #require(
            places.first { access($0, X_OK) == 0 },
            "\(name) is not installed: run scripts/interop-setup, or set SKIP_INTEROP=1 to leave these tests out")
    }

    /// Feeds `openssl s_client` the bytes of a file; it ends when the server closes.
    static func runSClient(
        _ file: String, to simulator: Simulator, options: String = ""
    ) async throws -> (output: [UInt8], status: Int32, errors: String) {
        let errors = "\(simulator.folder.path)/s_client"
        // `-quiet` also keeps it reading after its input has ended.
        let (output, status) = try await Shell.run(
            """
            exec timeout 30 openssl s_client -connect 127.0.0.1:\(simulator.port) -CAfile '\(simulator.authority)' \
            -verify_return_error -verify_hostname localhost \(options) -quiet <'\(file)' 2>'\(errors)'
            """)
        return (output, status, (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")
    }

    /// Feeds `openssl s_client` the bytes of a file and returns the bytes that the server sent before it closed in order.
    static func sendRaw(_ file: String, to simulator: Simulator, options: String = "") async throws -> [UInt8] {
        let (output, status, errors) = try await runSClient(file, to: simulator, options: options)
        try #require(status == 0, "s_client ended with \(status): \(errors)")
        return output
    }
}

/// What a driver is told to do.
struct Job: Encodable {
    var host = "127.0.0.1"
    var port: Int
    var ca: String
    @Nullable var certificate: String?
    @Nullable var key: String?
    var notifications: [Planned]
    var perFrame = 0
    var readsAnswer = false

    init(_ simulator: Simulator, _ notifications: [Planned]) {
        port = simulator.port
        ca = simulator.authority
        self.notifications = notifications
    }
}

/// A value that a driver finds as null when there is none.
@propertyWrapper struct Nullable: Encodable {
    var wrappedValue: String?
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

/// A notification that a client is to send.
struct Planned: Encodable {
    var identifier: UInt32
    /// 64 hexadecimal digits; zeros are a token that every simulator refuses.
    var token: String
    var text = "hello"
    var priority: Int?

    init(_ identifier: UInt32, isBad: Bool = false, text: String = "hello") {
        let digits = isBad ? "" : String(identifier + 1, radix: 16)
        self.identifier = identifier
        token = String(repeating: "0", count: 64 - digits.count) + digits
        self.text = text
    }
}

/// What a client says about one notification.
struct Failure: Decodable, Hashable, CustomStringConvertible {
    var identifier: UInt32
    var status: Int
    var description: String { "\(identifier): \(status)" }
}

/// Commands of the shell.
enum Shell {
    /// Runs a command and returns what it wrote and its exit status, 128 + the signal that ended it.
    static func run(_ command: String) async throws -> (output: [UInt8], status: Int32) {
        try await aside {
            let pipe = try start(command)
            let output = readAll(pipe)
            return (output, status(of: pclose(pipe)))
        }
    }

    /// Starts a command whose output is to be read.
    static func start(_ command: String) throws -> UnsafeMutablePointer<FILE> {
        // Tests run on threads that block signals, and a process inherits that: `timeout` would never hear of them.
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        guard let pipe = popen(command, "r") else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return pipe
    }

    static func readAll(_ pipe: UnsafeMutablePointer<FILE>) -> [UInt8] {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {  // ends with the process
            let count = fread(&chunk, 1, chunk.count, pipe)
            guard count > 0 else { return output }
            output += chunk[..<count]
        }
    }

    static func status(of code: Int32) -> Int32 { code & 0x7F == 0 ? code >> 8 & 0xFF : 128 + code & 0x7F }
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
}
