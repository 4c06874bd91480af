import SecureChannel
import Transport

extension LinkEnd {
    /// The end as a person reads it in an error message.
    var text: String {
        switch self {
        case .closedByPeer: "closed by the target"
        case .truncated: "ended by the target without close_notify"
        case .reset: "reset"
        case .readFailed(let code): "read failed (\(code))"
        case .writeFailed(let code): "write failed (\(code))"
        case .connectFailed(.refused): "connection refused"
        case .connectFailed(.timedOut): "no answer to the TCP connection"
        case .connectFailed(.unreachable(let code)), .connectFailed(.other(let code)): "no TCP connection (\(code))"
        case .handshakeFailed(let failure): "TLS handshake failed: \(failure)\(Self.help(failure))"
        case .handshakeInterrupted: "closed by the target during the TLS handshake"
        case .handshakeTimedOut: "TLS handshake not done in time"
        case .tlsFailed(let failure):
            failure.isCertificateAlert ? "TLS handshake failed: \(failure)" : "TLS failed: \(failure)"
        case .localLimit(let failure): "limit of this machine: \(failure)"
        case .closedLocally: "given up"
        }
    }

    /// What helps against a failed handshake, as the end of its message; empty if nothing is known to.
    private static func help(_ failure: TLSFailure) -> String {
        failure.certificateFault == .unknownAuthority
            ? "; --cacert names a file of authorities that are believed instead of the system's" : ""
    }

    /// Whether the peer said that our certificate will not do.
    var isCertificateAlert: Bool {
        switch self {
        case .handshakeFailed(let failure), .tlsFailed(let failure): failure.isCertificateAlert
        default: false
        }
    }

    /// Whether the peer speaks none of the protocols that it was offered, which the next attempt does not change.
    var isProtocolRefusal: Bool {
        switch self {
        case .handshakeFailed(let failure): failure.isProtocolAlert
        default: false
        }
    }

    /// Whether one side will not have the other's certificate, which the next attempt does not change.
    var isCertificateRefusal: Bool {
        switch self {
        case .handshakeFailed(.certificateDemanded): true
        case .handshakeFailed(let failure): failure.certificateFault != nil || failure.isCertificateAlert
        case .tlsFailed(let failure): failure.isCertificateAlert
        default: false
        }
    }
}
