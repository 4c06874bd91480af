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
        case .outputOverflow(let capacity): "the peer left more than \(capacity) bytes of protocol output unread"
        }
    }

    private static func text(_ stack: [TLSLibraryError]) -> String {
        stack.map(\.description).joined(separator: "; ")
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
            return .alertReceived(alert: alertName(code), code: code)
        }
        let verification = SSL_get_verify_result(ssl)
        let isRejection = stack.contains { entry in
            shim_error_library(entry.code) == ERR_LIB_SSL
                && shim_error_reason(entry.code) == SSL_R_CERTIFICATE_VERIFY_FAILED
        }
        if isRejection, verification != X509_V_OK {
            let reason = X509_verify_cert_error_string(verification).map { String(cString: $0) } ?? "unknown reason"
            return .certificateRejected(reason: reason, code: Int(verification), stack: stack)
        }
        return .library(operation: operation, stack: stack)
    }

    private static func alertName(_ code: Int) -> String {
        SSL_alert_desc_string_long(Int32(truncatingIfNeeded: code)).map { String(cString: $0) } ?? "unknown"
    }

    private static func text(of code: UInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            ERR_error_string_n(code, start, buffer.count)
            return String(cString: start)
        }
    }
}
