internal import Glibc
public import SecureChannel

/// An operation that the operating system refused.
public struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried, as a verb phrase.
    public let operation: String
    /// The system's error number.
    public let code: Int32

    /// Makes a failure of `operation` with the error number `code`.
    public init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// The failure of the system call that just returned.
    static func last(_ operation: String) -> SystemFailure { SystemFailure(operation: operation, code: errno) }

    /// Whether one of this process's or machine's own limits was hit: descriptors, memory, ports.
    public var isLocalLimit: Bool {
        switch code {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL: true
        default: false
        }
    }

    /// A sentence for people.
    public var description: String { "\(operation) failed: \(errorText(code))" }
}

/// What can go wrong in setting up loops, listeners and addresses.
public enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operating system refused.
    case system(SystemFailure)
    /// A host name has no address; `reason` is the resolver's text.
    case unresolved(host: String, reason: String)
    /// The secure channel could not be set up.
    case tls(TLSFailure)
    /// The event loop is shut down.
    case loopShutDown

    /// A sentence for people.
    public var description: String {
        switch self {
        case .system(let failure): failure.description
        case .unresolved(let host, let reason): "no address for \(host): \(reason)"
        case .tls(let failure): failure.description
        case .loopShutDown: "the event loop is shut down"
        }
    }
}

/// The system's text for an error number, safe from every thread.
func errorText(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
            return "error \(code)"
        }
        return String(cString: start)
    }
}
