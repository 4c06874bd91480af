import Foundation
import RunRecords
import Testing

/// The built program, as a user runs it.
enum Product {
    /// Settings of a run that takes a moment: a few hundred notifications on one event loop each.
    static let shortProfile = """
        { name: "short", target: { simulator: { loops: 1 } },
          workload: { notifications: 600, devices: 600, seed: 1, faults: { badToken: 0.02 } },
          sender: { connections: 2, loops: 1 }, thresholds: ["lost == 0", "errorReply.p50 < 1ns", "rejected >= 1"] }
        """

    /// Runs it and returns what it printed on its standard output, and its exit status.
    static func run(_ arguments: [String], in folder: ScratchFolder) async throws -> (output: String, status: Int32) {
        let words = ([try Simulator.program()] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let (output, status) = try await Shell.run(
            "export XDG_CACHE_HOME='\(folder.path)'; exec timeout 60 \(words) 2>'\(folder.path)/errors' </dev/null")
        return (String(decoding: output, as: UTF8.self), status)
    }

    /// A record, or a comparison of two, in one of the forms that it is written in.
    static func report(_ arguments: [String], as form: String, in folder: ScratchFolder) async throws -> String {
        let (output, status) = try await run(arguments + ["-o", "\(form)=-"], in: folder)
        let errors = (try? String(contentsOfFile: "\(folder.path)/errors", encoding: .utf8)) ?? ""
        try #require(!output.isEmpty, "\(form): it ended with \(status) and says: \(errors)")
        return output
    }
}
