import Glibc

/// A file operation that the system refused.
public struct FileFailure: Error, Equatable, Sendable {
    /// What was tried, as a verb: `open`, `write`, `rename`.
    public var operation: String
    /// The path as given.
    public var path: String
    /// The system's error number.
    public var code: Int32

    /// Names a failure.
    package init(operation: String, path: String, code: Int32) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The system's words for the error number.
    public var reason: String { String(cString: strerror(code)) }
}

extension FileFailure: CustomStringConvertible {
    /// `path: cannot write: No space left on device (errno 28)`.
    public var description: String { "\(path): cannot \(operation): \(reason) (errno \(code))" }
}

/// Whole files, read and replaced by system calls, whose error numbers Foundation would hide.
package enum FileAccess {
    /// Reads a whole file; one larger than `limit` bytes fails with EFBIG.
    package static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
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
    package enum Durability {
        /// A crash of the machine may cost it; a crash of this process may not.
        case process
        /// It survives a crash of the machine.
        case machine
    }

    /// Replaces a file as a whole: readers see the old one or the new one, and a failure leaves the old one.
    ///
    /// A device or pipe is written to instead, and a link's target is replaced rather than the link.
    package static func replace(_ path: String, with bytes: [UInt8], durability: Durability) throws(FileFailure) {
        guard try !isStream(path) else { return try writeThrough(bytes, to: path) }
        let target = resolved(path)
        let temporary = try createTemporary(besides: target, named: path)
        do throws(FileFailure) {
            try write(bytes, to: temporary.descriptor, path: path)
            if durability == .machine, fsync(temporary.descriptor) != 0 {
                throw FileFailure(operation: "flush", path: path, code: errno)
            }
        } catch {
            close(temporary.descriptor)
            unlink(temporary.path)
            throw error
        }
        // Some file systems report a full disk only here.
        guard close(temporary.descriptor) == 0, rename(temporary.path, target) == 0 else {
            let failure = FileFailure(operation: "replace", path: path, code: errno)
            unlink(temporary.path)
            throw failure
        }
        if durability == .machine { flushFolder(of: target) }
    }

    /// Makes a folder, and those that it lies in; one that is there already is left alone.
    package static func makeFolder(_ path: String) throws(FileFailure) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw FileFailure(operation: "create", path: path, code: ENOTDIR)
            }
            return
        }
        let outer = path.reversed().drop { $0 == "/" }.drop { $0 != "/" }.reversed()
        if outer.contains(where: { $0 != "/" }) { try makeFolder(String(outer)) }
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw FileFailure(operation: "create", path: path, code: errno)
        }
    }

    /// The one name of a file that may not exist yet, whatever way its path takes; nil of a device or pipe, which takes more than one
    /// text.
    package static func identity(_ path: String) -> String? {
        var status = stat()
        if stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFREG ? resolved(path) : nil }
        guard let slash = path.lastIndex(of: "/") else { return resolved(".") + "/" + path }
        return resolved(slash == path.startIndex ? "/" : String(path[..<slash])) + path[slash...]
    }

    /// Opens a file to write it piece by piece, emptied; the descriptor is the caller's.
    package static func begin(_ path: String) throws(FileFailure) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure(operation: "open", path: path, code: errno) }
        return descriptor
    }

    /// Fails as ``replace(_:with:durability:)`` would, but leaves the file alone.
    package static func checkReplaceable(_ path: String) throws(FileFailure) {
        guard try !isStream(path) else { return }
        let temporary = try createTemporary(besides: resolved(path), named: path)
        close(temporary.descriptor)
        unlink(temporary.path)
    }

    /// Whether a path names something that cannot be replaced by a file, such as `/dev/stdout`.
    private static func isStream(_ path: String) throws(FileFailure) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw FileFailure(operation: "write", path: path, code: EISDIR) }
        return kind != S_IFREG
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Makes an empty file in the folder of the file that it will become.
    private static func createTemporary(
        besides target: String, named path: String
    ) throws(FileFailure) -> (descriptor: Int32, path: String) {
        let temporary = target + ".\(getpid()).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFailure(operation: "create", path: path, code: errno) }
        return (descriptor, temporary)
    }

    private static func writeThrough(_ bytes: [UInt8], to path: String) throws(FileFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(operation: "open", path: path, code: errno) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path: path)
    }

    /// Writes all bytes to a descriptor, however many calls that takes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileFailure) {
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
