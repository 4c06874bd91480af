import Primitives
import SecureChannel
import Synchronization
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct ClosingTests {
    /// Case C04a: a client that writes at full speed always gets the last bytes of a graceful close.
    @Test func `a graceful close delivers its last bytes under a writing client, 200 times of 200`() async throws {
        let bench = try Bench()
        let reply: [UInt8] = [8, 8, 0, 0, 0, 9]
        let listener = try bench.listen { handler in
            var byteCount = 0
            handler.onReceive = { link, bytes in
                byteCount += bytes.count
                if byteCount > 100_000 { link.requestFill() }
            }
            handler.onFill = { link, buffer in
                guard byteCount > 100_000 else { return 0 }
                buffer.copyBytes(from: reply)
                link.close(.graceful(drain: .seconds(1)))
                return reply.count
            }
        }
        for _ in 0..<200 {
            let ended = try await bench.connect(to: listener.address) { handler in
                handler.onFill = { link, buffer in buffer.count }
            }.ended.wait()
            #expect(ended.received == reply)
            #expect(ended.end == .closedByPeer)
        }
        await bench.shutDown()
    }

    @Test func `what was filled before a graceful close arrives before the end`() async throws {
        let bench = try Bench()
        let bytes = seededBytes(1_000_000, seed: 4)
        let serverEnd = Signal<ScriptedHandler.Ended>()
        let run = try bench.connectToOwnServer { handler in
            handler.onEnd = { link, end in
                serverEnd.give(.init(end: end, counters: link.counters, received: handler.received))
            }
        } client: {
            $0.sends(bytes) { $0.close(.graceful(drain: .seconds(5))) }
        }
        let atServer = try await serverEnd.wait()
        #expect(atServer.received == bytes)
        #expect(atServer.end == .closedByPeer)
        #expect(try await run.ended.wait().end == .closedLocally)
        await bench.shutDown()
    }

    @Test func `an abrupt close is a truncated stream for the peer`() async throws {
        let bench = try Bench()
        let run = try bench.connectToOwnServer {
            $0.sends([1, 2, 3])
            $0.onFlush = { $0.close(.abrupt) }
        } client: { _ in
        }
        let ended = try await run.ended.wait()
        #expect(ended.received == [1, 2, 3])
        #expect(ended.end == .truncated)
        await bench.shutDown()
    }

    @Test func `a reset is a reset for the peer`() async throws {
        let bench = try Bench()
        let run = try bench.connectToOwnServer {
            $0.onReceive = { link, _ in link.close(.reset) }
        } client: {
            $0.sends([1])
        }
        #expect(try await run.ended.wait().end == .reset)
        await bench.shutDown()
    }

    @Test(arguments: [true, false])
    func `a half-closed link can still answer`(cleanly: Bool) async throws {
        let bench = try Bench()
        let answer = seededBytes(300_000, seed: 5)
        let finish = Signal<Bool>()
        let listener = try bench.listen { handler in
            handler.onPeerFinish = { link, isClean in
                finish.give(isClean)
                handler.sends(answer) { $0.close(.graceful(drain: .seconds(1))) }
                link.requestFill()
                return .keepSending
            }
        }
        let peer = try HalfClosingPeer(to: listener.address, context: bench.client)
        let received = try await peer.exchange([7, 7], cleanly: cleanly)
        #expect(try await finish.wait() == cleanly)
        #expect(received == answer)
        await bench.shutDown()
    }

    @Test func `a peer that never ends is left at the drain bound`() async throws {
        let bench = try Bench()
        let run = try bench.connectToOwnServer {
            $0.onPeerFinish = { _, _ in .keepSending }
        } client: {
            $0.onOpen = { link, _ in link.close(.graceful(drain: .milliseconds(20))) }
        }
        #expect(try await run.ended.wait().end == .closedLocally)
        await bench.shutDown()
    }

    @Test func `a peer that writes on and on is left at the bound of bytes`() async throws {
        let bench = try Bench()
        let serverEnd = Signal<ScriptedHandler.Ended>()
        let run = try bench.connectToOwnServer { handler in
            handler.onReceive = { link, _ in link.close(.graceful(drain: .seconds(60))) }
            handler.onEnd = { link, end in
                serverEnd.give(.init(end: end, counters: link.counters, received: handler.received))
            }
        } client: {
            $0.onPeerFinish = { _, _ in .keepSending }
            $0.onFill = { _, buffer in buffer.count }
        }
        let atServer = try await serverEnd.wait()
        #expect(atServer.end == .closedLocally)
        #expect(atServer.counters.wireBytesIn > 64 << 20 && atServer.counters.wireBytesIn < 66 << 20)
        _ = try await run.ended.wait()
        await bench.shutDown()
    }

    @Test func `closing inside any callback is the last one but the end`() async throws {
        let bench = try Bench()
        let calls = Mutex<[String]>([])
        let run = try bench.connectToOwnServer {
            $0.sends(seededBytes(600_000, seed: 6))
        } client: { handler in
            handler.onOpen = { link, _ in link.setDeadline(link.core.now) }
            handler.onReceive = { link, _ in
                calls.withLock { $0.append("receive") }
                link.setDeadline(link.core.now)
                link.requestFill()
                link.close(.abrupt)
                link.close(.graceful(drain: .seconds(1)))
            }
            handler.onFlush = { _ in calls.withLock { $0.append("flush") } }
            handler.onEnd = { link, _ in
                calls.withLock { $0.append("end") }
                link.requestFill()
                link.setDeadline(link.core.now)
                link.pauseReading()
                link.close(.reset)
            }
        }
        #expect(try await run.ended.wait().end == .closedLocally)
        await bench.shutDown()
        #expect(calls.withLock { $0 } == ["receive", "end"])
    }
}
