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
            var plan = CertificatePlan(commonName: commonName)
            plan.extensions = [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ]
            certificate = try plan.make(key: key, issuer: nil, issuerKey: key)
            certificatePEM = try PEM.text(ofCertificate: certificate)
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
    public func issue(
        _ purpose: Purpose, names: [String] = [], validity: CertificateValidity = CertificateValidity()
    ) throws(TLSFailure) -> TLSIdentity {
        for name in names { try Self.checkName(name) }
        var plan = CertificatePlan(commonName: names.first ?? (purpose == .server ? "localhost" : "provider"))
        plan.validity = validity
        plan.extensions = Self.leafExtensions(purpose)
        let allNames = purpose == .server ? names + ["localhost", "127.0.0.1", "::1"] : names
        if !allNames.isEmpty {
            plan.extensions.append((NID_subject_alt_name, allNames.map(Self.alternativeName).joined(separator: ",")))
        }
        return try issue(plan)
    }

    /// Issues a provider's certificate with a fresh key, as Apple's look (`protocol.md` section 3.8): the topic stands in
    /// the subject, and extensions tell the environments.
    ///
    /// - Parameters:
    ///   - topic: the app's bundle identifier.
    ///   - environments: for both of them the certificate is a universal one, which lists the app's topics.
    ///   - validity: when it is good; one that lies in the past makes an expired certificate.
    /// - Returns: the certificate and its key.
    /// - Throws: ``TLSFailure`` when the topic cannot stand in a certificate, or the library refuses.
    public func issueProvider(
        topic: String, environments: ProviderCertificate.Environments = .both,
        validity: CertificateValidity = CertificateValidity()
    ) throws(TLSFailure) -> TLSIdentity {
        try Self.checkName(topic)
        let kind =
            switch environments {
            case .sandbox: "Apple Development IOS Push Services"
            case .production: "Apple Production IOS Push Services"
            default: "Apple Push Services"
            }
        var plan = CertificatePlan(commonName: "\(kind): \(topic)")
        plan.userIdentifier = topic
        plan.validity = validity
        plan.extensions = Self.leafExtensions(.client)
        if environments.contains(.sandbox) { plan.appleExtensions.append((.development, TopicList.null)) }
        if environments.contains(.production) { plan.appleExtensions.append((.production, TopicList.null)) }
        if environments == .both { plan.appleExtensions.append((.topics, TopicList.encode(app: topic))) }
        return try issue(plan)
    }

    /// The authority's own private key, for those who want to issue with it later.
    ///
    /// - Throws: ``TLSFailure`` when memory is short.
    public func privateKeyPEM() throws(TLSFailure) -> String { try PEM.text(ofKey: key) }

    private func issue(_ plan: CertificatePlan) throws(TLSFailure) -> TLSIdentity {
        let leafKey = try Self.makeKey(keyKind)
        defer { EVP_PKEY_free(leafKey) }
        let leaf = try plan.make(key: leafKey, issuer: certificate, issuerKey: key)
        defer { X509_free(leaf) }
        return TLSIdentity(
            certificateChainPEM: try PEM.text(ofCertificate: leaf), privateKeyPEM: try PEM.text(ofKey: leafKey))
    }

    private static func leafExtensions(_ purpose: Purpose) -> [(Int32, String)] {
        [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, purpose == .server ? "serverAuth" : "clientAuth"),
            // Clients that verify strictly, as Python's do from 3.13 on, want both identifiers (RFC 5280 section 4.2.1).
            (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
        ]
    }

    private static func checkName(_ name: String) throws(TLSFailure) {
        guard isPlain(name) else { throw .invalidInput("the certificate name \"\(name)\"") }
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
}
