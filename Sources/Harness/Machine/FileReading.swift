import Glibc

/// Reads a whole file.
///
/// - Throws: ``HarnessError/invalidInput(_:)`` with the path and the system's reason.
public func readFile(_ path: String) throws(HarnessError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .invalidInput("\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {  // ends with the file
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw .invalidInput("\(path): \(String(cString: strerror(errno)))") }
        if count == 0 { return bytes }
        bytes.append(contentsOf: chunk[0..<count])
    }
}
