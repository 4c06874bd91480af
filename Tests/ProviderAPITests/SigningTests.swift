import GatewaySimulator
import Primitives
import SecureChannel
import Testing

@testable import GatewaySimulator

/// ES256 keys, the tokens that are signed with them, and the gateway that verifies those.
struct SigningTests {
    /// Calls `body` with the bytes of both.
    private func verifies(_ key: VerifyingKey, _ message: [UInt8], _ signature: [UInt8]) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { key.verifies(message, signature: $0) } }
    }

    @Test
    func `a signature is 64 bytes, and good for its message and key only`() throws {
        let key = try SigningKey()
        let (own, other) = (try key.verifyingKey(), try SigningKey().verifyingKey())
        for number in 0..<50 {
            let message = Array("message \(number)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(verifies(own, message, signature))
            #expect(!verifies(other, message, signature))
            #expect(!verifies(own, message + [0], signature))
            var spoilt = signature
            spoilt[number] ^= 1
            #expect(!verifies(own, message, spoilt))
            #expect(!verifies(own, message, signature.dropLast()))
        }
        #expect(!verifies(own, [], []))
        #expect(!verifies(own, [1], [UInt8](repeating: 0, count: 64)))
    }

    @Test
    func `a key is the same after it was written and read`() throws {
        let key = try SigningKey()
        let pem = try key.privateKeyPEM()
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        let again = try SigningKey(pem: Array(pem.utf8))
        #expect(try again.publicKeyPEM() == key.publicKeyPEM())
        #expect("\(key)" == "a signing key")
        let signature = try again.sign([1, 2, 3])
        let verifying = try VerifyingKey(pem: Array(pem.utf8))
        #expect(verifies(verifying, [1, 2, 3], signature))
    }

    @Test
    func `what is no key on P-256 is refused with what it is`() throws {
        #expect(throws: TLSFailure.notAKey(found: "no PEM block")) { try SigningKey(pem: Array("no key".utf8)) }
        let authority = try CertificateAuthority(keyKind: .rsa2048)
        let rsa = try authority.privateKeyPEM()
        #expect(throws: TLSFailure.notAKey(found: "a private key of another kind than P-256")) {
            try SigningKey(pem: Array(rsa.utf8))
        }
        #expect(throws: TLSFailure.notAKey(found: "a key of another kind than P-256")) {
            try VerifyingKey(pem: Array(rsa.utf8))
        }
    }

    @Test
    func `one token serves all until it is time for the next one`() throws {
        let offset = Interval.seconds(1_700_000_000)
        let source = ProviderTokenSource(
            key: try SigningKey(), keyID: "ABC123DEFG", teamID: "TEAM123456", renewal: .seconds(1_200),
            unixOffset: offset)
        let first = try source.token(at: .zero)
        #expect(first.number == 1 && first.renewAt == .zero + .seconds(1_200))
        #expect(try source.token(at: .zero + .seconds(1_199)) == first)
        let second = try source.token(at: .zero + .seconds(1_200))
        #expect(second.number == 2 && second.text != first.text)
        #expect(ProviderTokenSource.acceptedRenewals.contains(ProviderTokenSource.defaultRenewal))
    }

    @Test
    func `the gateway believes a token that the source made, and no other`() throws {
        let (key, other) = (try SigningKey(), try SigningKey())
        var bench = JudgeBench()
        bench.api.authentication = .required
        bench.api.providerKeys = [ProviderKey(keyID: "ABC123DEFG", teamID: "TEAM123456")]
        let verifying = try key.verifyingKey()
        bench.verifier = { _, message, signature in verifying.verifies(message, signature: signature) }
        func reason(_ key: SigningKey, at now: Instant = .zero) throws -> Bool {
            let source = ProviderTokenSource(
                key: key, keyID: "ABC123DEFG", teamID: "TEAM123456", unixOffset: bench.settings.unixOffset)
            let text = String(decoding: try source.token(at: now).text, as: UTF8.self)
            return bench.answer(Request(["authorization": "bearer \(text)"]), now: now) == .accepted
        }
        #expect(try reason(key))
        #expect(try reason(key, at: .zero + .seconds(86_400)))
        #expect(try !reason(other))
    }
}
