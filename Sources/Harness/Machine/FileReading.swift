import Glibc

/// The most bytes of a list of tokens, 2 GiB: some thirty million tokens.
let tokenFileBytesMax = 2 << 30

/// Reads a whole file.
///
/// - Parameters:
///   - path: the file.
///   - limit: the most bytes, since a device or a pipe may never end. Default: 16 MiB.
/// - Returns: its bytes.
/// - Throws: ``HarnessError/invalidInput(_:)`` with the path and the system's reason.
public func readFile(_ path: String, limit: Int = 16 << 20) throws(HarnessError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .invalidInput("\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {  // ends with the file, too
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw .invalidInput("\(path): \(String(cString: strerror(errno)))") }
        if count == 0 { return bytes }
        bytes.append(contentsOf: chunk[0..<count])
    }
    throw .invalidInput("\(path): more than \(limit >> 20) MiB are not read")
}
