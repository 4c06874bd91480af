internal import COpenSSL

/// One TLS connection as a byte machine: no socket, no clock, no waiting.
///
/// Encrypted input is lent, encrypted output is appended to a ``CiphertextBuffer`` that the caller lends, so that the
/// records of one batch leave in one write. It belongs to one event loop. Whatever the peer sends ends in a value.
public final class TLSChannel {
    private let ssl: OpaquePointer
    /// Held, because the library's callbacks use memory of it.
    private let context: TLSContext
    private let memory: UnsafeMutablePointer<ChannelMemory>

    /// Makes a client's channel that will check that the peer is `serverName` (a host name or an IP address).
    ///
    /// - Throws: ``TLSFailure`` when the name is unusable or memory is short.
    public convenience init(
        client context: TLSContext, serverName: String, resuming session: TLSSession? = nil
    ) throws(TLSFailure) {
        precondition(context.role == .client, "a server's context cannot make a client's channel")
        try self.init(context)
        SSL_set_connect_state(ssl)
        try expect(serverName: serverName, verifying: context.verifiesPeer)
        session?.offer(on: ssl)
    }

    /// Makes a server's channel.
    ///
    /// - Throws: ``TLSFailure`` when memory is short.
    public convenience init(server context: TLSContext) throws(TLSFailure) {
        precondition(context.role == .server, "a client's context cannot make a server's channel")
        try self.init(context)
        SSL_set_accept_state(ssl)
    }

    private init(_ context: TLSContext) throws(TLSFailure) {
        ssl = try context.makeConnection()
        self.context = context
        memory = .allocate(capacity: 1)
        memory.initialize(to: ChannelMemory())
        guard let bio = MemoryBIO.make(memory: memory) else { throw ErrorStack.failure(of: "making a BIO") }
        // One BIO for both directions; the connection owns it from here.
        SSL_set_bio(ssl, bio, bio)
        SSL_set_ex_data(ssl, 0, memory)
    }

    deinit {
        // Without this the library would forbid to resume a session whose connection broke.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        SSL_free(ssl)
        if let session = memory.pointee.newestSession { SSL_SESSION_free(session) }
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// Lends encrypted bytes; they must stay valid until ``takeBackInput()``.
    public func lend(input: UnsafeRawBufferPointer) { memory.pointee.input = input }

    /// Ends the loan; bytes not yet asked for are forgotten.
    public func takeBackInput() { memory.pointee.input = UnsafeRawBufferPointer(start: nil, count: 0) }

    /// Goes on with the handshake as far as the lent input allows; the first call of a client needs none.
    public func handshake(output: CiphertextBuffer) -> TLSHandshakeStep {
        begin(output)
        defer { memory.pointee.output = nil }
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: return .failed(failure(of: "the handshake"))
        }
    }

    /// Decrypts lent input into `plaintext` until one of them is used up.
    ///
    /// Output (alerts, key updates) may be appended. The count in the answer is valid with every reason.
    public func read(into plaintext: UnsafeMutableRawBufferPointer, output: CiphertextBuffer) -> TLSReadStep {
        begin(output)
        defer { memory.pointee.output = nil }
        var filled = 0
        // Each round fills some of the buffer or leaves.
        while let start = plaintext.baseAddress, filled < plaintext.count {
            let room = Int32(truncatingIfNeeded: min(plaintext.count - filled, Int(Int32.max)))
            let count = SSL_read(ssl, start + filled, room)
            if count > 0 {
                filled += Int(count)
                continue
            }
            return TLSReadStep(byteCount: filled, reason: reasonForStopping(count))
        }
        return TLSReadStep(byteCount: filled, reason: .plaintextFull)
    }

    /// Encrypts all of `plaintext` into `output`, in full records; nil, or why it could not be.
    ///
    /// - Precondition: the handshake is done; at most ``CiphertextBuffer/batchCapacity`` bytes.
    public func write(_ plaintext: UnsafeRawBufferPointer, output: CiphertextBuffer) -> TLSFailure? {
        precondition(plaintext.count <= CiphertextBuffer.batchCapacity, "a batch is larger than its buffer")
        begin(output)
        defer { memory.pointee.output = nil }
        var written = 0
        while let start = plaintext.baseAddress, written < plaintext.count {
            let count = SSL_write(ssl, start + written, Int32(plaintext.count - written))
            if count <= 0 { return failure(of: "writing") }
            written += Int(count)
        }
        return nil
    }

    /// Appends our close_notify (RFC 8446 section 6.1); harmless when it was sent before or nothing was agreed yet.
    public func close(output: CiphertextBuffer) {
        begin(output)
        defer { memory.pointee.output = nil }
        if SSL_is_init_finished(ssl) == 1 { _ = SSL_shutdown(ssl) }
        ErrorStack.clear()
    }

    /// What was agreed in the handshake; meaningful once it is done.
    public var facts: TLSFacts {
        var name: UnsafePointer<UInt8>?
        var nameCount: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &nameCount)
        let certificate = SSL_get0_peer_certificate(ssl)
        return TLSFacts(
            version: SSL_version(ssl) == TLS1_2_VERSION ? .tls12 : .tls13,
            cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "",
            isResumed: SSL_session_reused(ssl) == 1,
            applicationProtocol: name.map {
                String(decoding: UnsafeBufferPointer(start: $0, count: Int(nameCount)), as: UTF8.self)
            },
            hasPeerCertificate: certificate != nil,
            providerCertificate: SSL_is_server(ssl) == 1 ? certificate.map { ProviderCertificate($0) } : nil)
    }

    /// Takes the newest session that the peer gave on this connection; nil when it gave none since the last call.
    ///
    /// With TLS 1.3 tickets come after the handshake, with the first bytes read.
    public func takeSession() -> TLSSession? {
        guard let session = memory.pointee.newestSession else { return nil }
        memory.pointee.newestSession = nil
        guard SSL_SESSION_is_resumable(session) == 1 else {
            SSL_SESSION_free(session)
            return nil
        }
        return TLSSession(owning: session)
    }

    /// Gives the library's record buffers (about 34 KiB) back; they are made again when next needed.
    public func releaseBuffers() { _ = SSL_free_buffers(ssl) }

    private func begin(_ output: CiphertextBuffer) {
        ErrorStack.clear()
        memory.pointee.output = .passUnretained(output)
    }

    private func reasonForStopping(_ result: Int32) -> TLSReadStep.Reason {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: .wantsInput
        case SSL_ERROR_ZERO_RETURN: .closed
        default: .failed(failure(of: "reading"))
        }
    }

    private func failure(of operation: String) -> TLSFailure {
        if memory.pointee.hasOverflowed {
            ErrorStack.clear()
            return .outputOverflow(capacity: CiphertextBuffer.capacity)
        }
        return ErrorStack.failure(of: operation, on: ssl)
    }

    private func expect(serverName: String, verifying: Bool) throws(TLSFailure) {
        ErrorStack.clear()
        let isAddress = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), serverName) == 1
        ErrorStack.clear()
        // Addresses are not allowed as a server name on the wire (RFC 6066 section 3).
        if isAddress { return }
        guard !serverName.isEmpty, shim_ssl_set_server_name(ssl, serverName) == 1,
            !verifying || SSL_set1_host(ssl, serverName) == 1
        else { throw .invalidInput("the server name \"\(serverName)\"") }
    }
}
