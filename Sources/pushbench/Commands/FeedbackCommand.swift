import Glibc
import Harness
import Primitives
import PushWire
import RunRecords

/// Reads a feedback service's list and writes it down as it comes.
struct FeedbackCommand {
    /// The forms of a list.
    enum Format: String, CaseIterable {
        case csv, jsonl
    }

    /// The real service's port.
    private static let defaultPort: UInt16 = 2_196

    private let host: String
    private let port: UInt16
    private let tls: TLSSettings
    private let timeout: Interval
    private let patience: Interval
    private let format: Format
    private let outputPath: String?

    init(_ parsed: ParsedCommand) throws {
        (host, port) = try Self.place(parsed.arguments[0])
        var tls = TLSSettings()
        tls.caFile = parsed.last("cacert")
        tls.certificateFile = parsed.last("cert")
        tls.keyFile = parsed.last("key")
        tls.pkcs12File = parsed.last("pkcs12")
        tls.passphraseFile = parsed.last("passphrase-file")
        tls.serverName = parsed.last("server-name")
        guard tls.keyFile == nil || tls.certificateFile != nil else {
            throw UsageError(description: "--key needs --cert beside it")
        }
        guard tls.pkcs12File == nil || tls.certificateFile == nil else {
            throw UsageError(description: "--pkcs12 stands beside --cert; an identity comes from one of them")
        }
        guard tls.passphraseFile == nil || tls.certificateFile != nil || tls.pkcs12File != nil else {
            throw UsageError(description: "--passphrase-file needs --cert or --pkcs12 beside it")
        }
        self.tls = tls
        var gateway = GatewaySettings(host: host)
        gateway.tls = tls
        try TargetPolicy.check(.gateway(gateway), allowedHosts: parsed.values["allow-host"] ?? [])
        timeout = try Self.time(parsed, "timeout", "5s")
        patience = try Self.time(parsed, "idle-timeout", "30s")
        let name = parsed.last("format") ?? Format.csv.rawValue
        guard let format = Format(rawValue: name) else {
            let names = Format.allCases.map(\.rawValue)
            let hint = nearestName(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
            throw UsageError(
                description: "unknown format \(name)\(hint); accepted: \(names.joined(separator: ", "))")
        }
        self.format = format
        outputPath = parsed.last("output").flatMap { $0 == "-" ? nil : $0 }
    }

    func execute() async throws -> Int32 {
        let client = try FeedbackClient(host: host, port: port, tls: tls, timeout: timeout, patience: patience)
        var output = STDOUT_FILENO
        if let outputPath {
            output = open(outputPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard output >= 0 else {
                throw HarnessError.invalidInput("\(outputPath): \(String(cString: strerror(errno)))")
            }
        }
        let reading = await client.read { [format, output] in FeedbackWriter(format: format, descriptor: output) }
        if outputPath != nil { close(output) }
        switch reading.end {
        case .complete(let cleanly):
            if !cleanly {
                Terminal.complain(
                    "the service ended the stream behind byte \(reading.byteCount) without TLS's close_notify, so that "
                        + "it cannot be told whether more was to come")
            }
            return ExitCode.passed
        // A reader that has enough (`head`) is no failure.
        case .sinkFailed(EPIPE): return ExitCode.passed
        case .sinkFailed(let code):
            throw HarnessError.invalidInput(
                "\(outputPath ?? "standard output"): \(String(cString: strerror(code)))")
        case .notConnected(let reason), .certificateRefused(let reason):
            throw HarnessError.unreachable("\(host):\(port): \(reason)")
        case .cut, .violation, .silence, .broken:
            Terminal.complain("the feedback list is not complete: \(reading.problem ?? "")")
            return ExitCode.inconclusive
        }
    }

    /// Takes `HOST`, `HOST:PORT`, an IPv6 address, and one in brackets with or without a port.
    static func place(_ text: String) throws -> (host: String, port: UInt16) {
        var host = text[...]
        var port: Substring?
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw wrongPlace(text) }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if text.filter({ $0 == ":" }).count == 1, let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty else { throw wrongPlace(text) }
        guard let port else { return (String(host), defaultPort) }
        guard let number = UInt16(port), number > 0 else { throw wrongPlace(text) }
        return (String(host), number)
    }

    private static func wrongPlace(_ text: String) -> UsageError {
        UsageError(description: "\(text) is not HOST or HOST:PORT, with a port from 1 to 65535")
    }

    private static func time(_ parsed: ParsedCommand, _ option: String, _ standard: String) throws -> Interval {
        let time = try Interval(text: parsed.last(option) ?? standard)
        guard time > .zero, time <= .seconds(86_400) else {
            throw UsageError(description: "--\(option) \(time): a time above 0 and up to a day is accepted")
        }
        return time
    }
}

/// Writes tuples as lines: UNIX seconds, the same as ISO 8601 in UTC, and the token in hexadecimal.
final class FeedbackWriter: FeedbackSink {
    private let format: FeedbackCommand.Format
    private let writer: BlockWriter
    private var lastTimestamp: UInt32?
    /// The text of the last timestamp, since many tuples in a row have the same.
    private var time: [UInt8] = []
    private static let digits = Array("0123456789abcdef".utf8)

    init(format: FeedbackCommand.Format, descriptor: Int32) {
        self.format = format
        writer = BlockWriter(descriptor: descriptor)
        if format == .csv {
            append("timestamp,time,token\n")
            writer.flush()
        }
    }

    func take(_ tuple: FeedbackTuple) {
        if tuple.timestamp != lastTimestamp {
            lastTimestamp = tuple.timestamp
            time = Array(timeText(tuple.timestamp).utf8)
        }
        _ = writer.append { base in
            var count = Self.put(time, at: base)
            for byte in tuple.token {
                base.storeBytes(of: Self.digits[Int(byte >> 4)], toByteOffset: count, as: UInt8.self)
                base.storeBytes(of: Self.digits[Int(byte & 15)], toByteOffset: count + 1, as: UInt8.self)
                count += 2
            }
            return count + Self.put(format == .csv ? Self.lineEnd : Self.objectEnd, at: base + count)
        }
    }

    func pieceEnded() -> Int32? {
        writer.flush()
        return writer.failure
    }

    private static let lineEnd = Array("\n".utf8)
    private static let objectEnd = Array("\"}\n".utf8)

    /// A line up to the token.
    private func timeText(_ timestamp: UInt32) -> String {
        var seconds = time_t(timestamp)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(1900 + parts.tm_year)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
        let iso = "\(date)T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))Z"
        return format == .csv
            ? "\(timestamp),\(iso),"
            : "{\"timestamp\":\(timestamp),\"time\":\"\(iso)\",\"token\":\""
    }

    private func append(_ text: String) { _ = writer.append { Self.put(Array(text.utf8), at: $0) } }

    private static func put(_ bytes: [UInt8], at base: UnsafeMutableRawPointer) -> Int {
        bytes.withUnsafeBytes { if let source = $0.baseAddress { base.copyMemory(from: source, byteCount: $0.count) } }
        return bytes.count
    }
}
