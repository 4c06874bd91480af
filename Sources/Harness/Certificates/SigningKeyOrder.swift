import SecureChannel

/// Which key for provider tokens somebody wants to have made.
public struct SigningKeyOrder: Sendable {
    /// The key's identifier, `kid` of its tokens.
    public let keyID: String
    /// The team's identifier, `iss` of its tokens.
    public let teamID: String

    /// Makes the order of a key; an identifier that is nil is drawn, 10 characters as Apple's have.
    ///
    /// - Throws: ``HarnessError/invalidInput(_:)`` for an identifier of other characters than letters and digits.
    public init(keyID: String? = nil, teamID: String? = nil) throws(HarnessError) {
        for (option, identifier) in [("--key-id", keyID), ("--team-id", teamID)] {
            guard let identifier, !ProviderTokenSource.accepts(identifier: identifier) else { continue }
            throw .invalidInput("\(option) \(identifier): 1 to 64 letters and digits are accepted")
        }
        self.keyID = keyID ?? Self.draw()
        self.teamID = teamID ?? Self.draw()
    }

    /// The name of the file with the private key, as Apple names those that it gives out.
    public var keyFileName: String { "AuthKey_\(keyID).p8" }
    /// The name of the file with the public key.
    public var publicKeyFileName: String { "AuthKey_\(keyID).pub.pem" }

    /// Makes the key, in memory.
    ///
    /// - Returns: the files that hold it.
    /// - Throws: ``HarnessError/internalFailure(_:)`` when the library refuses.
    public func make() throws(HarnessError) -> [CertificateFile] {
        do throws(TLSFailure) {
            let key = try SigningKey()
            return [
                CertificateFile(
                    name: keyFileName, text: try key.privateKeyPEM(), purpose: "signs provider tokens", isSecret: true),
                CertificateFile(
                    name: publicKeyFileName, text: try key.publicKeyPEM(), purpose: "verifies them, for a simulator"),
            ]
        } catch {
            throw .internalFailure("cannot make the key: \(error)")
        }
    }

    private static func draw() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<10).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
