import Primitives
import SecureChannel
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct TransferTests {
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `large streams arrive byte for byte in both directions at once`(version: TLSVersion) async throws {
        let bench = try Bench(clientVersions: version...version)
        let upward = seededBytes(5_000_003, seed: 1)
        let downward = seededBytes(3_000_017, seed: 2)
        let serverEnd = Signal<[UInt8]>()
        let listener = try bench.listen { handler in
            handler.sends(downward)
            handler.onPeerFinish = { link, _ in
                // The client ends first, when it has everything.
                serverEnd.give(handler.received)
                return .end
            }
        }
        let link = bench.connect(to: listener.address) { handler in
            var isSent = false
            func closeWhenComplete(_ link: Link) {
                if isSent, handler.received.count == downward.count { link.close(.graceful(drain: .seconds(5))) }
            }
            handler.sends(upward) { _ in isSent = true }
            handler.onFlush = closeWhenComplete
            handler.onReceive = { link, bytes in
                handler.received.append(contentsOf: bytes)
                closeWhenComplete(link)
            }
        }
        let atServer = try await serverEnd.wait()
        #expect(atServer == upward)
        let ended = try await link.ended.wait()
        #expect(ended.received == downward)
        #expect(ended.end == .closedLocally)
        #expect(ended.counters.wireBytesOut > upward.count)
        #expect(ended.counters.batchCount == (upward.count + 65_535) / 65_536)
        await bench.shutDown()
    }

    @Test func `a batch leaves in one write`() async throws {
        let bench = try Bench()
        let count = 40_000
        let arrived = Signal<Bool>()
        let listener = try bench.listen { handler in
            handler.onReceive = { _, bytes in
                handler.received.append(contentsOf: bytes)
                if handler.received.count == count { arrived.give(true) }
            }
        }
        let writes = Signal<Int>()
        let link = bench.connect(to: listener.address) { handler in
            var before = 0
            handler.onOpen = { link, _ in before = link.counters.writeCount }
            handler.sends(seededBytes(count, seed: 3))
            handler.onFlush = { writes.give($0.counters.writeCount - before) }
        }
        #expect(try await writes.wait() == 1)
        #expect(try await arrived.wait())
        await bench.shutDown()
        #expect(try await link.ended.wait().end == .closedLocally)
    }
}
