import Glibc

/// Which hosts a load generator may be pointed at.
///
/// Loopback always; any other host only if it was named on the command line as well; Apple's production hosts never.
public enum TargetPolicy {
    /// Decides whether a target may be used.
    ///
    /// - Parameters:
    ///   - target: what the profile sends to; the simulator is always allowed.
    ///   - allowedHosts: the hosts that the command line allows.
    /// - Throws: ``TargetRefusal``.
    public static func check(_ target: TargetSettings, allowedHosts: [String]) throws(TargetRefusal) {
        guard case .gateway(let gateway) = target else { return }
        // A production server reached by its address would still be asked for by this name.
        if let name = gateway.tls.serverName { try refuseProduction(name, normalized(name)) }
        try check(host: gateway.host, allowedHosts: allowedHosts)
    }

    /// Decides whether a host may be sent to.
    ///
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - allowedHosts: the hosts that the command line allows.
    /// - Throws: ``TargetRefusal``.
    public static func check(host: String, allowedHosts: [String]) throws(TargetRefusal) {
        let name = try normalized(host)
        try refuseProduction(host, name)
        if isLoopback(name) { return }
        let isAllowed = allowedHosts.contains { (try? normalized($0)) == name }
        guard isAllowed else { throw .notAllowed(host: host) }
    }

    /// Whether a name or an address means this machine.
    public static func isLoopback(_ host: String) -> Bool {
        guard let name = try? normalized(host) else { return false }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        switch address(name) {
        case .four(let bytes): return bytes[0] == 127
        case .six(let bytes): return bytes == [UInt8](repeating: 0, count: 15) + [1]
        case nil: return false
        }
    }

    /// Domains of Apple's push service, and of the network that its names lead to.
    private static let pushDomains = ["push.apple.com", "push-apple.com.akadns.net"]
    private static let developmentLabels = ["sandbox", "development"]

    private static func refuseProduction(_ host: String, _ name: String) throws(TargetRefusal) {
        for domain in pushDomains where name == domain || name.hasSuffix("." + domain) {
            let label = name.dropLast(domain.count + 1).split(separator: ".").last.map(String.init)
            guard let label, developmentLabels.contains(label) else { throw .production(host: host) }
        }
        switch address(name) {
        // Apple's networks 17.0.0.0/8 and 2620:149::/32: an address does not tell whether it is production.
        case .four(let bytes) where bytes[0] == 17: throw .production(host: host)
        case .six(let bytes) where bytes.starts(with: [0x26, 0x20, 0x01, 0x49]): throw .production(host: host)
        default: break
        }
    }

    /// The host in lower case, without brackets and closing dot.
    private static func normalized(_ host: String) throws(TargetRefusal) -> String {
        var name = Substring(host.lowercased())
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        if name.hasSuffix(".") { name = name.dropLast() }
        // Nothing else can name a host, and other letters may be mapped to those of a refused name.
        let isSound = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: ".-_:".utf8.contains(byte)
            }
        }
        guard isSound, !name.isEmpty, name.utf8.count <= 253 else { throw .notAHost(host) }
        return String(name)
    }

    private enum Address {
        case four([UInt8])
        case six([UInt8])
    }

    /// Reads an address in all forms that connecting would take, `0x7f.1` among them.
    private static func address(_ name: String) -> Address? {
        var four = in_addr()
        if inet_aton(name, &four) != 0 { return .four(withUnsafeBytes(of: &four) { Array($0) }) }
        var six = in6_addr()
        guard inet_pton(AF_INET6, name, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return bytes.starts(with: mappedPrefix) ? .four(Array(bytes[12...])) : .six(bytes)
    }
}

/// Why a host may not be sent to.
public enum TargetRefusal: Error, Equatable, Sendable {
    /// It is, or may be, one of Apple's production hosts.
    case production(host: String)
    /// It is not this machine, and the command line does not allow it.
    case notAllowed(host: String)
    /// It cannot be a host's name or address.
    case notAHost(String)
}

extension TargetRefusal: CustomStringConvertible {
    /// The reason, and what would be accepted.
    public var description: String {
        switch self {
        case .production(let host):
            "\(shortened(host)) belongs to Apple's production service, which is never load-tested; "
                + "accepted: the simulator, or a sandbox host with --allow-host"
        case .notAllowed(let host):
            "\(shortened(host)) is not this machine; to send load to it, add --allow-host \(host)"
        case .notAHost(let host): "\(shortened(host)) is not a host's name or address"
        }
    }
}
