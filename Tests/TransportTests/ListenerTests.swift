import Primitives
import SecureChannel
import Synchronization
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct ListenerTests {
    @Test func `connections are spread over the loops in turn`() async throws {
        let bench = try Bench()
        let loops = try (0..<3).map { try EventLoop(label: "test.\($0)") }
        let adopted = Mutex<[ObjectIdentifier]>([])
        let listener = try Listener(context: bench.server, loops: loops) { core in
            adopted.withLock { $0.append(ObjectIdentifier(core)) }
            return ScriptedHandler()
        }
        for _ in 0..<9 { _ = try await bench.connect(to: listener.address).opened.wait() }
        for loop in loops {
            let identity = try await loop.run { ObjectIdentifier($0) }
            #expect(adopted.withLock { $0.count { $0 == identity } } == 3)
        }
        for loop in loops { await loop.shutDownAndWait() }
        await bench.shutDown()
    }

    @Test func `one connection too many is closed at once, and counted`() async throws {
        let bench = try Bench()
        var options = ListenerOptions()
        options.connectionLimit = 2
        let listener = try bench.listen(options: options)
        for _ in 0..<2 { _ = try await bench.connect(to: listener.address).opened.wait() }
        let end = try await bench.connect(to: listener.address).ended.wait().end
        #expect(end == .handshakeInterrupted)
        let counts = listener.counts
        #expect(counts.accepted == 2 && counts.turnedAway == 1 && counts.live == 2)
        await bench.shutDown()
    }

    @Test func `a paused listener refuses, and listens again on the same port`() async throws {
        let bench = try Bench()
        let listener = try bench.listen()
        let before = bench.connect(to: listener.address)
        _ = try await before.opened.wait()
        await listener.pause()
        #expect(try await bench.connect(to: listener.address).ended.wait().end == .connectFailed(.refused))
        try await listener.resume()
        _ = try await bench.connect(to: listener.address).opened.wait()
        #expect(!before.ended.isGiven)
        await bench.shutDown()
    }

    @Test func `a port that is taken cannot be listened on twice`() async throws {
        let bench = try Bench()
        let listener = try bench.listen()
        #expect(throws: TransportError.self) {
            try Listener(on: listener.address, context: bench.server, loops: [bench.serverLoop]) { _ in
                ScriptedHandler()
            }
        }
        await bench.shutDown()
    }

    @Test func `addresses are resolved and written as people do`() throws {
        let four = try #require(SocketAddress.resolve(host: "127.0.0.1", port: 2195).first)
        #expect(four == .loopback(port: 2195) && four.description == "127.0.0.1:2195" && four.isLoopback)
        let six = try #require(SocketAddress.resolve(host: "::1", port: 443).first)
        #expect(six.description == "[::1]:443" && six.isLoopback)
        #expect(try SocketAddress.resolve(host: "192.0.2.1", port: 1).first?.isLoopback == false)
        #expect(throws: TransportError.self) { try SocketAddress.resolve(host: "no such host", port: 1) }
    }
}
