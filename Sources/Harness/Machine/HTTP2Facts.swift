import Glibc
import SecureChannel

/// What this machine's libraries have for HTTP/2.
enum HTTP2Facts {
    /// Why two ends with the TLS library do not agree on `h2` by ALPN (RFC 7301), tried in memory; nil when they do.
    static var alpnFailure: String? {
        do throws(TLSFailure) {
            let authority = try CertificateAuthority()
            var server = TLSServerOptions(identity: try authority.issue(.server))
            server.applicationProtocols = ["h2"]
            var client = TLSClientOptions(trust: .authorities(pem: authority.certificatePEM))
            client.applicationProtocols = ["h2"]
            let chosen = try chosenProtocol(
                TLSChannel(client: try TLSContext(client: client), serverName: "localhost"),
                TLSChannel(server: try TLSContext(server: server)))
            return chosen == "h2" ? nil : "the server chose \(chosen ?? "no protocol")"
        } catch {
            return "\(error)"
        }
    }

    /// Shakes hands; returns the protocol that the client knows afterwards.
    private static func chosenProtocol(_ client: TLSChannel, _ server: TLSChannel) throws(TLSFailure) -> String? {
        let (toServer, toClient) = (CiphertextBuffer(), CiphertextBuffer())
        // Two flights of the client are all that TLS 1.3 needs (RFC 8446 section 2), one more TLS 1.2.
        for _ in 0..<3 {
            let step = handshake(client, reading: toClient, into: toServer)
            if case .failed(let failure) = step { throw failure }
            if step == .done { return client.facts.applicationProtocol }
            if case .failed(let failure) = handshake(server, reading: toServer, into: toClient) { throw failure }
        }
        return nil
    }

    private static func handshake(
        _ channel: TLSChannel, reading input: CiphertextBuffer, into output: CiphertextBuffer
    ) -> TLSHandshakeStep {
        channel.lend(input: input.pending)
        defer {
            channel.takeBackInput()
            input.reset()
        }
        return channel.handshake(output: output)
    }

    /// The version of nghttp2; the program itself does without.
    static var nghttp2Version: String? {
        guard let library = dlopen("libnghttp2.so.14", RTLD_LAZY) else { return nil }
        defer { dlclose(library) }
        guard let symbol = dlsym(library, "nghttp2_version") else { return nil }
        let version = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> UnsafeRawPointer?).self)
        // Its structure: the age (int), the version's number (int), then the version's text.
        guard let text = version(0)?.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self) else { return nil }
        return String(cString: text)
    }
}
