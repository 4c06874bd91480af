internal import COpenSSL

/// Everything that the connections of one identity share: keys, trusted authorities, versions, ticket keys.
///
/// Make it once, before the clock starts (up to 25 ms with the system's authorities), never per connection. It may be
/// used from every loop.
public final class TLSContext: Sendable {
    /// Which side of a connection a context is for.
    public enum Role: Sendable {
        /// The side that connects.
        case client
        /// The side that accepts.
        case server
    }

    /// Which side this context is for.
    public let role: Role
    /// Whether a client checks the server's certificate and name.
    let verifiesPeer: Bool
    private let handle: ContextHandle

    /// Makes a client's context.
    ///
    /// - Throws: ``TLSFailure`` when a certificate or key is unusable.
    public init(client options: TLSClientOptions) throws(TLSFailure) {
        TLSLibrary.prepare()
        role = .client
        verifiesPeer = options.trust != .anybody
        let handle = try ContextHandle(method: TLS_client_method())
        try handle.setVersions(options.versions)
        try handle.setTrust(options.trust)
        if let identity = options.identity { try handle.setIdentity(identity) }
        try handle.offer(applicationProtocols: options.applicationProtocols)
        SSL_CTX_sess_set_new_cb(handle.pointer, sessionCallback)
        shim_ctx_set_cache_mode(handle.pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        self.handle = handle
    }

    /// Makes a server's context.
    ///
    /// - Throws: ``TLSFailure`` when a certificate or key is unusable.
    public init(server options: TLSServerOptions) throws(TLSFailure) {
        TLSLibrary.prepare()
        role = .server
        verifiesPeer = false
        var handle = try ContextHandle(method: TLS_server_method())
        try handle.setVersions(options.versions)
        try handle.setIdentity(options.identity)
        try handle.ask(for: options.clientCertificates)
        try handle.setTickets(options.tickets)
        try handle.choose(applicationProtocols: options.applicationProtocols)
        self.handle = handle
    }

    /// Makes the library's object for one connection; the caller owns it.
    func makeConnection() throws(TLSFailure) -> OpaquePointer {
        ErrorStack.clear()
        guard let ssl = SSL_new(handle.pointer) else {
            throw ErrorStack.failure(of: "making a connection object")
        }
        return ssl
    }
}

/// The one owned reference to a context of the library, and the memory that its callbacks use.
///
/// Addresses are kept as numbers so that the context may be shared: the library counts references atomically and
/// does not change a context after it was set up, but for what it locks itself.
struct ContextHandle: ~Copyable, Sendable {
    private let address: UInt
    /// The server's protocols in wire form (RFC 7301 section 3.1): the length, in two bytes, then that many bytes.
    private var protocolList: UInt = 0

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    init(method: OpaquePointer?) throws(TLSFailure) {
        ErrorStack.clear()
        guard let pointer = SSL_CTX_new(method) else { throw ErrorStack.failure(of: "making a TLS context") }
        address = UInt(bitPattern: pointer)
        shim_ctx_add_mode(pointer, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
        shim_ctx_refuse_renegotiation(pointer)
    }

    deinit {
        SSL_CTX_free(OpaquePointer(bitPattern: address))
        UnsafeMutableRawPointer(bitPattern: protocolList)?.deallocate()
    }

    func setVersions(_ versions: ClosedRange<TLSVersion>) throws(TLSFailure) {
        guard shim_ctx_set_min_version(pointer, versions.lowerBound.number) == 1,
            shim_ctx_set_max_version(pointer, versions.upperBound.number) == 1
        else { throw ErrorStack.failure(of: "setting the TLS versions") }
    }

    func setTrust(_ trust: TLSTrust) throws(TLSFailure) {
        switch trust {
        case .anybody: SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        case .system:
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw ErrorStack.failure(of: "loading the system's certificate authorities")
            }
        case .authorities(let pem):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            try believe(authoritiesPEM: pem, announcing: false)
        }
    }

    func setIdentity(_ identity: TLSIdentity) throws(TLSFailure) {
        var isLeaf = true
        let count = try PEM.forEachCertificate(in: identity.certificateChainPEM) { (certificate) throws(TLSFailure) in
            let isTaken =
                isLeaf
                ? SSL_CTX_use_certificate(pointer, certificate)
                : shim_ctx_add1_chain_certificate(pointer, certificate)
            guard isTaken == 1 else { throw ErrorStack.failure(of: "using a certificate") }
            isLeaf = false
        }
        guard count > 0 else { throw .invalidInput("a certificate chain without a certificate") }
        let key = try PEM.readPrivateKey(identity.privateKeyPEM)
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(pointer, key) == 1, SSL_CTX_check_private_key(pointer) == 1 else {
            throw ErrorStack.failure(of: "using a private key")
        }
    }

    func ask(for certificates: TLSClientCertificates) throws(TLSFailure) {
        // Sessions are bound to this name; without one the library refuses to resume where it asks for certificates.
        let name = Array("pushbench".utf8)
        SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count))
        switch certificates {
        case .none: SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        case .optional(let pem):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
            try believe(authoritiesPEM: pem, announcing: true)
        case .required(let pem):
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            try believe(authoritiesPEM: pem, announcing: true)
        }
    }

    func setTickets(_ tickets: TLSTickets) throws(TLSFailure) {
        // Tickets carry the session; a cache on our side would only grow.
        shim_ctx_set_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        switch tickets {
        case .none:
            shim_ctx_refuse_tickets(pointer)
            SSL_CTX_set_num_tickets(pointer, 0)
        case .everyHandshake(let count), .fullHandshakes(let count):
            guard (1...8).contains(count) else { throw .invalidInput("a ticket count of \(count)") }
            SSL_CTX_set_num_tickets(pointer, count)
        }
        if case .fullHandshakes = tickets {
            SSL_CTX_set_session_ticket_cb(pointer, { _, _ in 1 }, useWithoutRenewal, nil)
        }
    }

    func offer(applicationProtocols names: [String]) throws(TLSFailure) {
        guard !names.isEmpty else { return }
        let list = try Self.wireForm(names)
        // This function alone returns 0 for success.
        guard SSL_CTX_set_alpn_protos(pointer, list, UInt32(list.count)) == 0 else {
            throw ErrorStack.failure(of: "offering application protocols")
        }
    }

    mutating func choose(applicationProtocols names: [String]) throws(TLSFailure) {
        guard !names.isEmpty else { return }
        let list = try Self.wireForm(names)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: list.count + 2)
        memory[0] = UInt8(list.count >> 8)
        memory[1] = UInt8(list.count & 0xFF)
        (memory + 2).initialize(from: list, count: list.count)
        protocolList = UInt(bitPattern: memory)
        SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, memory)
    }

    private func believe(authoritiesPEM text: String, announcing: Bool) throws(TLSFailure) {
        let store = SSL_CTX_get_cert_store(pointer)
        let count = try PEM.forEachCertificate(in: text) { (certificate) throws(TLSFailure) in
            guard X509_STORE_add_cert(store, certificate) == 1 else {
                throw ErrorStack.failure(of: "adding a certificate authority")
            }
            if announcing { SSL_CTX_add_client_CA(pointer, certificate) }
        }
        guard count > 0 else { throw .invalidInput("a list of certificate authorities without a certificate") }
    }

    private static func wireForm(_ names: [String]) throws(TLSFailure) -> [UInt8] {
        var list: [UInt8] = []
        for name in names {
            guard (1...255).contains(name.utf8.count) else {
                throw .invalidInput("the application protocol \"\(name)\"")
            }
            list.append(UInt8(name.utf8.count))
            list.append(contentsOf: name.utf8)
        }
        guard list.count <= 0xFFFF else { throw .invalidInput("a list of \(names.count) application protocols") }
        return list
    }
}

extension TLSVersion {
    /// The number on the wire (RFC 8446 section 4.2.1).
    fileprivate var number: Int32 { self == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION }
}

/// Resumes from a good ticket without giving a new one, where the library's own habit is to renew each time.
private let useWithoutRenewal: SSL_CTX_decrypt_session_ticket_fn = { _, _, _, _, status, _ in
    switch status {
    case SSL_TICKET_SUCCESS, SSL_TICKET_SUCCESS_RENEW: SSL_TICKET_RETURN_USE
    default: SSL_TICKET_RETURN_IGNORE_RENEW
    }
}

/// Picks the first of the server's protocols that the client offers; without one, the handshake ends (RFC 7301 section 3.2).
private let chooseProtocol: SSL_CTX_alpn_select_cb_func = { _, chosen, chosenCount, offered, offeredCount, argument in
    guard let memory = argument?.assumingMemoryBound(to: UInt8.self), let offered else { return SSL_TLSEXT_ERR_NOACK }
    let count = UInt32(memory[0]) << 8 | UInt32(memory[1])
    var selected: UnsafeMutablePointer<UInt8>?
    let result = SSL_select_next_proto(&selected, chosenCount, memory + 2, count, offered, offeredCount)
    guard result == OPENSSL_NPN_NEGOTIATED, let selected else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    chosen?.pointee = UnsafePointer(selected)
    return SSL_TLSEXT_ERR_OK
}
