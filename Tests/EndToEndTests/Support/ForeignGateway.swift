import Foundation
import Glibc
import Testing

/// `pushbench simulate` as a process of its own: to a run it is a gateway like any other.
final class ForeignGateway: Sendable {
    /// Where it listens.
    let port: Int
    /// The file of the authority that its certificate is from.
    let authority: String
    private let process: pid_t

    /// Starts it with a list of faults and waits until it listens.
    init(_ program: NamedProgram, _ folder: ScratchFolder, faults: String) async throws {
        let name = UUID().uuidString
        let (output, authority) = ("\(folder.path)/\(name).txt", "\(folder.path)/\(name).pem")
        self.authority = authority
        let process = Process()
        process.executableURL = URL(filePath: program.path)
        process.arguments =
            ["simulate", "--port", "0", "--write-ca", authority, "--set", "target.simulator.loops=1", "--faults"]
            + [try folder.file("\(name).json5", faults)]
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = process.processIdentifier
        for _ in 0..<1_000 {
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            if let place = text.firstMatch(of: /listening on [0-9.]+:(\d+)/), let port = Int(place.1) {
                self.port = port
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        kill(process.processIdentifier, SIGKILL)
        throw POSIXError(.ETIMEDOUT)
    }

    /// Ends it in order.
    func stop() { kill(process, SIGTERM) }
}
