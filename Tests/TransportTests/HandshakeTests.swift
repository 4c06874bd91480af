import Primitives
import SecureChannel
import Testing
import Transport

@Suite(.timeLimit(.minutes(1))) struct HandshakeTests {
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
}
