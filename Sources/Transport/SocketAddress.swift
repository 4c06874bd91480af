internal import CShims
internal import Glibc

/// An IPv4 or IPv6 address with a TCP port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// AF_INET or AF_INET6.
    let family: Int32
    /// The address in network byte order; an IPv4 address takes the first four bytes.
    private let high: UInt64
    private let low: UInt64
    private let scope: UInt32
    /// The port, 0 for "any free one".
    public var port: UInt16

    /// The IPv4 loopback address with a port.
    public static func loopback(port: UInt16) -> SocketAddress {
        var address = sockaddr_in()
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return SocketAddress(address)
    }

    /// Looks a name or a literal address up; blocks, so it is for set-up only.
    ///
    /// - Returns: at least one address, in the resolver's order of preference.
    /// - Throws: ``TransportError/unresolved(host:reason:)``.
    public static func resolve(host: String, port: UInt16) throws(TransportError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw .unresolved(host: host, reason: String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        // Ends with the resolver's list.
        while let entry = next {
            if let address = SocketAddress(entry.pointee.ai_addr) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw .unresolved(host: host, reason: "only addresses of other families") }
        return addresses
    }

    /// Copies an address out of the system's form; nil for other families.
    init?(_ pointer: UnsafePointer<sockaddr>?) {
        guard let pointer else { return nil }
        let raw = UnsafeRawPointer(pointer)
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }

    /// The address that `body` fills in, as getsockname and accept do.
    init?(filledBy body: (UnsafeMutablePointer<sockaddr_storage>) -> Bool) {
        var storage = sockaddr_storage()
        guard body(&storage) else { return nil }
        let address = withUnsafeBytes(of: &storage) { bytes in
            SocketAddress(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress)
        }
        guard let address else { return nil }
        self = address
    }

    private init(_ address: sockaddr_in) {
        family = AF_INET
        high = UInt64(address.sin_addr.s_addr)
        low = 0
        scope = 0
        port = UInt16(bigEndian: address.sin_port)
    }

    private init(_ address: sockaddr_in6) {
        family = AF_INET6
        (high, low) = withUnsafeBytes(of: address.sin6_addr) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        scope = address.sin6_scope_id
        port = UInt16(bigEndian: address.sin6_port)
    }

    /// Calls `body` with the address in the system's form.
    func withSystemForm<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if family == AF_INET {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(truncatingIfNeeded: high)
            return Self.withSystemForm(of: &address, body)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_scope_id = scope
        withUnsafeMutableBytes(of: &address.sin6_addr) {
            $0.storeBytes(of: high, as: UInt64.self)
            $0.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
        }
        return Self.withSystemForm(of: &address, body)
    }

    private static func withSystemForm<Form, Result>(
        of form: inout Form, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &form) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Form>.size)) }
        }
    }

    /// Whether the address is this machine's loopback (127.0.0.0/8 or ::1).
    public var isLoopback: Bool {
        family == AF_INET ? high & 0xFF == 127 : high == 0 && low.bigEndian == 1
    }

    /// The address and port as people write them: "127.0.0.1:2195", "[::1]:2195".
    public var description: String {
        let text = withSystemForm { address, count in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
                guard let start = buffer.baseAddress,
                    getnameinfo(address, count, start, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
                else { return "?" }
                return String(cString: start)
            }
        }
        return family == AF_INET ? "\(text):\(port)" : "[\(text)]:\(port)"
    }
}
