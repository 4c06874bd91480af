internal import COpenSSL

/// A certificate authority of our own, made in memory, for simulators and tests.
///
/// It is used by one thread at a time; what it issues is text.
public final class CertificateAuthority {
    /// The kind of key that is made.
    public enum KeyKind: Sendable {
        /// An elliptic-curve key on P-256.
        case p256
        /// An RSA key of 2,048 bits.
        case rsa2048
    }

    /// What a certificate is for.
    public enum Purpose: Sendable {
        /// A TLS server.
        case server
        /// A TLS client.
        case client
    }

    /// The authority's own certificate, for those who shall believe it.
    public let certificatePEM: String
    private let certificate: OpaquePointer
    private let key: OpaquePointer
    private let keyKind: KeyKind

    /// Makes an authority with a fresh key, valid from a day ago for ten years.
    ///
    /// - Throws: ``TLSFailure`` when the library refuses.
    public init(commonName: String = "pushbench test authority", keyKind: KeyKind = .p256) throws(TLSFailure) {
        TLSLibrary.prepare()
        let key = try Self.makeKey(keyKind)
        let certificate: OpaquePointer
        do {
            certificate = try Self.makeCertificate(
                subject: commonName, key: key, issuer: nil, issuerKey: key,
                extensions: [
                    (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                    (NID_subject_key_identifier, "hash"),
                ])
            certificatePEM = try Self.pem(of: certificate)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        self.certificate = certificate
        self.key = key
        self.keyKind = keyKind
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// Issues a certificate with a fresh key; a server's is always good for localhost, 127.0.0.1 and ::1 too.
    ///
    /// `names` are host names and IP addresses; the first becomes the common name.
    ///
    /// - Throws: ``TLSFailure`` when a name cannot stand in a certificate, or the library refuses.
    public func issue(_ purpose: Purpose, names: [String] = []) throws(TLSFailure) -> TLSIdentity {
        for name in names where !Self.isPlain(name) { throw .invalidInput("the certificate name \"\(name)\"") }
        let key = try Self.makeKey(keyKind)
        defer { EVP_PKEY_free(key) }
        var extensions = [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, purpose == .server ? "serverAuth" : "clientAuth"),
        ]
        let allNames = purpose == .server ? names + ["localhost", "127.0.0.1", "::1"] : names
        if !allNames.isEmpty {
            extensions.append((NID_subject_alt_name, allNames.map(Self.alternativeName).joined(separator: ",")))
        }
        let subject = names.first ?? (purpose == .server ? "localhost" : "provider")
        let leaf = try Self.makeCertificate(
            subject: subject, key: key, issuer: certificate, issuerKey: self.key, extensions: extensions)
        defer { X509_free(leaf) }
        return TLSIdentity(
            certificateChainPEM: try Self.pem(of: leaf),
            privateKeyPEM: try PEM.write("writing a private key") {
                PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil)
            })
    }

    private static func makeKey(_ kind: KeyKind) throws(TLSFailure) -> OpaquePointer {
        ErrorStack.clear()
        let key =
            switch kind {
            case .p256: shim_make_p256_key()
            case .rsa2048: shim_make_rsa_key(2_048)
            }
        guard let key else { throw ErrorStack.failure(of: "making a key") }
        return key
    }

    private static func pem(of certificate: OpaquePointer) throws(TLSFailure) -> String {
        try PEM.write("writing a certificate") { PEM_write_bio_X509($0, certificate) }
    }

    /// Names go into the library's configuration language, in which commas and colons have a meaning.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: ":"): true
                default: false
                }
            }
    }

    private static func alternativeName(_ name: String) -> String {
        let address = a2i_IPADDRESS(name)
        defer { ASN1_OCTET_STRING_free(address) }
        return address == nil ? "DNS:\(name)" : "IP:\(name)"
    }

    /// Makes and signs a certificate; the caller owns it. Without an issuer it signs itself.
    private static func makeCertificate(
        subject: String, key: OpaquePointer, issuer: OpaquePointer?, issuerKey: OpaquePointer,
        extensions: [(identifier: Int32, value: String)]
    ) throws(TLSFailure) -> OpaquePointer {
        ErrorStack.clear()
        guard let certificate = X509_new() else { throw ErrorStack.failure(of: "making a certificate") }
        let isMade =
            describe(certificate, subject: subject, key: key, issuer: issuer)
            && add(extensions, to: certificate, issuer: issuer)
            && X509_sign(certificate, issuerKey, EVP_sha256()) > 0
        guard isMade else {
            X509_free(certificate)
            throw ErrorStack.failure(of: "making a certificate")
        }
        return certificate
    }

    private static func describe(
        _ certificate: OpaquePointer, subject: String, key: OpaquePointer, issuer: OpaquePointer?
    ) -> Bool {
        let day = 86_400
        var serial: UInt64 = 0
        guard RAND_bytes(&serial, 8) == 1, X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1,
            X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), 3_650 * day) != nil,
            X509_set_pubkey(certificate, key) == 1
        else { return false }
        let name = X509_get_subject_name(certificate)
        // A common name holds at most 64 bytes (RFC 5280, ub-common-name); the alternative names have the rest.
        let common = Array(subject.utf8.prefix(64))
        return X509_NAME_add_entry_by_NID(
            name, NID_commonName, MBSTRING_UTF8, common, Int32(common.count), -1, 0) == 1
            && X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0) } ?? name) == 1
    }

    private static func add(
        _ extensions: [(identifier: Int32, value: String)], to certificate: OpaquePointer, issuer: OpaquePointer?
    ) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer ?? certificate, certificate, nil, nil, 0)
        for (identifier, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
            defer { X509_EXTENSION_free(made) }
            guard X509_add_ext(certificate, made, -1) == 1 else { return false }
        }
        return true
    }
}
