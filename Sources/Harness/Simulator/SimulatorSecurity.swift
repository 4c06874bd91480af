import RunRecords
import SecureChannel

/// What the simulator's TLS is made of: its authority, its certificate, and whom it asks for one.
struct SimulatorSecurity {
    /// The names of the real services, for clients whose resolver was led here.
    private static let names =
        ["localhost"]
        + ["gateway", "feedback", "api"].flatMap { ["\($0).sandbox.push.apple.com", "\($0).push.apple.com"] }

    let context: TLSContext
    /// The same, for clients that ask for HTTP/2 by ALPN, and for those that ask for nothing.
    let http2Context: TLSContext
    let authorityPEM: String
    let provider: ProviderIdentity?

    /// Makes the certificates that the settings ask for, or reads them.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` for files that cannot be used, ``TLSFailure`` from the library.
    init(_ settings: SimulatorSettings) throws {
        let authority = try CertificateAuthority()
        let identity = try IdentityFiles(settings).read() ?? authority.issue(.server, names: Self.names)
        var options = TLSServerOptions(identity: identity)
        let count = settings.tickets
        if count > 0 {
            options.tickets = settings.renewTickets ? .everyHandshake(count: count) : .fullHandshakes(count: count)
        }
        options.versions = TLSVersion(settings.tlsMinVersion)...TLSVersion(settings.tlsMaxVersion)
        var believed = authority.certificatePEM
        if let file = settings.clientCAFile { believed += String(decoding: try readFile(file), as: UTF8.self) }
        switch settings.clientCertificates {
        case .none: options.clientCertificates = .none
        case .request: options.clientCertificates = .optional(authoritiesPEM: believed)
        case .require: options.clientCertificates = .required(authoritiesPEM: believed)
        }
        context = try TLSContext(server: options)
        options.applicationProtocols = ["h2"]
        http2Context = try TLSContext(server: options)
        authorityPEM = authority.certificatePEM
        provider = try Self.provider(settings, authority).map {
            ProviderIdentity(certificatePEM: $0.certificateChainPEM, keyPEM: $0.privateKeyPEM)
        }
    }

    private static func provider(
        _ settings: SimulatorSettings, _ authority: CertificateAuthority
    ) throws(TLSFailure) -> TLSIdentity? {
        guard settings.clientCertificates != .none else { return nil }
        let topic = settings.topics.first ?? CertificateOrder.defaultTopic
        let own: ProviderCertificate.Environments = settings.environment == .sandbox ? .sandbox : .production
        switch settings.providerCertificate {
        case .missing: return nil
        case .good: return try authority.issueProvider(topic: topic, environments: own)
        case .expired: return try authority.issueProvider(topic: topic, environments: own, validity: .expired)
        case .unknownAuthority:
            return try CertificateAuthority(commonName: "another authority").issueProvider(
                topic: topic, environments: own)
        case .otherEnvironment:
            return try authority.issueProvider(
                topic: topic, environments: ProviderCertificate.Environments.both.subtracting(own))
        case .otherTopic:
            let other = settings.topics.count > 1 ? settings.topics[1] : topic + ".other"
            return try authority.issueProvider(topic: other, environments: own)
        }
    }
}
