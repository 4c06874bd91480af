internal import COpenSSL

/// One entry of the TLS library's error stack.
public struct TLSLibraryError: Equatable, Sendable, CustomStringConvertible {
    /// The library's number for the part and the reason.
    public let code: UInt
    /// The library's own text, with the number, the part and the reason.
    public let description: String
}

/// What went wrong in making or using a secure channel.
public enum TLSFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What we were given cannot be used; names the thing, for example "certificate chain".
    case invalidInput(String)
    /// The library refused an operation; `stack` is oldest first.
    case library(operation: String, stack: [TLSLibraryError])
    /// The peer's certificate did not pass; `reason` is the library's text, `code` its X509_V_ERR number.
    case certificateRejected(reason: String, code: Int, stack: [TLSLibraryError])
    /// The peer sent a fatal alert; `alert` is its name and `code` its number in RFC 8446 section 6.
    case alertReceived(alert: String, code: Int)
    /// The peer showed no certificate, and had to.
    case certificateMissing
    /// The peer asked for a certificate, got none, and sent a fatal alert that says no more (`handshake_failure`, which is
    /// what TLS 1.2 has for it: RFC 5246 section 7.4.6).
    case certificateDemanded(alert: String, code: Int)
    /// The client offered application protocols, and none that is spoken here.
    case noApplicationProtocol
    /// What should be a certificate is none; `found` says what it is.
    case notACertificate(found: String)
    /// What should be a private key is none; `found` says what it is.
    case notAKey(found: String)
    /// What should be a PKCS#12 bundle is none; `found` says what it is.
    case notABundle(found: String)
    /// The key or the bundle is encrypted, and no passphrase was given.
    case passphraseMissing
    /// The passphrase does not open the key or the bundle.
    case wrongPassphrase
    /// The private key is not that of the certificate.
    case keyMismatch
    /// The certificate was good until `until`, a time in UTC.
    case certificateExpired(until: String)
    /// The certificate is good only from `from` on, a time in UTC.
    case certificateNotYetValid(from: String)
    /// The peer made us produce more output than it read; `capacity` is the bound in bytes.
    case outputOverflow(capacity: Int)

    /// A sentence for people, with the library's words.
    public var description: String {
        switch self {
        case .invalidInput(let what): "\(what) cannot be used"
        case .library(let operation, let stack):
            stack.isEmpty ? "\(operation) failed" : "\(operation) failed: \(Self.text(stack))"
        case .certificateRejected(let reason, _, _): "the peer's certificate was rejected: \(reason)"
        case .alertReceived(let alert, let code): "the peer sent the alert \(code) (\(alert))"
        case .certificateDemanded(let alert, let code):
            "the peer asked for a certificate, got none, and sent the alert \(code) (\(alert))"
        case .certificateMissing: "the peer showed no certificate"
        case .noApplicationProtocol: "the peer offered no application protocol that is spoken here"
        case .notACertificate(let found): "expected a certificate (PEM), found \(found)"
        case .notAKey(let found): "expected a private key (PEM), found \(found)"
        case .notABundle(let found): "expected a PKCS#12 bundle, found \(found)"
        case .passphraseMissing: "is encrypted, and no passphrase was given"
        case .wrongPassphrase: "the passphrase does not open it"
        case .keyMismatch: "the private key does not belong to the certificate"
        case .certificateExpired(let until): "the certificate expired on \(until)"
        case .certificateNotYetValid(let from): "the certificate is not valid before \(from)"
        case .outputOverflow(let capacity): "the peer left more than \(capacity) bytes of protocol output unread"
        }
    }

    private static func text(_ stack: [TLSLibraryError]) -> String {
        stack.map(\.description).joined(separator: "; ")
    }
}

/// What is wrong with a peer's certificate.
public enum CertificateFault: Hashable, Sendable {
    /// It showed none, and had to.
    case missing
    /// Its time is over.
    case expired
    /// Its time has not come.
    case notYetValid
    /// Nobody whom we believe vouches for it.
    case unknownAuthority
    /// Anything else.
    case unusable
}

extension TLSFailure {
    /// What we found wrong with the peer's certificate; nil for failures of other kinds.
    public var certificateFault: CertificateFault? {
        switch self {
        case .certificateMissing: .missing
        case .certificateRejected(_, let code, _):
            switch Int32(truncatingIfNeeded: code) {
            case X509_V_ERR_CERT_HAS_EXPIRED: .expired
            case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
                .unknownAuthority
            default: .unusable
            }
        default: nil
        }
    }

    /// Whether the peer's alert is about our certificate (RFC 8446 section 6.2): such a peer has read nothing of ours.
    public var isCertificateAlert: Bool {
        guard case .alertReceived(_, let code) = self else { return false }
        // bad_certificate to certificate_unknown, unknown_ca, certificate_required.
        return (42...46).contains(code) || code == 48 || code == 116
    }
}

extension TLSFailure {
    /// Whether the peer's alert says that it speaks none of the application protocols that it was offered (RFC 7301 section 3.2).
    public var isProtocolAlert: Bool {
        guard case .alertReceived(_, let code) = self else { return false }
        return Int32(truncatingIfNeeded: code) == SSL_AD_NO_APPLICATION_PROTOCOL
    }
}

/// The calling thread's error stack in the library, cleared before an operation and read after it failed.
enum ErrorStack {
    static func clear() { ERR_clear_error() }

    /// Takes all entries off the stack, oldest first; at most 16, the library's own bound.
    static func take() -> [TLSLibraryError] {
        var entries: [TLSLibraryError] = []
        while entries.count < 16 {
            let code = ERR_get_error()
            if code == 0 { break }
            entries.append(TLSLibraryError(code: UInt(code), description: text(of: code)))
        }
        ERR_clear_error()
        return entries
    }

    /// The failure of a set-up call, with the stack as it stands.
    static func failure(of operation: String) -> TLSFailure { .library(operation: operation, stack: take()) }

    /// The failure of a call on a connection: tells alerts and rejected certificates from the rest.
    static func failure(of operation: String, on ssl: OpaquePointer) -> TLSFailure {
        let stack = take()
        if let alert = stack.first(where: { shim_error_is_received_alert($0.code) != 0 }) {
            let code = Int(shim_error_reason(alert.code)) - Int(SSL_AD_REASON_OFFSET)
            let isDemand =
                code == Int(SSL_AD_HANDSHAKE_FAILURE) && shim_ssl_was_asked_for_certificate(ssl) != 0
                && SSL_get_certificate(ssl) == nil
            return isDemand
                ? .certificateDemanded(alert: alertName(code), code: code)
                : .alertReceived(alert: alertName(code), code: code)
        }
        if stack.contains(where: { isReason(SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, $0) }) {
            return .certificateMissing
        }
        if stack.contains(where: { isReason(SSL_R_NO_APPLICATION_PROTOCOL, $0) }) { return .noApplicationProtocol }
        let verification = SSL_get_verify_result(ssl)
        let isRejection = stack.contains { isReason(SSL_R_CERTIFICATE_VERIFY_FAILED, $0) }
        if isRejection, verification != X509_V_OK {
            let reason = X509_verify_cert_error_string(verification).map { String(cString: $0) } ?? "unknown reason"
            let expected = expectedName(after: verification, on: ssl).map { ", expected \"\($0)\"" } ?? ""
            return .certificateRejected(reason: reason + expected, code: Int(verification), stack: stack)
        }
        return .library(operation: operation, stack: stack)
    }

    /// The name that the peer's certificate should have had; nil where the name is not what was wrong.
    private static func expectedName(after verification: Int, on ssl: OpaquePointer) -> String? {
        let parameters = SSL_get0_param(ssl)
        switch Int32(truncatingIfNeeded: verification) {
        case X509_V_ERR_HOSTNAME_MISMATCH:
            return X509_VERIFY_PARAM_get0_host(parameters, 0).map { String(cString: $0) }
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            // The library hands out a copy.
            guard let address = X509_VERIFY_PARAM_get1_ip_asc(parameters) else { return nil }
            defer { CRYPTO_free(address, nil, 0) }
            return String(cString: address)
        default: return nil
        }
    }

    private static func isReason(_ reason: Int32, _ entry: TLSLibraryError) -> Bool {
        shim_error_library(entry.code) == ERR_LIB_SSL && shim_error_reason(entry.code) == reason
    }

    private static func alertName(_ code: Int) -> String {
        // The library's table ends before the alerts of TLS 1.3 (RFC 8446 section 6).
        switch code {
        case 109: return "missing extension"
        case 116: return "certificate required"
        default: break
        }
        return SSL_alert_desc_string_long(Int32(truncatingIfNeeded: code)).map { String(cString: $0) } ?? "unknown"
    }

    private static func text(of code: UInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            ERR_error_string_n(code, start, buffer.count)
            return String(cString: start)
        }
    }
}
