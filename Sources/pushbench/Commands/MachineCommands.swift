import Foundation
import Glibc
import Harness
import Primitives
import RunRecords

/// Measures what this machine can do, so that results can be set beside it.
struct CalibrateCommand {
    private let connections: Int
    private let length: Interval
    private let wantsJSON: Bool

    init(_ parsed: ParsedCommand) throws {
        let text = parsed.last("connections") ?? "4"
        guard let count = Int(text), (1...1_024).contains(count) else {
            throw UsageError(description: "--connections \(text): a number from 1 to 1024 is accepted")
        }
        connections = count
        length = try Interval(text: parsed.last("duration") ?? "3s")
        guard length >= .milliseconds(100), length <= .seconds(600) else {
            throw UsageError(description: "--duration \(length): a time from 100ms to 10m is accepted")
        }
        wantsJSON = parsed.has("json")
    }

    func execute() async throws -> Int32 {
        let record = try await Calibration.run(
            connections: connections, seconds: length.seconds, program: "/proc/self/exe")
        MachineLimits.keep(record)
        if wantsJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            Terminal.show(String(decoding: try encoder.encode(record), as: UTF8.self))
            return ExitCode.passed
        }
        func time(_ nanoseconds: Int64?) -> String {
            nanoseconds.map { Interval(nanoseconds: $0).description } ?? "-"
        }
        func rate(_ perSecond: Int64?) -> String {
            perSecond.map { Rate(perSecond: Double($0)).description } ?? "-"
        }
        let machine = Machine.fingerprint()
        Terminal.show("machine        \(machine.cpuModel), \(machine.cores) cores, \(machine.openssl)")
        Terminal.show(
            "raw TLS pipe   \(ByteCount(bytes: record.pipeBytesPerSecond))/s over \(record.pipeConnections) "
                + "connections, 16 KiB records; a record costs \(time(record.pipeSenderNsPerRecord)) to send and "
                + "\(time(record.pipeReceiverNsPerRecord)) to receive")
        Terminal.show(
            "full TLS 1.3   \(rate(record.fullHandshakesPerSecond)), client \(time(record.fullHandshakeClientNs)), "
                + "server \(time(record.fullHandshakeServerNs)) each")
        Terminal.show(
            "resumed        \(rate(record.resumedHandshakesPerSecond)), client \(time(record.resumedHandshakeClientNs)), "
                + "server \(time(record.resumedHandshakeServerNs)) each")
        if let rate = record.acceptAllPerSecond(bytes: record.acceptAllBytes ?? 0, loops: 1) {
            Terminal.show(
                "accept-all     \(Rate(perSecond: rate.rounded())) for each event loop of the simulator, notifications of "
                    + "\(Int(record.acceptAllBytes ?? 0)) bytes")
        }
        if let rate = record.acceptAllPerSecond(bytes: record.acceptAllHTTP2Bytes ?? 0, loops: 1, isHTTP2: true) {
            Terminal.show(
                "               \(Rate(perSecond: rate.rounded())) over HTTP/2, requests of "
                    + "\(Int(record.acceptAllHTTP2Bytes ?? 0)) bytes")
        }
        Terminal.show("clock          \(time(record.clockReadNs)) a reading")
        Terminal.show(
            "timers         late by \(time(record.timerLagP50Ns)) at p50, \(time(record.timerLagP99Ns)) at p99, "
                + "\(time(record.timerLagMaxNs)) at most")
        return ExitCode.passed
    }
}

/// Tells what will go wrong before it does.
struct DoctorCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() throws -> Int32 {
        let profile = try parsed.arguments.first.map { try Profile.read(file: $0, overrides: parsed.overrides) }
        let findings = Doctor.examine(profile: profile)
        let width = findings.map(\.name.count).max() ?? 0
        for finding in findings {
            let name = finding.name.padding(toLength: width, withPad: " ", startingAt: 0)
            Terminal.show(
                "\(finding.severity.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)) \(name)  \(finding.found)"
            )
            if let remedy = finding.remedy { Terminal.show(String(repeating: " ", count: width + 11) + remedy) }
        }
        return findings.contains { $0.severity == .problem } ? ExitCode.usage : ExitCode.passed
    }
}
