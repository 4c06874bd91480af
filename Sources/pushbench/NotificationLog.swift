import GatewaySimulator
import Glibc
import Harness
import PushWire

/// The file with one line of JSON for each notification that a simulator has judged; bounded.
///
/// A line is `{"outcome":"rejected","status":8,"reason":"invalid token","command":1,"identifier":7,"token":"00…","payloadBytes":45}`;
/// outcomes are `accepted`, `duplicate`, `rejected` and `discarded`. Status and reason stand in rejections only,
/// identifier, token and payload size where they are known; of a request that was refused before its end, such as one that is too long, the
/// size is what had come by then. A byte that is no command has a line as a rejection of status 128. A request of HTTP/2 has `"protocol":"http2"` in
/// place of the command, and as status and reason those of its response.
final class NotificationLog {
    /// The most lines that are written.
    static let lineLimit = 1_000_000
    /// The most notifications that one event loop notes down between two writes.
    static let entryLimit = 100_000

    /// Lines that were written.
    private(set) var lineCount = 0
    /// Notifications that have no line.
    private(set) var leftOutCount: UInt64 = 0
    private let path: String
    private let descriptor: Int32

    /// Makes the file, empty.
    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw HarnessError.invalidInput("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Writes what was noted down since the last time.
    func write(_ entries: [JournalEntry], droppedCount: UInt64) throws {
        let fitting = entries.prefix(Self.lineLimit - lineCount)
        leftOutCount += droppedCount + UInt64(entries.count - fitting.count)
        guard !fitting.isEmpty else { return }
        var text: [UInt8] = []
        for entry in fitting { Self.append(entry, to: &text) }
        guard text.withUnsafeBytes({ Terminal.write($0, to: descriptor) }) else {
            throw HarnessError.invalidInput("\(path): \(String(cString: strerror(errno)))")
        }
        lineCount += fitting.count
    }

    private static func append(_ entry: JournalEntry, to text: inout [UInt8]) {
        text += #"{"outcome":"\#(name(of: entry.outcome))""#.utf8
        if case .rejected(let status) = entry.outcome {
            text += #","status":\#(status.rawValue),"reason":"\#(status)""#.utf8
        }
        if case .answered(let reason) = entry.outcome {
            text += #","status":\#(reason.status),"reason":"\#(reason.name)""#.utf8
        }
        if let command = entry.command {
            text += #","command":\#(command)"#.utf8
        } else {
            text += #","protocol":"http2""#.utf8
        }
        if let identifier = entry.identifier { text += #","identifier":\#(identifier)"#.utf8 }
        if !entry.token.isEmpty {
            text += #","token":""#.utf8
            for byte in entry.token { text += [hexDigit(byte >> 4), hexDigit(byte & 15)] }
            text.append(UInt8(ascii: "\""))
        }
        if let count = entry.payloadByteCount { text += #","payloadBytes":\#(count)"#.utf8 }
        text += "}\n".utf8
    }

    private static func name(of outcome: JournalEntry.Outcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .duplicate: "duplicate"
        case .rejected, .answered: "rejected"
        case .discarded: "discarded"
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
