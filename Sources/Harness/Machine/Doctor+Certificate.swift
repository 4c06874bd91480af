import RunRecords
import SecureChannel

extension Doctor {
    /// Whether the key that signs provider tokens can be used; nil when the profile names none.
    static func signingKey(_ profile: Profile) -> Finding? {
        guard profile.protocolName == .http2, let file = profile.sender.http2.keyFile else { return nil }
        let keyID = profile.sender.http2.keyID ?? ""
        do {
            _ = try SigningKey(pem: try readFile(file))
            return Finding(name: "signing key", severity: .ok, found: "\(file) signs as \(keyID)")
        } catch let error as HarnessError {
            return Finding(name: "signing key", severity: .problem, found: error.description)
        } catch {
            return Finding(
                name: "signing key", severity: .problem, found: "\(file): \(error)",
                remedy: "name a key on P-256, such as the .p8 file of the account, or one of `pushbench keys`")
        }
    }

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
