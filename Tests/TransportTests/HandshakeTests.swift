import Primitives
import SecureChannel
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct HandshakeTests {
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a handshake tells version, cipher and times`(version: TLSVersion) async throws {
        let bench = try Bench(clientVersions: version...version)
        let listener = try bench.listen()
        let link = bench.connect(to: listener.address) { $0.onOpen = { link, _ in link.close(.abrupt) } }
        let facts = try await link.opened.wait()
        #expect(facts.tls.version == version)
        #expect(!facts.tls.cipher.isEmpty)
        #expect(!facts.tls.isResumed)
        #expect(facts.tls.hasPeerCertificate)
        #expect(facts.peer == listener.address)
        #expect(facts.tcpTime > .zero && facts.tlsTime > .zero && facts.handshakeProcessorTime > .zero)
        #expect(try await link.ended.wait().end == .closedLocally)
        await bench.shutDown()
    }

    @Test(arguments: ["localhost", "127.0.0.1", "::1", "gateway.test"])
    func `a certificate is good for its names and addresses`(name: String) async throws {
        let bench = try Bench()
        let listener = try bench.listen()
        let link = bench.connect(to: listener.address, name: name) { $0.onOpen = { link, _ in link.close(.abrupt) } }
        _ = try await link.opened.wait()
        await bench.shutDown()
    }

    @Test(arguments: ["other.test", "127.0.0.2"])
    func `a certificate for another name is rejected`(name: String) async throws {
        let bench = try Bench()
        let serverEnd = Signal<LinkEnd>()
        let listener = try bench.listen { $0.onEnd = { _, end in serverEnd.give(end) } }
        let end = try await bench.connect(to: listener.address, name: name).ended.wait().end
        guard case .handshakeFailed(.certificateRejected(let reason, _, _)) = end else {
            Issue.record("ended with \(end)")
            return
        }
        #expect(reason.contains("mismatch") && reason.hasSuffix("expected \"\(name)\""), "\(reason)")
        guard case .handshakeFailed(.alertReceived(_, let code)) = try await serverEnd.wait() else {
            Issue.record("the server saw no alert")
            return
        }
        // bad_certificate (RFC 8446 section 6.2).
        #expect(code == 42)
        await bench.shutDown()
    }

    @Test func `a certificate from an unknown authority is rejected, and accepted by who trusts anybody`() async throws
    {
        let bench = try Bench()
        let listener = try bench.listen()
        let stranger = try TLSContext(
            client: TLSClientOptions(trust: .authorities(pem: CertificateAuthority().certificatePEM)))
        let end = try await bench.connect(to: listener.address, context: stranger).ended.wait().end
        guard case .handshakeFailed(.certificateRejected) = end else {
            Issue.record("ended with \(end)")
            return
        }
        let credulous = try TLSContext(client: TLSClientOptions(trust: .anybody))
        _ = try await bench.connect(to: listener.address, context: credulous, name: "x.test").opened.wait()
        await bench.shutDown()
    }

    @Test func `an application protocol is agreed, none is no obstacle, and a foreign one is refused`() async throws {
        let authority = try CertificateAuthority()
        var serverOptions = TLSServerOptions(identity: try authority.issue(.server))
        serverOptions.applicationProtocols = ["h2", "http/1.1"]
        let loop = try EventLoop()
        let listener = try Listener(context: TLSContext(server: serverOptions), loops: [loop]) { _ in ScriptedHandler()
        }
        for (offered, agreed) in [(["x", "http/1.1"], "http/1.1"), ([], nil)] {
            var options = TLSClientOptions(trust: .authorities(pem: authority.certificatePEM))
            options.applicationProtocols = offered
            let context = try TLSContext(client: options)
            let opened = Signal<LinkFacts>()
            loop.enqueue { core in
                let handler = ScriptedHandler(opened: opened)
                _ = core.connect(
                    to: listener.address, context: context, serverName: "localhost", handler: handler)
            }
            #expect(try await opened.wait().tls.applicationProtocol == agreed)
        }
        var options = TLSClientOptions(trust: .authorities(pem: authority.certificatePEM))
        options.applicationProtocols = ["y"]
        let context = try TLSContext(client: options)
        let ended = Signal<ScriptedHandler.Ended>()
        loop.enqueue { core in
            let handler = ScriptedHandler(ended: ended)
            _ = core.connect(to: listener.address, context: context, serverName: "localhost", handler: handler)
        }
        // no_application_protocol (RFC 7301 section 3.2)
        guard case .handshakeFailed(let failure) = try await ended.wait().end else {
            Issue.record("the handshake went through")
            return
        }
        #expect(failure.isProtocolAlert)
        await loop.shutDownAndWait()
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a required client certificate is shown, and its lack is told by an alert`(version: TLSVersion) async throws {
        let required = { (authority: CertificateAuthority) in
            TLSClientCertificates.required(authoritiesPEM: authority.certificatePEM)
        }
        let bench = try Bench(
            clientVersions: version...version, clientCertificates: required,
            identity: { try $0.issue(.client, names: ["provider.test"]) })
        let seen = Signal<Bool>()
        let listener = try bench.listen { $0.onOpen = { _, facts in seen.give(facts.tls.hasPeerCertificate) } }
        _ = try await bench.connect(to: listener.address).opened.wait()
        #expect(try await seen.wait())
        await bench.shutDown()

        let without = try Bench(clientVersions: version...version, clientCertificates: required)
        let strict = try without.listen()
        let end = try await without.connect(to: strict.address).ended.wait().end
        switch (version, end) {
        // handshake_failure in TLS 1.2, certificate_required at the first read in TLS 1.3 (RFC 8446 section 6.2).
        case (.tls12, .handshakeFailed(.certificateDemanded(_, 40))), (.tls13, .tlsFailed(.alertReceived(_, 116))):
            break
        default: Issue.record("ended with \(end)")
        }
        await without.shutDown()
    }

    @Test func `an optional client certificate may be missing, but not come from a stranger`() async throws {
        let optional = { (authority: CertificateAuthority) in
            TLSClientCertificates.optional(authoritiesPEM: authority.certificatePEM)
        }
        let bench = try Bench(clientCertificates: optional)
        let seen = Signal<Bool>()
        let listener = try bench.listen { $0.onOpen = { _, facts in seen.give(facts.tls.hasPeerCertificate) } }
        _ = try await bench.connect(to: listener.address).opened.wait()
        #expect(try await seen.wait() == false)
        let stranger = try TLSContext(
            client: TLSClientOptions(
                trust: .authorities(pem: bench.authority.certificatePEM),
                identity: try CertificateAuthority().issue(.client)))
        let end = try await bench.connect(to: listener.address, context: stranger).ended.wait().end
        guard case .tlsFailed(.alertReceived) = end else {
            Issue.record("ended with \(end)")
            return
        }
        await bench.shutDown()
    }

    @Test func `unusable certificates and keys are refused with a reason`() throws {
        let authority = try CertificateAuthority()
        let good = try authority.issue(.server)
        let other = try authority.issue(.server)
        let garbage = TLSIdentity(certificateChainPEM: "garbage", privateKeyPEM: good.privateKeyPEM)
        #expect(throws: TLSFailure.invalidInput("a certificate chain without a certificate")) {
            try TLSContext(server: TLSServerOptions(identity: garbage))
        }
        let crossed = TLSIdentity(
            certificateChainPEM: good.certificateChainPEM, privateKeyPEM: other.privateKeyPEM)
        #expect(throws: TLSFailure.self) { try TLSContext(server: TLSServerOptions(identity: crossed)) }
        #expect(throws: TLSFailure.invalidInput("a list of certificate authorities without a certificate")) {
            try TLSContext(client: TLSClientOptions(trust: .authorities(pem: "")))
        }
        #expect(throws: TLSFailure.invalidInput("the certificate name \"a,b\"")) {
            try authority.issue(.server, names: ["a,b"])
        }
    }
}
