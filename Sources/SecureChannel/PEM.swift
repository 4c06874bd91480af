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

    /// Collects what `body` writes into a memory BIO.
    static func write(_ operation: String, _ body: (OpaquePointer) -> Int32) throws(TLSFailure) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { throw ErrorStack.failure(of: operation) }
        defer { BIO_free(bio) }
        guard body(bio) == 1 else { throw ErrorStack.failure(of: operation) }
        var start: UnsafeMutablePointer<CChar>?
        let count = shim_bio_memory(bio, &start)
        return String(decoding: UnsafeRawBufferPointer(start: start, count: max(0, count)), as: UTF8.self)
    }
}

/// Without it the library would ask for a password on the terminal.
private func refusePassword(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { 0 }
