import Glibc
import Primitives
import SecureChannel
import Synchronization
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct NetworkPathTests {
    private static let roundTrip = Interval.milliseconds(40)

    private func listen(
        _ bench: Bench, window: Int = NetworkPath.defaultWindow,
        _ script: @escaping @Sendable (ScriptedHandler) -> Void
    ) throws -> Listener {
        var options = ListenerOptions()
        var path = NetworkPath(roundTrip: Self.roundTrip)
        path.window = window
        options.link.path = path
        return try bench.listen(options: options, script)
    }

    /// Answers the first bytes with six, and closes in this way.
    private func answers(_ handler: ScriptedHandler, _ closing: LinkClosing) {
        var isAsked = false
        handler.onReceive = { link, _ in
            isAsked = true
            link.requestFill()
        }
        handler.onFill = { link, buffer in
            guard isAsked else { return 0 }
            isAsked = false
            buffer.copyBytes(from: [8, 8, 0, 0, 0, 9])
            link.close(closing)
            return 6
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `TCP, the handshake and an answer each take their round trips`(version: TLSVersion) async throws {
        let bench = try Bench(clientVersions: version...version)
        let listener = try listen(bench) { answers($0, .graceful(drain: .seconds(1))) }
        let times = Mutex<(opened: Instant, answered: Instant)>((.zero, .zero))
        let link = bench.connect(to: listener.address) { handler in
            handler.onOpen = { link, _ in times.withLock { $0.opened = link.core.now } }
            handler.sends([1])
            handler.onReceive = { link, bytes in
                handler.received.append(contentsOf: bytes)
                times.withLock { $0.answered = link.core.now }
            }
        }
        // TCP's round trip is spent before the first flight is read; TLS 1.2 takes one more than 1.3.
        let flights: Int64 = version == .tls13 ? 2 : 3
        let handshake = try await link.opened.wait().tlsTime
        #expect(handshake >= Self.roundTrip * flights, "\(handshake)")
        let ended = try await link.ended.wait()
        #expect(ended.received == [8, 8, 0, 0, 0, 9])
        #expect(ended.end == .closedByPeer)
        let (opened, answered) = times.withLock { $0 }
        #expect(answered - opened >= Self.roundTrip, "\(answered - opened)")
        while listener.counts.live > 0 { await Task.yield() }
        await bench.shutDown()
    }

    @Test(arguments: [LinkClosing.abrupt, .reset, .fin])
    func `every way to close takes half a round trip to arrive, and brings what was written before`(
        closing: LinkClosing
    ) async throws {
        let bench = try Bench()
        let closedAt = Signal<Instant>()
        let listener = try listen(bench) { handler in
            handler.sends([1, 2, 3]) { _ in }
            handler.onFlush = { link in
                closedAt.give(link.core.now)
                link.close(closing)
            }
        }
        let endedAt = Signal<Instant>()
        let link = bench.connect(to: listener.address) { handler in
            handler.onEnd = { link, _ in endedAt.give(link.core.now) }
        }
        let ended = try await link.ended.wait()
        #expect(ended.received == [1, 2, 3], "sent before the close")
        let delay = try await endedAt.wait() - closedAt.wait()
        #expect(delay >= Self.roundTrip - Interval(nanoseconds: Self.roundTrip.nanoseconds / 2), "\(delay)")
        switch closing {
        case .reset: #expect(ended.end == .reset)
        case .fin: #expect(ended.end == .closedByPeer)
        default: #expect(ended.end == .truncated)
        }
        while listener.counts.live > 0 { await Task.yield() }
        await bench.shutDown()
    }

    @Test func `megabytes cross the path in both directions unchanged`() async throws {
        let bench = try Bench()
        let up = seededBytes(8_000_000, seed: 21)
        let down = seededBytes(3_000_000, seed: 22)
        let atServer = Signal<[UInt8]>()
        let listener = try listen(bench) { handler in
            handler.sends(down)
            handler.onPeerFinish = { _, _ in
                atServer.give(handler.received)
                return .end
            }
        }
        let link = bench.connect(to: listener.address) { handler in
            var isSent = false
            handler.sends(up) { _ in isSent = true }
            handler.onReceive = { link, bytes in
                handler.received.append(contentsOf: bytes)
                if handler.received.count == down.count {
                    precondition(isSent || handler.received.count > 0)
                    link.requestFill()
                    if isSent { link.close(.graceful(drain: .seconds(5))) }
                }
            }
            handler.onFlush = { link in
                if isSent, handler.received.count == down.count { link.close(.graceful(drain: .seconds(5))) }
            }
        }
        #expect(try await atServer.wait() == up)
        #expect(try await link.ended.wait().received == down)
        await bench.shutDown()
    }

    /// Bounds from below only, which hold on a busy machine, too; that nothing is slower than that is shown without a clock
    /// (``PathTransitTests``).
    @Test func `what a connection carries is no more than window ÷ round trip`() async throws {
        let bench = try Bench()
        let bytes = seededBytes(2_000_000, seed: 23)
        for window in [100_000, 400_000] {
            let received = Signal<Interval>()
            let listener = try listen(bench, window: window) { handler in
                var first: Instant?
                var count = 0
                handler.onReceive = { link, bytes in
                    first = first ?? link.core.now
                    count += bytes.count
                    if count == 2_000_000, let first { received.give(link.core.now - first) }
                }
            }
            let link = bench.connect(to: listener.address) { $0.sends(bytes) }
            let time = try await received.wait()
            // One window a round trip, and nothing faster: the first one is there when the time begins.
            let rounds = Double(bytes.count - window) / Double(window)
            #expect(time.seconds >= rounds * Self.roundTrip.seconds * 0.95, "window \(window): \(time)")
            #expect(listener.counts.pathStops > 0)
            await listener.close()
            _ = link
        }
        await bench.shutDown()
    }

    @Test func `a window that is large enough never stops the peer`() async throws {
        let bench = try Bench()
        let bytes = seededBytes(8_000_000, seed: 24)
        let received = Signal<Bool>()
        let listener = try listen(bench) { handler in
            var count = 0
            handler.onReceive = { _, bytes in
                count += bytes.count
                if count == 8_000_000 { received.give(true) }
            }
        }
        let link = bench.connect(to: listener.address) { $0.sends(bytes) }
        _ = try await received.wait()
        #expect(listener.counts.pathStops == 0)
        _ = link
        await bench.shutDown()
    }

    @Test func `a client that goes away on the way leaves nothing behind`() async throws {
        let bench = try Bench()
        let listener = try listen(bench) { $0.sends([1]) }
        for closing in [LinkClosing.abrupt, .reset, .fin, .graceful(drain: .milliseconds(200))] {
            let link = bench.connect(to: listener.address) { handler in
                handler.onFill = { link, buffer in
                    link.close(closing)
                    return 1_000
                }
            }
            _ = try await link.ended.wait()
        }
        // A socket that connects and leaves without a byte.
        close(try RawSocket.connect(to: listener.address))
        while listener.counts.live > 0 || listener.counts.accepted < 5 { await Task.yield() }
        await bench.shutDown()
    }

    @Test func `a loop that shuts down does not wait for the path`() async throws {
        let bench = try Bench()
        let listener = try listen(bench) { handler in
            handler.sends([1, 2, 3])
            handler.onFlush = { $0.close(.abrupt) }
        }
        let link = bench.connect(to: listener.address)
        _ = try await link.opened.wait()
        await bench.serverLoop.shutDownAndWait()
        _ = try await link.ended.wait()
        #expect(listener.counts.live == 0)
        await bench.shutDown()
    }
}
