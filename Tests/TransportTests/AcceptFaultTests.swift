import Primitives
import SecureChannel
import Testing

@testable import Transport

@Suite(.timeLimit(.minutes(3))) struct AcceptFaultTests {
    @Test func `a share of connections is refused, always the same ones for a seed`() {
        var faults = AcceptFaults()
        faults.refusedShare = 0.3
        faults.seed = 7
        let fates = (0..<10_000).map { faults.fate(ofConnection: $0, age: .zero) }
        let refused = fates.count { $0 == .refused }
        // Five standard deviations of a binomial number are 229.
        #expect((2_771...3_229).contains(refused), "seed 7 refused \(refused)")
        #expect(fates == (0..<10_000).map { faults.fate(ofConnection: $0, age: .seconds(9)) })
        faults.seed = 8
        #expect(fates != (0..<10_000).map { faults.fate(ofConnection: $0, age: .zero) })
    }

    @Test func `a handshake fault hits within its window only, and the first of several counts`() {
        var faults = AcceptFaults()
        faults.handshakes = [
            HandshakeFault(.silence, window: .seconds(1)..<Interval.seconds(2)), HandshakeFault(.closeAfterHello),
        ]
        #expect(faults.fate(ofConnection: 0, age: .zero) == .served(.closeAfterHello))
        #expect(faults.fate(ofConnection: 0, age: .seconds(1)) == .served(.silence))
        #expect(faults.fate(ofConnection: 0, age: .seconds(2)) == .served(.closeAfterHello))
    }

    @Test func `without faults every connection is served`() {
        #expect(AcceptFaults().fate(ofConnection: 3, age: .zero) == .served(nil))
    }

    @Test func `a refused connection is reset, and counted as refused and not as accepted`() async throws {
        let bench = try Bench()
        var options = ListenerOptions()
        options.faults.refusedShare = 1
        let listener = try bench.listen(options: options)
        let end = try await bench.connect(to: listener.address).ended.wait().end
        // A reset that overtakes the client's own wake-up makes its connecting fail.
        if case .connectFailed(.other) = end {} else { #expect(end == .handshakeInterrupted) }
        #expect([listener.counts.refused, listener.counts.accepted, listener.counts.live] == [1, 0, 0])
        await bench.shutDown()
    }

    @Test(arguments: [HandshakeFault.Kind.closeAtOnce, .closeAfterHello])
    func `a handshake that the server closes is interrupted`(kind: HandshakeFault.Kind) async throws {
        let bench = try Bench()
        let listener = try spoilt(kind, bench)
        #expect(try await bench.connect(to: listener.address).ended.wait().end == .handshakeInterrupted)
        #expect([listener.counts.spoiltHandshakes, listener.counts.accepted] == [1, 1])
        await bench.shutDown()
    }

    @Test(arguments: [40, 80, 48] as [UInt8])
    func `an alert in place of the handshake arrives as that alert`(description: UInt8) async throws {
        let bench = try Bench()
        let listener = try spoilt(.alert(description), bench)
        let end = try await bench.connect(to: listener.address).ended.wait().end
        guard case .handshakeFailed(.alertReceived(_, let code)) = end else {
            Issue.record("ended with \(end)")
            return
        }
        #expect(code == Int(description))
        await bench.shutDown()
    }

    @Test func `a silent handshake lasts until the client gives up, whatever the server's own limit`() async throws {
        let bench = try Bench()
        let ended = Signal<LinkEnd>()
        var options = ListenerOptions()
        options.link.handshakeTimeout = .milliseconds(5)
        options.faults.handshakes = [HandshakeFault(.silence)]
        let listener = try bench.listen(options: options) { $0.onEnd = { _, end in ended.give(end) } }
        var client = LinkOptions()
        client.handshakeTimeout = .milliseconds(60)
        #expect(try await bench.connect(to: listener.address, options: client).ended.wait().end == .handshakeTimedOut)
        #expect(try await ended.wait() == .handshakeInterrupted)
        await bench.shutDown()
    }

    @Test func `a slow accept makes every handshake wait, and no connection is forgotten`() async throws {
        let bench = try Bench()
        var options = ListenerOptions()
        options.faults.delay = .milliseconds(40)
        let listener = try bench.listen(options: options)
        let links = (0..<5).map { _ in bench.connect(to: listener.address) }
        for link in links { #expect(try await link.opened.wait().tlsTime >= .milliseconds(39)) }
        #expect([listener.counts.accepted, listener.counts.delayed] == [5, 5])
        await bench.shutDown()
    }

    @Test func `a listener that is closed forgets no connection that waits`() async throws {
        let bench = try Bench()
        var options = ListenerOptions()
        options.faults.delay = .seconds(3_600)
        let listener = try bench.listen(options: options)
        var client = LinkOptions()
        client.handshakeTimeout = .seconds(60)
        let link = bench.connect(to: listener.address, options: client)
        while listener.counts.live == 0 { await Task.yield() }
        await listener.close()
        let end = try await link.ended.wait().end
        #expect(end == .handshakeInterrupted, "\(end)")
        #expect(listener.counts.live == 0)
        await bench.shutDown()
    }

    private func spoilt(_ kind: HandshakeFault.Kind, _ bench: Bench) throws -> Listener {
        var options = ListenerOptions()
        options.faults.handshakes = [HandshakeFault(kind)]
        return try bench.listen(options: options)
    }
}
