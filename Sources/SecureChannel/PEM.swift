internal import COpenSSL

/// Reading and writing of PEM text in memory.
enum PEM {
    /// Calls `body` with a memory BIO over the text.
    static func withReader<Result>(
        _ text: String, _ body: (OpaquePointer) throws(TLSFailure) -> Result
    ) throws(TLSFailure) -> Result {
        let bytes = Array(text.utf8)
        guard let count = Int32(exactly: bytes.count), let bio = BIO_new_mem_buf(bytes, count) else {
            throw .invalidInput("PEM text of \(bytes.count) bytes")
        }
        // The BIO only points at the array, which must therefore live as long.
        defer { withExtendedLifetime(bytes) { _ = BIO_free(bio) } }
        ErrorStack.clear()
        return try body(bio)
    }

    /// Reads every certificate in the text and calls `body` with each, which borrows it; returns how many there were.
    static func forEachCertificate(
        in text: String, _ body: (OpaquePointer) throws(TLSFailure) -> Void
    ) throws(TLSFailure) -> Int {
        try withReader(text) { (bio) throws(TLSFailure) in
            var count = 0
            // Ends at the end of the text: each round consumes some of it.
            while let certificate = PEM_read_bio_X509(bio, nil, refusePassword, nil) {
                defer { X509_free(certificate) }
                try body(certificate)
                count += 1
            }
            ErrorStack.clear()
            return count
        }
    }

    /// Reads a private key; the caller owns it.
    static func readPrivateKey(_ text: String) throws(TLSFailure) -> OpaquePointer {
        try withReader(text) { (bio) throws(TLSFailure) in
            guard let key = PEM_read_bio_PrivateKey(bio, nil, refusePassword, nil) else {
                throw ErrorStack.failure(of: "reading a private key")
            }
            return key
        }
    }

    /// A certificate as text.
    static func text(ofCertificate certificate: OpaquePointer) throws(TLSFailure) -> String {
        try write("writing a certificate") { PEM_write_bio_X509($0, certificate) }
    }

    /// A private key as text that is not encrypted.
    static func text(ofKey key: OpaquePointer) throws(TLSFailure) -> String {
        try write("writing a private key") { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
    }

    /// What bytes are that are not what was expected, in words for a message.
    static func kind(of bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "nothing: it is empty" }
        let marker = "-----BEGIN "
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        where line.hasPrefix(marker) {
            let label = line.dropFirst(marker.count).prefix { $0 != "-" }
            return "a damaged or other PEM block (\(label.prefix(40)))"
        }
        return bytes[0] == 0x30 ? "binary data (DER)" : "no PEM block"
    }

    /// Collects what `body` writes into a memory BIO.
    static func write(_ operation: String, _ body: (OpaquePointer) -> Int32) throws(TLSFailure) -> String {
        String(decoding: try writeBytes(operation, body), as: UTF8.self)
    }

    /// Collects the bytes that `body` writes into a memory BIO.
    static func writeBytes(_ operation: String, _ body: (OpaquePointer) -> Int32) throws(TLSFailure) -> [UInt8] {
        guard let bio = BIO_new(BIO_s_mem()) else { throw ErrorStack.failure(of: operation) }
        defer { BIO_free(bio) }
        guard body(bio) == 1 else { throw ErrorStack.failure(of: operation) }
        var start: UnsafeMutablePointer<CChar>?
        let count = shim_bio_memory(bio, &start)
        return Array(UnsafeRawBufferPointer(start: start, count: max(0, count)))
    }
}

/// Without it the library would ask for a password on the terminal.
private func refusePassword(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { 0 }
