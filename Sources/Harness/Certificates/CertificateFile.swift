import Glibc

/// A file of certificates or keys that is to be written.
public struct CertificateFile: Equatable, Sendable {
    /// The name within its folder.
    public let name: String
    /// The content.
    public let bytes: [UInt8]
    /// What is in it, for people.
    public let purpose: String
    /// Whether only its owner may read it.
    public let isSecret: Bool
    /// Whether it is a provider's certificate.
    public let isProvider: Bool

    init(name: String, bytes: [UInt8], purpose: String, isSecret: Bool = false, isProvider: Bool = false) {
        self.name = name
        self.bytes = bytes
        self.purpose = purpose
        self.isSecret = isSecret
        self.isProvider = isProvider
    }

    init(name: String, text: String, purpose: String, isSecret: Bool = false, isProvider: Bool = false) {
        self.init(name: name, bytes: Array(text.utf8), purpose: purpose, isSecret: isSecret, isProvider: isProvider)
    }

    /// Writes files into a folder, which is made if need be; a secret one gets the mode 0600.
    ///
    /// - Parameters:
    ///   - files: what is written.
    ///   - folder: where.
    ///   - replacing: whether files of the same names may be replaced; otherwise nothing is written when there is one.
    /// - Throws: ``HarnessError/invalidInput(_:)`` with the path and the reason.
    public static func write(
        _ files: [CertificateFile], to folder: String, replacing: Bool
    ) throws(HarnessError) {
        if mkdir(folder, 0o755) != 0, errno != EEXIST { throw failure(folder) }
        if !replacing {
            for file in files where access("\(folder)/\(file.name)", F_OK) == 0 {
                throw .invalidInput("\(folder)/\(file.name) exists; with --force it is replaced")
            }
        }
        for file in files { try file.write(to: "\(folder)/\(file.name)") }
    }

    private func write(to path: String) throws(HarnessError) {
        // An old file would keep its mode, and whoever has it open would read the new key.
        if unlink(path) != 0, errno != ENOENT { throw Self.failure(path) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw Self.failure(path) }
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let failure = Self.failure(path)
                close(descriptor)
                throw failure
            }
            offset += count
        }
        guard close(descriptor) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> HarnessError {
        .invalidInput("\(path): \(String(cString: strerror(errno)))")
    }
}
