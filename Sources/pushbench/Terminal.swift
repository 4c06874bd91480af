import Foundation
import Glibc
import Reports
import RunRecords
import Synchronization

/// Standard output for results, standard error for everything else.
enum Terminal {
    /// Writes a message to standard error.
    static func complain(_ message: String) { write("pushbench: \(message)\n", to: STDERR_FILENO) }

    /// Writes a line to standard error.
    static func note(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// Writes a line to standard output.
    static func show(_ line: String) { output(line + "\n") }

    /// Writes text to standard output. Where that fails, the program's end tells; a reader that went away is no error of ours.
    static func output(_ text: String) { output(Array(text.utf8)) }

    /// Writes bytes to standard output, as ``output(_:)-(String)``.
    static func output(_ bytes: [UInt8]) {
        guard outputFailure == nil, !bytes.withUnsafeBytes({ write($0, to: STDOUT_FILENO) }) else { return }
        let code = errno
        if code != EPIPE { outputError.withLock { $0 = code } }
    }

    /// What the system said when standard output took no more; nil if all was taken.
    static var outputFailure: FileFailure? {
        let code = outputError.withLock { $0 }
        return code == 0 ? nil : FileFailure(operation: "write", path: "standard output", code: code)
    }

    private static let outputError = Mutex<Int32>(0)

    /// Writes text to a descriptor; a reader that went away is no error of ours.
    static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    /// Writes all bytes; false when the other end is gone or the medium is full.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// Opens what the caller has closed of the three standard descriptors, so that no file or socket of ours takes its place and gets
    /// messages written into it.
    static func openMissing() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is the missing one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
    }

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard error takes something without waiting.
    static var errorIsReady: Bool {
        var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&ready, 1, 0) > 0 && ready.revents & Int16(POLLOUT) != 0
    }

    /// What standard error can show.
    static var errorStyle: TerminalStyle {
        TerminalStyle(
            isTerminal: errorIsTerminal, columns: errorSize.columns, environment: ProcessEnvironment.variables)
    }

    /// Width and height of the terminal on standard error, as it says or as the environment does.
    static var errorSize: (columns: Int, rows: Int) {
        var size = winsize()
        let isTold = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        func number(_ told: UInt16, _ name: String, _ usual: Int) -> Int {
            if isTold, told > 0 { return Int(told) }
            return ProcessEnvironment.variables[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? usual
        }
        return (number(size.ws_col, "COLUMNS", 80), number(size.ws_row, "LINES", 24))
    }

    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// The process's environment.
enum ProcessEnvironment {
    static var variables: [String: String] { ProcessInfo.processInfo.environment }
}
