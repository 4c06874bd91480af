import Primitives
import Testing
import Transport

/// Two small writes and their answer over TLS: the second one is what Nagle's algorithm holds back.
@Suite struct SmallWriteTests {
    /// How long each of 30 rounds took; sorted.
    private static func rounds(sendsAtOnce: Bool) async throws -> [Interval] {
        let bench = try Bench()
        var listening = ListenerOptions()
        listening.link.sendsAtOnce = sendsAtOnce
        let listener = try bench.listen(options: listening) { handler in
            var heard = 0
            var owed = 0
            handler.onReceive = { link, bytes in
                heard += bytes.count
                guard heard >= 2 else { return }
                heard -= 2
                owed = 1
                link.requestFill()
            }
            handler.onFill = { _, buffer in
                defer { owed = 0 }
                if owed > 0 { buffer[0] = 0 }
                return owed
            }
        }
        let done = Signal<[Interval]>()
        _ = bench.connect(to: listener.address, options: listening.link) { handler in
            var times: [Interval] = []
            var owed = 0
            var start = Instant.zero
            let ask = { (link: Link) in
                owed = 2
                start = MonotonicClock.now()
                link.requestFill()
            }
            handler.onOpen = { link, _ in ask(link) }
            handler.onFill = { _, buffer in
                guard owed > 0 else { return 0 }
                owed -= 1
                buffer[0] = 0
                return 1
            }
            handler.onFlush = { link in if owed > 0 { link.requestFill() } }
            handler.onReceive = { link, _ in
                times.append(MonotonicClock.now() - start)
                if times.count < 30 { ask(link) } else { link.close(.reset) }
            }
            handler.onEnd = { _, _ in done.give(times.sorted()) }
        }
        let times = try await done.wait()
        await bench.shutDown()
        return times
    }

    @Test func `C22 the mode at 40 ms is there without the switch and gone with it`() async throws {
        let off = try await Self.rounds(sendsAtOnce: false)
        let on = try await Self.rounds(sendsAtOnce: true)
        try #require(off.count == 30 && on.count == 30)
        #expect(off[15] >= .milliseconds(35), "what the kernel's delayed acknowledgement costs: \(off)")
        #expect(on[15] < .milliseconds(35), "\(on)")
        #expect(on[15] < off[15])
    }
}
