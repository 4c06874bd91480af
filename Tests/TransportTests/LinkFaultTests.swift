import Glibc
import Primitives
import SecureChannel
import Synchronization
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct LinkFaultTests {
    @Test func `a half-closed link sends nothing more and hears everything`() async throws {
        let bench = try Bench()
        let bytes = seededBytes(300_000, seed: 11)
        let atServer = Signal<ScriptedHandler.Ended>()
        let run = try bench.connectToOwnServer { handler in
            handler.sends([1, 2, 3]) { $0.halfClose() }
            handler.onEnd = { link, end in
                atServer.give(.init(end: end, counters: link.counters, received: handler.received))
            }
        } client: { handler in
            handler.onPeerFinish = { link, cleanly in
                guard cleanly else { return .end }
                handler.sends(bytes) { $0.close(.graceful(drain: .seconds(5))) }
                link.requestFill()
                return .keepSending
            }
        }
        #expect(try await run.ended.wait().received == [1, 2, 3])
        let server = try await atServer.wait()
        #expect(server.received == bytes)
        #expect(server.end == .closedByPeer)
        await bench.shutDown()
    }

    @Test func `the last bytes of a close without reading arrive under a writing client, 100 times of 100`()
        async throws
    {
        let bench = try Bench()
        let reply: [UInt8] = [8, 8, 0, 0, 0, 9]
        let listener = try bench.listen { handler in
            var byteCount = 0
            handler.onReceive = { link, bytes in
                byteCount += bytes.count
                if byteCount > 50_000 { link.requestFill() }
            }
            handler.onFill = { link, buffer in
                guard byteCount > 50_000 else { return 0 }
                buffer.copyBytes(from: reply)
                link.close(.fin)
                return reply.count
            }
        }
        for _ in 0..<100 {
            let ended = try await bench.connect(to: listener.address) { handler in
                handler.onFill = { _, buffer in buffer.count }
            }.ended.wait()
            #expect(ended.received == reply)
            #expect(ended.end == .closedByPeer)
        }
        await bench.shutDown()
    }

    @Test func `a swallowed link reads nothing, says nothing, and ends when the client's end arrives`() async throws {
        let bench = try Bench()
        let serverEnd = Signal<ScriptedHandler.Ended>()
        let run = try bench.connectToOwnServer { handler in
            handler.onOpen = { link, _ in link.swallow() }
            handler.onFill = { _, _ in preconditionFailure("a swallowed link was asked for a batch") }
            handler.onEnd = { link, end in
                serverEnd.give(.init(end: end, counters: link.counters, received: handler.received))
            }
        } client: { handler in
            handler.sends([UInt8](repeating: 1, count: 10_000)) { link in
                link.setDeadline(link.core.now + .milliseconds(20))
            }
            handler.onTimer = { $0.close(.abrupt) }
        }
        #expect(try await run.ended.wait().received.isEmpty)
        let server = try await serverEnd.wait()
        #expect(server.received.isEmpty)
        #expect([.truncated, .reset].contains(server.end), "\(server.end)")
        await bench.shutDown()
    }

    @Test func `writing to a swallowed link comes to a halt`() async throws {
        let bench = try Bench()
        let isBlocked = Signal<Bool>()
        let run = try bench.connectToOwnServer { handler in
            handler.onOpen = { link, _ in link.swallow() }
        } client: { handler in
            handler.onFill = { link, buffer in
                link.setDeadline(link.core.now + .milliseconds(30))
                return buffer.count
            }
            handler.onTimer = { link in
                isBlocked.give(link.unsentByteCount > 0)
                link.close(.abrupt)
            }
        }
        #expect(try await isBlocked.wait())
        _ = try await run.ended.wait()
        await bench.shutDown()
    }

    @Test(arguments: [1.0e6, 20.0e6])
    func `reading keeps to its rate and loses nothing`(rate: Double) async throws {
        let bench = try Bench()
        let bytes = seededBytes(Int(rate / 10), seed: 12)
        let atServer = Signal<(bytes: [UInt8], time: Interval)>()
        let run = try bench.connectToOwnServer { handler in
            var opened = Instant.zero
            handler.onOpen = { link, _ in
                opened = link.core.now
                link.limitReading(to: ReadPace(bytes: Rate(perSecond: rate)))
            }
            handler.onEnd = { link, _ in atServer.give((handler.received, link.core.now - opened)) }
        } client: {
            $0.sends(bytes) { $0.close(.graceful(drain: .seconds(5))) }
        }
        let server = try await atServer.wait()
        #expect(server.bytes == bytes)
        // A tenth of a second's worth, of which the last read is free.
        #expect(server.time >= .milliseconds(85), "\(server.time)")
        _ = try await run.ended.wait()
        await bench.shutDown()
    }

    @Test func `links that share a pace share its rate`() async throws {
        let bench = try Bench()
        let bytes = seededBytes(50_000, seed: 13)
        let lastEnd = Signal<Instant>()
        let endCount = Mutex(0)
        let listener = try bench.listen { handler in
            handler.onOpen = { link, _ in
                let shared = link.core.tenant as? ReadPace ?? ReadPace(bytes: Rate(perSecond: 1e6))
                link.core.tenant = shared
                link.limitReading(to: shared)
            }
            handler.onEnd = { link, _ in
                precondition(handler.received == bytes, "bytes were lost")
                let count = endCount.withLock {
                    $0 += 1
                    return $0
                }
                if count == 4 { lastEnd.give(link.core.now) }
            }
        }
        let start = MonotonicClock.now()
        let links = (0..<4).map { _ in
            bench.connect(to: listener.address) { $0.sends(bytes) { $0.close(.graceful(drain: .seconds(5))) } }
        }
        #expect(try await lastEnd.wait() - start >= .milliseconds(180), "200 kB at 1 MB/s")
        for link in links { _ = try await link.ended.wait() }
        await bench.shutDown()
    }

    @Test func `all accepted links of a loop can be reset at once, those in the handshake too`() async throws {
        let bench = try Bench()
        let listener = try bench.listen()
        let open = bench.connect(to: listener.address)
        _ = try await open.opened.wait()
        let early = try RawSocket.connect(to: listener.address)
        while listener.counts.accepted < 2 { await Task.yield() }
        _ = try await bench.serverLoop.run { $0.closeAcceptedLinks(.reset) }
        #expect(try await open.ended.wait().end == .reset)
        while listener.counts.live > 0 { await Task.yield() }
        close(early)
        await bench.shutDown()
    }
}
