import Foundation
import Glibc

/// Standard output for results, standard error for everything else.
enum Terminal {
    /// Writes a message to standard error.
    static func complain(_ message: String) { write("pushbench: \(message)\n", to: STDERR_FILENO) }

    /// Writes a line to standard error.
    static func note(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

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

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
    static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// The process's environment.
enum ProcessEnvironment {
    static var variables: [String: String] { ProcessInfo.processInfo.environment }
}
