internal import COpenSSL

/// When a certificate is good, in days from now; negative days lie in the past.
public struct CertificateValidity: Hashable, Sendable {
    /// The first and the last day.
    public var days: ClosedRange<Int>

    /// Makes a time that reaches from a day ago, against clocks that go wrong, for ten years.
    public init(days: ClosedRange<Int> = -1...3_650) { self.days = days }

    /// A time that was over yesterday.
    public static let expired = CertificateValidity(days: -30 ... -1)
}

/// What a certificate shall hold.
struct CertificatePlan {
    private static let secondsOfDay = 86_400
    /// RFC 5280, ub-common-name; the alternative names have the rest.
    private static let commonNameLimit = 64

    let commonName: String
    var userIdentifier: String?
    var validity = CertificateValidity()
    var extensions: [(identifier: Int32, value: String)] = []
    var appleExtensions: [(extension: AppleExtension, value: [UInt8])] = []

    init(commonName: String) { self.commonName = commonName }

    /// Makes and signs the certificate; the caller owns it. Without an issuer it signs itself.
    func make(
        key: OpaquePointer, issuer: OpaquePointer?, issuerKey: OpaquePointer
    ) throws(TLSFailure) -> OpaquePointer {
        ErrorStack.clear()
        guard let certificate = X509_new() else { throw ErrorStack.failure(of: "making a certificate") }
        let isMade =
            describe(certificate, key: key, issuer: issuer) && extend(certificate, issuer: issuer)
            && X509_sign(certificate, issuerKey, EVP_sha256()) > 0
        guard isMade else {
            X509_free(certificate)
            throw ErrorStack.failure(of: "making a certificate")
        }
        return certificate
    }

    private func describe(_ certificate: OpaquePointer, key: OpaquePointer, issuer: OpaquePointer?) -> Bool {
        var serial: UInt64 = 0
        guard RAND_bytes(&serial, 8) == 1, X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1,
            set(X509_getm_notBefore(certificate), day: validity.days.lowerBound),
            set(X509_getm_notAfter(certificate), day: validity.days.upperBound),
            X509_set_pubkey(certificate, key) == 1
        else { return false }
        let name = X509_get_subject_name(certificate)
        if let userIdentifier, !add(userIdentifier, as: NID_userId, to: name) { return false }
        return add(
            String(decoding: commonName.utf8.prefix(Self.commonNameLimit), as: UTF8.self), as: NID_commonName, to: name)
            && X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0) } ?? name) == 1
    }

    private func set(_ time: UnsafeMutablePointer<ASN1_TIME>?, day: Int) -> Bool {
        X509_gmtime_adj(time, day * Self.secondsOfDay) != nil
    }

    private func add(_ text: String, as entry: Int32, to name: OpaquePointer?) -> Bool {
        let bytes = Array(text.utf8)
        return X509_NAME_add_entry_by_NID(name, entry, MBSTRING_UTF8, bytes, Int32(clamping: bytes.count), -1, 0) == 1
    }

    private func extend(_ certificate: OpaquePointer, issuer: OpaquePointer?) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer ?? certificate, certificate, nil, nil, 0)
        for (identifier, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else { return false }
            defer { X509_EXTENSION_free(made) }
            guard X509_add_ext(certificate, made, -1) == 1 else { return false }
        }
        return appleExtensions.allSatisfy { $0.extension.add($0.value, to: certificate) }
    }
}
