import RunRecords
import SecureChannel

extension Doctor {
    /// Whether the certificate that the profile names can be used; nil when it names none.
    static func certificate(_ profile: Profile) -> Finding? {
        guard case .gateway(let gateway) = profile.target else { return nil }
        do throws(HarnessError) {
            guard let identity = try IdentityFiles(gateway.tls).read() else { return nil }
            let certificate = identity.providerCertificate
            let wanted: ProviderCertificate.Environments = gateway.environment == .sandbox ? .sandbox : .production
            let topics = certificate?.topics ?? []
            let found = topics.isEmpty ? "names no topic" : "for \(topics.joined(separator: ", "))"
            guard certificate?.environments.contains(wanted) ?? true else {
                return Finding(
                    name: "certificate", severity: .problem, found: "\(found), not for \(gateway.environment.rawValue)",
                    remedy:
                        "use one for \(gateway.environment.rawValue); the gateway closes such connections without a word"
                )
            }
            return Finding(name: "certificate", severity: .ok, found: found)
        } catch {
            return Finding(name: "certificate", severity: .problem, found: error.description)
        }
    }
}
