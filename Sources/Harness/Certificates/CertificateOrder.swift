public import SecureChannel

/// Which certificates somebody wants to have made.
public struct CertificateOrder: Sendable {
    /// The app for which provider certificates are made where none is named.
    public static let defaultTopic = "com.example.pushbench"

    /// Host names and addresses of the server, beside localhost, 127.0.0.1 and ::1.
    public var serverNames: [String] = []
    /// The apps; each gets a provider certificate for each of ``environments``.
    public var topics = [CertificateOrder.defaultTopic]
    /// The environments of the provider certificates; both together make a universal one.
    public var environments: [ProviderCertificate.Environments] = [.both]
    /// Whether each app gets a certificate that expired yesterday, too.
    public var includesExpired = false
    /// Whether each provider certificate comes as a PKCS#12 bundle, too; needs a passphrase.
    public var includesBundles = false
    /// Whether the keys of provider certificates are encrypted; needs a passphrase.
    public var encryptsKeys = false
    /// What encrypts bundles and keys.
    public var passphrase: Passphrase?
    /// The kind of all keys.
    public var keyKind = CertificateAuthority.KeyKind.p256
    /// How many days the certificates are good, from 1 on.
    public var days = 3_650

    /// Makes the order of an authority, a server's certificate and one provider certificate.
    public init() {}

    /// Makes all certificates, in memory.
    ///
    /// - Returns: the files that hold them.
    /// - Throws: ``HarnessError/invalidInput(_:)`` for names that no certificate can hold, and for a missing passphrase.
    public func make() throws(HarnessError) -> [CertificateFile] {
        if passphrase == nil, includesBundles || encryptsKeys {
            throw .invalidInput(
                "bundles and encrypted keys need a passphrase; accepted: a file with it (--passphrase-file), or the "
                    + "variable \(IdentityPassphrase.variable)")
        }
        do throws(TLSFailure) {
            let authority = try CertificateAuthority(keyKind: keyKind)
            let validity = CertificateValidity(days: -1...days)
            var files = [
                CertificateFile(
                    name: "ca.pem", text: authority.certificatePEM, purpose: "the authority, to be trusted"),
                CertificateFile(
                    name: "ca-key.pem", text: try authority.privateKeyPEM(), purpose: "its key", isSecret: true),
            ]
            let server = try authority.issue(.server, names: serverNames, validity: validity)
            files.append(
                CertificateFile(
                    name: "server.pem", text: server.certificateChainPEM,
                    purpose: "server: " + (serverNames + ["localhost", "127.0.0.1", "::1"]).joined(separator: ", ")))
            files.append(
                CertificateFile(name: "server-key.pem", text: server.privateKeyPEM, purpose: "its key", isSecret: true))
            for topic in topics {
                for environment in environments {
                    files += try provider(topic, environment, validity, of: authority)
                }
                if includesExpired { files += try provider(topic, .both, .expired, of: authority) }
            }
            return files
        } catch {
            throw .invalidInput("cannot make the certificates: \(error)")
        }
    }

    private func provider(
        _ topic: String, _ environments: ProviderCertificate.Environments, _ validity: CertificateValidity,
        of authority: CertificateAuthority
    ) throws(TLSFailure) -> [CertificateFile] {
        let identity = try authority.issueProvider(topic: topic, environments: environments, validity: validity)
        let (ending, words) =
            switch (environments, validity == .expired) {
            case (_, true): ("-expired", "expired")
            case (.sandbox, _): ("-sandbox", "sandbox only")
            case (.production, _): ("-production", "production only")
            default: ("", "sandbox and production")
            }
        let stem = "provider-\(topic)\(ending)"
        var key = identity.privateKeyPEM
        if encryptsKeys, let passphrase { key = try identity.encryptedPrivateKeyPEM(passphrase) }
        var files = [
            CertificateFile(
                name: "\(stem).pem", text: identity.certificateChainPEM, purpose: "provider: \(topic), \(words)",
                isProvider: true),
            CertificateFile(
                name: "\(stem)-key.pem", text: key, purpose: encryptsKeys ? "its key, encrypted" : "its key",
                isSecret: true),
        ]
        if includesBundles, let passphrase {
            let bundle = try identity.pkcs12(
                name: topic, authorityPEM: authority.certificatePEM, passphrase: passphrase)
            files.append(
                CertificateFile(
                    name: "\(stem).p12", bytes: bundle, purpose: "certificate and key, encrypted", isSecret: true))
        }
        return files
    }
}
