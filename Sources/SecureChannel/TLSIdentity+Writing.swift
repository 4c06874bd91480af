internal import COpenSSL

/// Identities in the forms in which users keep them.
extension TLSIdentity {
    /// The private key as PEM text, encrypted with the passphrase (PKCS#8, AES-256).
    ///
    /// - Throws: ``TLSFailure`` when the key is unusable or memory is short.
    public func encryptedPrivateKeyPEM(_ passphrase: Passphrase) throws(TLSFailure) -> String {
        let key = try PEM.readPrivateKey(privateKeyPEM)
        defer { EVP_PKEY_free(key) }
        let count = Int32(clamping: passphrase.bytes.count)
        return try PEM.write("encrypting a private key") { bio in
            passphrase.withCText { PEM_write_bio_PKCS8PrivateKey(bio, key, EVP_aes_256_cbc(), $0, count, nil, nil) }
        }
    }

    /// Key, certificate, its chain and an authority in one PKCS#12 bundle (RFC 7292), encrypted with the passphrase.
    ///
    /// - Throws: ``TLSFailure`` when the identity is unusable or memory is short.
    public func pkcs12(
        name: String, authorityPEM: String, passphrase: Passphrase
    ) throws(TLSFailure) -> [UInt8] {
        let key = try PEM.readPrivateKey(privateKeyPEM)
        defer { EVP_PKEY_free(key) }
        guard let chain = shim_chain_new() else { throw ErrorStack.failure(of: "making a bundle") }
        defer { shim_chain_free(chain) }
        _ = try PEM.forEachCertificate(in: certificateChainPEM + authorityPEM) { (certificate) throws(TLSFailure) in
            guard shim_chain_add1(chain, certificate) == 1 else { throw ErrorStack.failure(of: "making a bundle") }
        }
        // The library takes the leaf out of the chain of others by itself only when it is not in it.
        guard let leaf = shim_chain_shift(chain) else {
            throw .invalidInput("a certificate chain without a certificate")
        }
        defer { X509_free(leaf) }
        let bundle = passphrase.withCText { PKCS12_create($0, name, key, leaf, chain, 0, 0, 0, 0, 0) }
        guard let bundle else { throw ErrorStack.failure(of: "making a bundle") }
        defer { PKCS12_free(bundle) }
        return try PEM.writeBytes("writing a bundle") { i2d_PKCS12_bio($0, bundle) }
    }
}
