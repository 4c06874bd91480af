import SecureChannel
import Testing

/// Identities are read back as they were written, by us and by `openssl`; each mistake has its own error.
@Suite struct IdentityTests {
    private static let passphrase = Passphrase("correct horse")

    private static func made() throws -> (authority: CertificateAuthority, identity: TLSIdentity) {
        let authority = try CertificateAuthority()
        return (authority, try authority.issueProvider(topic: "com.example.app"))
    }

    @Test func `certificate and key may stand in one text, in any order, between other things`() throws {
        let (authority, identity) = try Self.made()
        let text = Array(
            "Bag Attributes\n\(identity.privateKeyPEM)subject=x\n\(identity.certificateChainPEM)\(authority.certificatePEM)"
                .utf8)
        let chain = try TLSIdentity.certificateChain(fromPEM: text)
        #expect(chain == identity.certificateChainPEM + authority.certificatePEM)
        let key = try TLSIdentity.privateKey(fromPEM: text, passphrase: nil)
        #expect(key == identity.privateKeyPEM)
        try TLSIdentity(certificateChainPEM: chain, privateKeyPEM: key).checkKey()
    }

    @Test func `an encrypted key opens with its passphrase and with no other`() throws {
        let identity = try Self.made().identity
        let text = Array(try identity.encryptedPrivateKeyPEM(Self.passphrase).utf8)
        #expect(try TLSIdentity.privateKey(fromPEM: text, passphrase: Self.passphrase) == identity.privateKeyPEM)
        #expect(throws: TLSFailure.wrongPassphrase) {
            try TLSIdentity.privateKey(fromPEM: text, passphrase: Passphrase("wrong"))
        }
        #expect(throws: TLSFailure.passphraseMissing) { try TLSIdentity.privateKey(fromPEM: text, passphrase: nil) }
    }

    @Test func `a bundle opens with its passphrase and with no other, and holds the whole chain`() throws {
        let (authority, identity) = try Self.made()
        let bundle = try identity.pkcs12(
            name: "test", authorityPEM: authority.certificatePEM, passphrase: Self.passphrase)
        let read = try TLSIdentity(pkcs12: bundle, passphrase: Self.passphrase)
        #expect(read.privateKeyPEM == identity.privateKeyPEM)
        #expect(read.certificateChainPEM == identity.certificateChainPEM + authority.certificatePEM)
        #expect(throws: TLSFailure.wrongPassphrase) { try TLSIdentity(pkcs12: bundle, passphrase: Passphrase("no")) }
        #expect(throws: TLSFailure.passphraseMissing) { try TLSIdentity(pkcs12: bundle, passphrase: nil) }
    }

    @Test(arguments: [0, 1, 100, 700] as [Int])
    func `a bundle that was cut is no bundle, and no crash`(count: Int) throws {
        let (authority, identity) = try Self.made()
        let bundle = try identity.pkcs12(
            name: "test", authorityPEM: authority.certificatePEM, passphrase: Self.passphrase)
        #expect(throws: TLSFailure.self) {
            try TLSIdentity(pkcs12: Array(bundle[..<count]), passphrase: Self.passphrase)
        }
    }

    @Test func `what is no certificate, key or bundle is told for what it is`() throws {
        let identity = try Self.made().identity
        let certificate = Array(identity.certificateChainPEM.utf8)
        let key = Array(identity.privateKeyPEM.utf8)
        #expect(throws: TLSFailure.notACertificate(found: "a damaged or other PEM block (PRIVATE KEY)")) {
            try TLSIdentity.certificateChain(fromPEM: key)
        }
        #expect(throws: TLSFailure.notAKey(found: "a damaged or other PEM block (CERTIFICATE)")) {
            try TLSIdentity.privateKey(fromPEM: certificate, passphrase: nil)
        }
        #expect(throws: TLSFailure.notACertificate(found: "nothing: it is empty")) {
            try TLSIdentity.certificateChain(fromPEM: [])
        }
        #expect(throws: TLSFailure.notACertificate(found: "binary data (DER)")) {
            try TLSIdentity.certificateChain(fromPEM: [0x30, 0x82, 1, 2])
        }
        #expect(throws: TLSFailure.notABundle(found: "a damaged or other PEM block (CERTIFICATE)")) {
            try TLSIdentity(pkcs12: certificate, passphrase: nil)
        }
        #expect(throws: TLSFailure.notAKey(found: "no PEM block")) {
            try TLSIdentity.privateKey(fromPEM: Array("hello".utf8), passphrase: nil)
        }
    }

    @Test func `another certificate's key and an expired certificate are told apart`() throws {
        let authority = try CertificateAuthority()
        let one = try authority.issueProvider(topic: "a.b")
        let other = try authority.issueProvider(topic: "a.b")
        let crossed = TLSIdentity(
            certificateChainPEM: one.certificateChainPEM, privateKeyPEM: other.privateKeyPEM)
        #expect(throws: TLSFailure.keyMismatch) { try crossed.checkKey() }
        try one.checkValidity()
        let old = try authority.issueProvider(topic: "a.b", validity: .expired)
        let error = #expect(throws: TLSFailure.self) { try old.checkValidity() }
        guard case .certificateExpired(let until)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(until.hasSuffix("GMT"))
        let early = try authority.issueProvider(topic: "a.b", validity: CertificateValidity(days: 2...3))
        guard
            case .certificateNotYetValid? = #expect(throws: TLSFailure.self, performing: { try early.checkValidity() })
        else {
            Issue.record("a certificate of the future passed")
            return
        }
    }

    @Test(
        arguments: [
            (.sandbox, ["com.example.app"], .sandbox), (.production, ["com.example.app"], .production),
            (.both, ["com.example.app", "com.example.app.voip", "com.example.app.complication"], .both),
        ] as [(ProviderCertificate.Environments, [String], ProviderCertificate.Environments)])
    func `a certificate says its topics and environments`(
        made: ProviderCertificate.Environments, topics: [String], read: ProviderCertificate.Environments
    ) throws {
        let identity = try CertificateAuthority().issueProvider(topic: "com.example.app", environments: made)
        let certificate = try #require(identity.providerCertificate)
        #expect(certificate.topics == topics)
        #expect(certificate.environments == read)
    }

    @Test func `a long topic has its place in the certificate, and a certificate without any is for both environments`()
        throws
    {
        let topic = "com." + String(repeating: "x", count: 150) + ".app"
        let identity = try CertificateAuthority().issueProvider(topic: topic)
        #expect(try #require(identity.providerCertificate).topics.count == 3)
        let plain = try #require(CertificateAuthority().issue(.client).providerCertificate)
        #expect(plain.topics.isEmpty && plain.environments == .both)
    }

    @Test func `a passphrase is the first line of its file, and never printed`() throws {
        let identity = try Self.made().identity
        let text = Array(try identity.encryptedPrivateKeyPEM(Passphrase("correct horse")).utf8)
        for file in ["correct horse", "correct horse\n", "correct horse\r\nsecond line\n"] {
            let passphrase = Passphrase(firstLineOf: Array(file.utf8))
            #expect(try TLSIdentity.privateKey(fromPEM: text, passphrase: passphrase) == identity.privateKeyPEM)
            var dumped = ""
            dump(passphrase, to: &dumped)
            #expect(!"\(passphrase) \(String(reflecting: passphrase)) \(dumped)".contains("horse"))
        }
    }
}
