internal import COpenSSL

/// A private key on P-256 with which provider tokens are signed (ES256: RFC 7518 section 3.4).
///
/// Its text is never part of a description. Any thread may sign with it.
public final class SigningKey: Sendable, CustomStringConvertible {
    // The library's key, whose count of references is the library's own; as a number, since a pointer is not sendable.
    private let handle: UInt

    /// Makes a fresh key.
    ///
    /// - Throws: ``TLSFailure`` when the library refuses.
    public init() throws(TLSFailure) {
        TLSLibrary.prepare()
        ErrorStack.clear()
        guard let key = shim_make_p256_key() else { throw ErrorStack.failure(of: "making a key") }
        handle = UInt(bitPattern: key)
    }

    /// Reads a key from PEM text (PKCS#8, as in the `.p8` files that Apple gives out), encrypted or not.
    ///
    /// - Throws: ``TLSFailure/notAKey(found:)`` for anything but a private key on P-256, ``TLSFailure/passphraseMissing``,
    ///   ``TLSFailure/wrongPassphrase``.
    public init(pem text: [UInt8], passphrase: Passphrase? = nil) throws(TLSFailure) {
        let plain = try TLSIdentity.privateKey(fromPEM: text, passphrase: passphrase)
        let key = try PEM.readPrivateKey(plain)
        guard ECKey.isP256(key) else {
            EVP_PKEY_free(key)
            throw .notAKey(found: "a private key of another kind than P-256")
        }
        handle = UInt(bitPattern: key)
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The key as PEM text (PKCS#8), not encrypted.
    ///
    /// - Throws: ``TLSFailure`` when memory is short.
    public func privateKeyPEM() throws(TLSFailure) -> String {
        try PEM.write("writing a private key") { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// The public half as PEM text.
    ///
    /// - Throws: ``TLSFailure`` when memory is short.
    public func publicKeyPEM() throws(TLSFailure) -> String {
        try PEM.write("writing a public key") { PEM_write_bio_PUBKEY($0, pointer) }
    }

    /// The public half, to verify with.
    ///
    /// - Throws: ``TLSFailure`` when memory is short.
    public func verifyingKey() throws(TLSFailure) -> VerifyingKey { try VerifyingKey(pem: Array(publicKeyPEM().utf8)) }

    /// Signs a message and returns R and S, 64 bytes.
    ///
    /// - Throws: ``TLSFailure`` when the library refuses.
    public func sign(_ message: [UInt8]) throws(TLSFailure) -> [UInt8] {
        ErrorStack.clear()
        guard let context = EVP_MD_CTX_new() else { throw ErrorStack.failure(of: "signing") }
        defer { EVP_MD_CTX_free(context) }
        var encoded = [UInt8](repeating: 0, count: 128)
        var count = encoded.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
            EVP_DigestSign(context, &encoded, &count, message, message.count) == 1,
            let signature = ECKey.fixed(encoded.prefix(count))
        else { throw ErrorStack.failure(of: "signing") }
        return signature
    }

    /// A word that says nothing of it.
    public var description: String { "a signing key" }

    private var pointer: OpaquePointer? { OpaquePointer(bitPattern: handle) }
}

/// A public key on P-256 with which provider tokens are verified. Any thread may verify with it.
public final class VerifyingKey: Sendable {
    private let handle: UInt

    /// Reads a key from PEM text: a public key, or a private key whose public half is meant.
    ///
    /// - Throws: ``TLSFailure/notAKey(found:)`` for anything else.
    public init(pem text: [UInt8]) throws(TLSFailure) {
        TLSLibrary.prepare()
        let publicKey = try PEM.withReader(String(decoding: text, as: UTF8.self)) {
            (bio) throws(TLSFailure) -> OpaquePointer? in PEM_read_bio_PUBKEY(bio, nil, nil, nil)
        }
        ErrorStack.clear()
        let key = if let publicKey { publicKey } else { try Self.readPrivate(text) }
        guard ECKey.isP256(key) else {
            EVP_PKEY_free(key)
            throw .notAKey(found: "a key of another kind than P-256")
        }
        handle = UInt(bitPattern: key)
    }

    deinit { EVP_PKEY_free(OpaquePointer(bitPattern: handle)) }

    private static func readPrivate(_ text: [UInt8]) throws(TLSFailure) -> OpaquePointer {
        try PEM.readPrivateKey(TLSIdentity.privateKey(fromPEM: text, passphrase: nil))
    }

    /// Whether `signature`, the 64 bytes R and S, is the message's; false for one of any other form.
    public func verifies(_ message: UnsafeRawBufferPointer, signature: UnsafeRawBufferPointer) -> Bool {
        ErrorStack.clear()
        defer { ErrorStack.clear() }
        guard let encoded = ECKey.encoded(signature), let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, OpaquePointer(bitPattern: handle)) == 1
            && EVP_DigestVerify(
                context, encoded, encoded.count, message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
    }
}

/// What is special about keys and signatures on P-256.
private enum ECKey {
    /// The length of R, and of S.
    static let halfBytes = 32

    static func isP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1, count == 10 else {
            ErrorStack.clear()
            return false
        }
        return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) })
    }

    /// R and S of fixed length out of the library's form, a DER sequence.
    static func fixed(_ encoded: some Collection<UInt8>) -> [UInt8]? {
        let bytes = Array(encoded)
        let parsed = bytes.withUnsafeBufferPointer { buffer in
            var place = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &place, buffer.count)
        }
        guard let parsed else { return nil }
        defer { ECDSA_SIG_free(parsed) }
        let size = Int32(halfBytes)
        var signature = [UInt8](repeating: 0, count: 2 * halfBytes)
        let isWhole = signature.withUnsafeMutableBufferPointer { target in
            guard let base = target.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(parsed), base, size) == size
                && BN_bn2binpad(ECDSA_SIG_get0_s(parsed), base + halfBytes, size) == size
        }
        return isWhole ? signature : nil
    }

    /// The library's form of R and S.
    static func encoded(_ signature: UnsafeRawBufferPointer) -> [UInt8]? {
        let bytes = signature.bindMemory(to: UInt8.self)
        guard bytes.count == 2 * halfBytes, let base = bytes.baseAddress, let parsed = ECDSA_SIG_new() else {
            return nil
        }
        defer { ECDSA_SIG_free(parsed) }
        let (first, second) = (
            BN_bin2bn(base, Int32(halfBytes), nil), BN_bin2bn(base + halfBytes, Int32(halfBytes), nil)
        )
        // The signature owns both numbers once it has taken them.
        guard first != nil, second != nil, ECDSA_SIG_set0(parsed, first, second) == 1 else {
            BN_free(first)
            BN_free(second)
            return nil
        }
        var target: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(parsed, &target)
        guard count > 0, let target else { return nil }
        defer { CRYPTO_free(target, nil, 0) }
        return Array(UnsafeBufferPointer(start: target, count: Int(count)))
    }
}
