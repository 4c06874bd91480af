import SecureChannel
import Testing

/// Mutual TLS in memory: what each side learns of a client's certificate, good or wrong.
@Suite struct ClientCertificateTests {
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority() }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var kind: String
        var version: TLSVersion
        var fault: CertificateFault
        var alert: Int
        var testDescription: String { "\(kind), \(version)" }
    }

    private static let wrong = [TLSVersion.tls12, .tls13].flatMap { version in
        [
            // handshake_failure in TLS 1.2, certificate_required in TLS 1.3 (RFC 8446 section 6.2).
            Wrong(kind: "missing", version: version, fault: .missing, alert: version == .tls12 ? 40 : 116),
            Wrong(kind: "expired", version: version, fault: .expired, alert: 45),
            Wrong(kind: "early", version: version, fault: .notYetValid, alert: 42),
            Wrong(kind: "stranger", version: version, fault: .unknownAuthority, alert: 48),
            Wrong(kind: "server's", version: version, fault: .unusable, alert: 43),
        ]
    }

    private func identity(_ kind: String) throws -> TLSIdentity? {
        switch kind {
        case "expired": return try authority.issueProvider(topic: "a.b", validity: .expired)
        case "early": return try authority.issueProvider(topic: "a.b", validity: CertificateValidity(days: 2...9))
        case "stranger": return try CertificateAuthority(commonName: "stranger").issueProvider(topic: "a.b")
        case "server's": return try authority.issue(.server)
        case "missing": return nil
        default: return try authority.issueProvider(topic: "com.example.app", environments: .production)
        }
    }

    private func pair(_ kind: String, _ version: TLSVersion) throws -> ChannelPair {
        let believed = authority.certificatePEM
        let identity = try identity(kind)
        return try ChannelPair(
            server: {
                $0.clientCertificates = .required(authoritiesPEM: believed)
                $0.versions = version...version
            }, client: { $0.identity = identity })
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `the server reads topics and environment out of the certificate, and the client nothing of the kind`(
        version: TLSVersion
    ) throws {
        let pair = try pair("good", version)
        #expect(pair.shakeHands())
        let certificate = try #require(pair.channel(.server).facts.providerCertificate)
        #expect(certificate == ProviderCertificate(topics: ["com.example.app"], environments: .production))
        #expect(pair.channel(.client).facts.providerCertificate == nil)
    }

    @Test(arguments: wrong)
    func `a wrong certificate has a name at the server and an alert for the client`(row: Wrong) throws {
        let pair = try pair(row.kind, row.version)
        var toServer = pair.handshake(.client, input: []).output
        var failure: TLSFailure?
        var clientStep = TLSHandshakeStep.wantsInput
        for _ in 0..<4 where failure == nil {
            let (step, toClient) = pair.handshake(.server, input: toServer)
            if case .failed(let reason) = step { failure = reason }
            if clientStep == .done {
                // With TLS 1.3 the handshake was over for the client, and the alert comes with its first read.
                #expect(row.version == .tls13)
                let read = pair.decrypt(toClient, at: .client)
                expectAlert(read.reason == .wantsInput ? nil : read.reason, row)
            } else {
                (clientStep, toServer) = pair.handshake(.client, input: toClient)
                if failure != nil { expectAlert(clientStep, row) }
            }
        }
        let found = try #require(failure)
        #expect(found.certificateFault == row.fault, "\(found)")
    }

    private func expectAlert(_ reason: TLSReadStep.Reason?, _ row: Wrong) {
        guard case .failed(let failure)? = reason else {
            Issue.record("\(row): the client read \(String(describing: reason))")
            return
        }
        expectAlert(failure, row)
    }

    private func expectAlert(_ step: TLSHandshakeStep, _ row: Wrong) {
        #expect(row.version == .tls12)
        guard case .failed(let failure) = step else {
            Issue.record("\(row): the client's handshake is \(step)")
            return
        }
        expectAlert(failure, row)
    }

    private func expectAlert(_ failure: TLSFailure, _ row: Wrong) {
        switch failure {
        case .certificateDemanded(_, let code):
            #expect(row.kind == "missing" && code == row.alert && !failure.isCertificateAlert, "\(failure)")
        case .alertReceived(let name, let code):
            #expect(code == row.alert && name != "unknown" && failure.isCertificateAlert, "\(failure)")
        default: Issue.record("\(row): the client saw \(failure)")
        }
    }

    @Test(arguments: [
        (TLSVersion.tls12 ... .tls12, TLSVersion.tls13 ... .tls13), (.tls13 ... .tls13, .tls12 ... .tls12),
    ])
    func `versions that do not meet end the handshake`(
        server: ClosedRange<TLSVersion>, client: ClosedRange<TLSVersion>
    ) throws {
        let pair = try ChannelPair(server: { $0.versions = server }, client: { $0.versions = client })
        #expect(!pair.shakeHands())
    }
}
