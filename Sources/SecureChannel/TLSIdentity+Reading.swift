internal import COpenSSL

/// Identities from what users have: PEM in one or two files, encrypted or not, or a PKCS#12 bundle.
extension TLSIdentity {
    /// Reads the certificates, leaf first, out of PEM text in which other things may stand, too.
    ///
    /// - Throws: ``TLSFailure/notACertificate(found:)``.
    public static func certificateChain(fromPEM text: [UInt8]) throws(TLSFailure) -> String {
        TLSLibrary.prepare()
        var chain = ""
        let count = try PEM.forEachCertificate(in: String(decoding: text, as: UTF8.self)) {
            (certificate) throws(TLSFailure) in
            chain += try PEM.text(ofCertificate: certificate)
        }
        guard count > 0 else { throw .notACertificate(found: PEM.kind(of: text)) }
        return chain
    }

    /// Reads a private key out of PEM text in which other things may stand, too, and returns it without encryption.
    ///
    /// - Throws: ``TLSFailure/notAKey(found:)``, ``TLSFailure/passphraseMissing``, ``TLSFailure/wrongPassphrase``.
    public static func privateKey(fromPEM text: [UInt8], passphrase: Passphrase?) throws(TLSFailure) -> String {
        TLSLibrary.prepare()
        let answer = PassphraseAnswer(passphrase)
        let key = try PEM.withReader(String(decoding: text, as: UTF8.self)) { (bio) throws(TLSFailure) in
            withExtendedLifetime(answer) {
                PEM_read_bio_PrivateKey(bio, nil, givePassphrase, Unmanaged.passUnretained(answer).toOpaque())
            }
        }
        guard let key else {
            ErrorStack.clear()
            guard answer.wasAsked else { throw .notAKey(found: PEM.kind(of: text)) }
            throw passphrase == nil ? .passphraseMissing : .wrongPassphrase
        }
        defer { EVP_PKEY_free(key) }
        return try PEM.text(ofKey: key)
    }

    /// Reads a PKCS#12 bundle (RFC 7292), also one with the old ciphers that key chains export.
    ///
    /// - Throws: ``TLSFailure/notABundle(found:)``, ``TLSFailure/passphraseMissing``, ``TLSFailure/wrongPassphrase``,
    ///   ``TLSFailure/notAKey(found:)`` and ``TLSFailure/notACertificate(found:)`` for what the bundle lacks.
    public init(pkcs12 bytes: [UInt8], passphrase: Passphrase?) throws(TLSFailure) {
        TLSLibrary.prepare()
        ErrorStack.clear()
        let parsed = bytes.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_PKCS12(nil, &place, buffer.count)
        }
        guard let bundle = parsed else {
            ErrorStack.clear()
            throw .notABundle(found: PEM.kind(of: bytes))
        }
        defer { PKCS12_free(bundle) }
        let opened = try BundleContent(bundle, passphrase: passphrase)
        guard let key = opened.key else { throw .notAKey(found: "a bundle without one") }
        guard let leaf = opened.certificate else { throw .notACertificate(found: "a bundle without one") }
        var chain = try PEM.text(ofCertificate: leaf)
        for index in 0..<shim_chain_count(opened.others) {
            if let other = shim_chain_certificate(opened.others, index) {
                chain += try PEM.text(ofCertificate: other)
            }
        }
        self.init(certificateChainPEM: chain, privateKeyPEM: try PEM.text(ofKey: key))
    }

    /// Checks that the key is the leaf certificate's.
    ///
    /// - Throws: ``TLSFailure/keyMismatch``, or what is wrong with either.
    public func checkKey() throws(TLSFailure) {
        let key = try PEM.readPrivateKey(privateKeyPEM)
        defer { EVP_PKEY_free(key) }
        var isLeaf = true
        _ = try PEM.forEachCertificate(in: certificateChainPEM) { (certificate) throws(TLSFailure) in
            defer { isLeaf = false }
            if isLeaf, X509_check_private_key(certificate, key) != 1 {
                ErrorStack.clear()
                throw .keyMismatch
            }
        }
    }

    /// Checks that the leaf certificate is valid at present, by the machine's clock.
    ///
    /// - Throws: ``TLSFailure/certificateExpired(until:)``, ``TLSFailure/certificateNotYetValid(from:)``.
    public func checkValidity() throws(TLSFailure) {
        var isLeaf = true
        _ = try PEM.forEachCertificate(in: certificateChainPEM) { (certificate) throws(TLSFailure) in
            defer { isLeaf = false }
            guard isLeaf else { return }
            let (start, end) = (X509_get0_notBefore(certificate), X509_get0_notAfter(certificate))
            if X509_cmp_current_time(end) < 0 { throw .certificateExpired(until: try Self.text(of: end)) }
            if X509_cmp_current_time(start) > 0 { throw .certificateNotYetValid(from: try Self.text(of: start)) }
        }
    }

    private static func text(of time: UnsafePointer<ASN1_TIME>?) throws(TLSFailure) -> String {
        try PEM.write("writing a time") { ASN1_TIME_print($0, time) }
    }
}

/// What lies in a bundle; owns it.
private final class BundleContent {
    private(set) var key: OpaquePointer?
    private(set) var certificate: OpaquePointer?
    private(set) var others: OpaquePointer?

    init(_ bundle: OpaquePointer, passphrase: Passphrase?) throws(TLSFailure) {
        if !Self.opens(bundle, passphrase), !(Self.hasOldCiphers && Self.opens(bundle, passphrase)) {
            ErrorStack.clear()
            throw passphrase == nil ? .passphraseMissing : .wrongPassphrase
        }
        if parse(bundle, passphrase) { return }
        ErrorStack.clear()
        guard Self.hasOldCiphers, parse(bundle, passphrase) else { throw ErrorStack.failure(of: "opening the bundle") }
    }

    deinit {
        EVP_PKEY_free(key)
        X509_free(certificate)
        if let others { shim_chain_free(others) }
    }

    private func parse(_ bundle: OpaquePointer, _ passphrase: Passphrase?) -> Bool {
        guard let passphrase else { return PKCS12_parse(bundle, nil, &key, &certificate, &others) == 1 }
        return passphrase.withCText { PKCS12_parse(bundle, $0, &key, &certificate, &others) == 1 }
    }

    /// Whether the seal of the bundle is the passphrase's; an empty one may be a passphrase of no bytes, or none.
    private static func opens(_ bundle: OpaquePointer, _ passphrase: Passphrase?) -> Bool {
        guard PKCS12_mac_present(bundle) == 1 else { return true }
        guard let passphrase else {
            return PKCS12_verify_mac(bundle, nil, 0) == 1 || PKCS12_verify_mac(bundle, "", 0) == 1
        }
        return passphrase.withCText { PKCS12_verify_mac(bundle, $0, Int32(clamping: passphrase.bytes.count)) == 1 }
    }

    /// Loads the ciphers that bundles had before 2020; once loaded they stay, and change nothing for connections.
    private static let hasOldCiphers =
        OSSL_PROVIDER_load(nil, "legacy") != nil && OSSL_PROVIDER_load(nil, "default") != nil
}

/// What the library's question for a passphrase finds, and whether it was asked.
private final class PassphraseAnswer {
    let bytes: [UInt8]
    var wasAsked = false

    init(_ passphrase: Passphrase?) { bytes = passphrase?.bytes ?? [] }
}

/// Answers the library's question for a passphrase; without a function it would ask on the terminal.
private func givePassphrase(
    target: UnsafeMutablePointer<CChar>?, capacity: Int32, _: Int32, argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument, let target else { return -1 }
    let answer = Unmanaged<PassphraseAnswer>.fromOpaque(argument).takeUnretainedValue()
    answer.wasAsked = true
    let bytes = answer.bytes
    guard !bytes.isEmpty, bytes.count <= Int(capacity) else { return -1 }
    for (index, byte) in bytes.enumerated() { target[index] = CChar(bitPattern: byte) }
    return Int32(bytes.count)
}
