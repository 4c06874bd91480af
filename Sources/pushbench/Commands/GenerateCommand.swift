import Glibc
import Harness
import Primitives
import RunRecords
import Workload

/// Writes tokens, payloads or whole frames of the workload, one after the other.
struct GenerateCommand {
    private enum Kind: String, CaseIterable {
        case tokens, payloads, frames
    }

    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() throws -> Int32 {
        let name = parsed.arguments[0]
        guard let kind = Kind(rawValue: name) else {
            let hint = nearestName(to: name, among: Kind.allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
            throw UsageError(description: "cannot generate \(name)\(hint)")
        }
        let writeFrame = try FrameWriter(parsed)
        let profile = writeFrame.profile
        let source = try profile.notificationSource()
        let first = try number(of: "first") ?? 0
        let end = first + UInt64(profile.workload.notifications)
        let output = try openOutput()
        defer { if output != STDOUT_FILENO { close(output) } }
        let writer = BlockWriter(descriptor: output)
        for sequence in first..<end {
            let isWritten = writer.append { base in
                switch kind {
                case .tokens: writeHexToken(sequence, of: source, at: base)
                case .payloads: writePayload(sequence, of: source, at: base)
                case .frames: writeFrame(sequence, of: source, at: base)
                }
            }
            guard isWritten else { return try finish(writer) }
        }
        writer.flush()
        return try finish(writer)
    }

    /// A reader that has enough (`head`) is no failure; a full disk is one.
    private func finish(_ writer: BlockWriter) throws -> Int32 {
        guard let code = writer.failure, code != EPIPE else { return ExitCode.passed }
        throw HarnessError.invalidInput(
            "\(parsed.last("output") ?? "standard output"): \(String(cString: strerror(code)))")
    }

    private func number(of option: String) throws -> UInt64? {
        guard let text = parsed.last(option) else { return nil }
        guard let number = UInt64(text), number < UInt64(Profile.notificationLimit) else {
            throw UsageError(
                description: "--\(option) \(text): a number from 0 to \(Profile.notificationLimit) is accepted")
        }
        return number
    }

    private func openOutput() throws -> Int32 {
        guard let path = parsed.last("output"), path != "-" else { return STDOUT_FILENO }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw HarnessError.invalidInput("\(path): \(String(cString: strerror(errno)))") }
        return descriptor
    }

    private func writeHexToken(_ sequence: UInt64, of source: NotificationSource, at base: UnsafeMutableRawPointer)
        -> Int
    {
        // The raw token is written behind the place of its digits, so that each byte is read before it is overwritten.
        let count = source.writeToken(sequence: sequence, into: base + source.maxTokenBytes)
        for index in 0..<count {
            let byte = (base + source.maxTokenBytes + index).load(as: UInt8.self)
            base.storeBytes(of: Self.hexDigit(byte >> 4), toByteOffset: 2 * index, as: UInt8.self)
            base.storeBytes(of: Self.hexDigit(byte & 15), toByteOffset: 2 * index + 1, as: UInt8.self)
        }
        base.storeBytes(of: UInt8(ascii: "\n"), toByteOffset: 2 * count, as: UInt8.self)
        return 2 * count + 1
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private func writePayload(_ sequence: UInt64, of source: NotificationSource, at base: UnsafeMutableRawPointer)
        -> Int
    {
        let count = source.writePayload(sequence: sequence, into: base, capacity: source.maxPayloadBytes)
        base.storeBytes(of: UInt8(ascii: "\n"), toByteOffset: count, as: UInt8.self)
        return count + 1
    }
}

/// Gathers items into blocks, so that a million of them are a few hundred writes.
final class BlockWriter {
    /// The system's error number once a write failed.
    private(set) var failure: Int32?
    private let descriptor: Int32
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var used = 0
    /// No item is longer: a frame has at most a token and a payload of 65,535 bytes each.
    private static let itemLimit = 1 << 17

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { block.deallocate() }

    /// Lets `write` put one item at the given place and say how long it is; false once nothing can be written any more.
    func append(_ write: (UnsafeMutableRawPointer) -> Int) -> Bool {
        guard failure == nil, let base = block.baseAddress else { return false }
        used += write(base + used)
        if used > block.count - Self.itemLimit { flush() }
        return failure == nil
    }

    /// Writes what was gathered.
    func flush() {
        if !Terminal.write(UnsafeRawBufferPointer(rebasing: block[0..<used]), to: descriptor) { failure = errno }
        used = 0
    }
}
