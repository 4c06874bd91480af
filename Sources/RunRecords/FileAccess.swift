import Glibc

/// A file operation that the system refused.
public struct FileFailure: Error, Equatable, Sendable {
    /// What was tried, as a verb: `open`, `write`, `rename`.
    public var operation: String
    /// The path as given.
    public var path: String
    /// The system's error number.
    public var code: Int32

    /// The system's words for the error number.
    public var reason: String { String(cString: strerror(code)) }
}

extension FileFailure: CustomStringConvertible {
    /// `path: cannot write: No space left on device (errno 28)`.
    public var description: String { "\(path): cannot \(operation): \(reason) (errno \(code))" }
}

/// Whole files, read and replaced by system calls, whose error numbers Foundation would hide.
enum FileAccess {
    /// Reads a whole file; one larger than `limit` bytes fails with EFBIG.
    static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(operation: "open", path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(operation: "read", path: path, code: errno) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw FileFailure(operation: "read", path: path, code: EFBIG) }
        }
    }

    /// How far a replaced file is pushed to the disk.
    enum Durability {
        /// A crash of the machine may cost it; a crash of this process may not.
        case process
        /// It survives a crash of the machine.
        case machine
    }

    /// Replaces a file as a whole: readers see the old one or the new one, and a failure leaves the old one.
    static func replace(_ path: String, with bytes: [UInt8], durability: Durability) throws(FileFailure) {
        let temporary = path + ".\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure(operation: "create", path: path, code: errno) }
        do throws(FileFailure) {
            try write(bytes, to: descriptor, path: path)
            if durability == .machine, fsync(descriptor) != 0 {
                throw FileFailure(operation: "flush", path: path, code: errno)
            }
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        // Some file systems report a full disk only here.
        guard close(descriptor) == 0, rename(temporary, path) == 0 else {
            let failure = FileFailure(operation: "replace", path: path, code: errno)
            unlink(temporary)
            throw failure
        }
        if durability == .machine { flushFolder(of: path) }
    }

    /// Writes all bytes to a descriptor, however many calls that takes.
    static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileFailure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFailure(operation: "write", path: path, code: count < 0 ? errno : EIO) }
            start += count
        }
    }

    /// Makes a rename survive; a file system that cannot do that for folders is not an error of the file's.
    private static func flushFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
