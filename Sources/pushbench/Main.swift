import Foundation
import Harness
import RunRecords

@main enum Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count > 1, arguments[1] == "simulate" {
            await ControlledSimulator.run { try Profile.read(text: $0, source: "standard input") }
            return
        }
        let profile = try Profile.read(file: arguments[2])
        let options = RunOptions(
            program: "/proc/self/exe", profileJSON: profile.effectiveJSON.canonicalText,
            onInterval: { print($0.phase, $0.written, $0.openConnections) })
        let record = try await RunEngine(profile: profile, options: options).run()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(record), as: UTF8.self))
    }
}
