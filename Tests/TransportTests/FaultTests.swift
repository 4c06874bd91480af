import Glibc
import Primitives
import SecureChannel
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct FaultTests {
    @Test func `a port where nobody listens is refused`() async throws {
        let bench = try Bench()
        let listener = try bench.listen()
        await listener.close()
        let end = try await bench.connect(to: listener.address).ended.wait().end
        #expect(end == .connectFailed(.refused))
        await bench.shutDown()
    }

    @Test func `a host that does not answer times out`() async throws {
        let bench = try Bench()
        // A full backlog drops further connection attempts.
        let silent = try RawSocket.listen(backlog: 0)
        let filler = try RawSocket.connect(to: silent.address)
        var options = LinkOptions()
        options.connectTimeout = .milliseconds(30)
        let end = try await bench.connect(to: silent.address, options: options).ended.wait().end
        #expect(end == .connectFailed(.timedOut))
        close(filler)
        close(silent.descriptor)
        await bench.shutDown()
    }

    @Test func `a server that does not shake hands times out`() async throws {
        let bench = try Bench()
        let silent = try RawSocket.listen(backlog: 8)
        var options = LinkOptions()
        options.handshakeTimeout = .milliseconds(30)
        let end = try await bench.connect(to: silent.address, options: options).ended.wait().end
        #expect(end == .handshakeTimedOut)
        close(silent.descriptor)
        await bench.shutDown()
    }

    @Test func `a client that does not shake hands times out, however slowly it drips`() async throws {
        let bench = try Bench()
        var options = ListenerOptions()
        options.link.handshakeTimeout = .milliseconds(30)
        let ended = Signal<LinkEnd>()
        let listener = try bench.listen(options: options) { $0.onEnd = { _, end in ended.give(end) } }
        let socket = try RawSocket.connect(to: listener.address)
        // The first bytes of a record header.
        _ = [UInt8]([22, 3]).withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
        #expect(try await ended.wait() == .handshakeTimedOut)
        close(socket)
        await bench.shutDown()
    }

    @Test(arguments: 0..<40)
    func `garbage instead of a handshake ends in a value`(seed: Int) async throws {
        let bench = try Bench()
        let ended = Signal<LinkEnd>()
        let listener = try bench.listen { $0.onEnd = { _, end in ended.give(end) } }
        let socket = try RawSocket.connect(to: listener.address)
        var bytes = seededBytes(3_000, seed: UInt64(seed))
        // Every other one looks like a handshake record at first.
        if seed % 2 == 0 { bytes.replaceSubrange(0..<6, with: [22, 3, 1, 2, 0, 1]) }
        _ = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(socket, Int32(SHUT_WR))
        switch try await ended.wait() {
        case .handshakeFailed, .handshakeInterrupted: break
        case let end: Issue.record("seed \(seed) ended with \(end)")
        }
        close(socket)
        await bench.shutDown()
    }

    @Test func `garbage from a server fails the handshake`() async throws {
        let bench = try Bench()
        let server = try RawSocket.listen(backlog: 8)
        let link = bench.connect(to: server.address)
        let accepted = accept(server.descriptor, nil, nil)
        _ = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).withUnsafeBytes {
            write(accepted, $0.baseAddress, $0.count)
        }
        guard case .handshakeFailed(.library) = try await link.ended.wait().end else {
            Issue.record("no handshake failure")
            return
        }
        close(accepted)
        close(server.descriptor)
        await bench.shutDown()
    }

    @Test func `a server that goes away during the handshake interrupts it`() async throws {
        let bench = try Bench()
        let server = try RawSocket.listen(backlog: 8)
        let link = bench.connect(to: server.address)
        close(accept(server.descriptor, nil, nil))
        #expect(try await link.ended.wait().end == .handshakeInterrupted)
        close(server.descriptor)
        await bench.shutDown()
    }

    @Test func `records that are changed on the way break the connection, not us`() throws {
        for seed in 0..<200 as Range<UInt64> {
            let pair = try ChannelPair()
            pair.shakeHands()
            var random = SeededRandom(seed: seed)
            var records = pair.encrypt(seededBytes(5_000, seed: seed), from: .client)
            let index = Int(random.below(UInt64(records.count)))
            records[index] ^= UInt8(truncatingIfNeeded: random.next()) | 1
            let step = pair.decrypt(records, at: .server)
            if case .closed = step.reason { Issue.record("seed \(seed): a changed record closed cleanly") }
            if case .plaintextFull = step.reason { Issue.record("seed \(seed): no bound") }
            #expect(step.byteCount < 5_000, "seed \(seed)")
        }
    }

    /// In a process of its own, whose descriptors are limited: case C64.
    @Test func `running out of descriptors is a local limit, and accepting goes on afterwards`() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let listener = try bench.listen()
            let first = bench.connect(to: listener.address)
            _ = try await first.opened.wait()
            var limit = rlimit(rlim_cur: 600, rlim_max: 4_096)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var last: Int32 = 0
            while case let next = dup(0), next >= 0 { last = next }
            // One descriptor is left, so the client's socket takes it and the server has none to accept with.
            close(last)
            let waiting = bench.connect(to: listener.address)
            var rounds = 0
            while listener.counts.localLimits == 0 {
                rounds += 1
                precondition(rounds < 1_000_000, "accepting met no limit")
                await Task.yield()
            }
            let second = bench.connect(to: listener.address)
            guard case .localLimit(let failure) = try await second.ended.wait().end, failure.code == EMFILE else {
                fatalError("not a local limit")
            }
            limit.rlim_cur = 4_096
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _ = try await waiting.opened.wait()
            await bench.shutDown()
            _exit(0)
        }
    }

    /// In a process of its own, whose descriptors are limited.
    @Test func `C64 without descriptors accepting waits between its attempts and does not spin`() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let listener = try bench.listen()
            _ = try await bench.connect(to: listener.address).opened.wait()
            var limit = rlimit(rlim_cur: 600, rlim_max: 4_096)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var last: Int32 = 0
            while case let next = dup(0), next >= 0 { last = next }
            close(last)
            _ = bench.connect(to: listener.address)
            while listener.counts.localLimits == 0 { await Task.yield() }  // the exit test's own limit ends it
            let start = MonotonicClock.now()
            let before = try await bench.serverLoop.run { $0.use.waits }
            let attempts = listener.counts.localLimits
            while listener.counts.localLimits < attempts + 10 { await Task.yield() }
            let passed = MonotonicClock.now() - start
            let waits = try await bench.serverLoop.run { $0.use.waits } - before
            // Ten pauses of 50 ms, of which the first may have begun before.
            precondition(passed >= .milliseconds(440), "ten attempts in \(passed)")
            // Counted and not timed, since a busy machine or a sanitizer makes any look dear: a loop that spins looks at its sockets
            // without a pause, some hundred thousand times in that time.
            precondition(waits < 1_000, "\(waits) looks in \(passed)")
            await bench.shutDown()
            _exit(0)
        }
    }

    /// Case C32.
    @Test func `writing to peers that went away does not end the process`() async {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let listener = try bench.listen { $0.onReceive = { link, _ in link.close(.reset) } }
            for _ in 0..<32 {
                let ended = try await bench.connect(to: listener.address) { handler in
                    handler.onFill = { _, buffer in buffer.count }
                }.ended.wait()
                switch ended.end {
                case .reset, .writeFailed: break
                default: fatalError("ended with \(ended.end)")
                }
            }
            await bench.shutDown()
            _exit(0)
        }
    }

    @Test func `a thousand links leave no descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            // The first loop makes Dispatch open its own descriptors.
            let first = try EventLoop()
            _ = try await first.run { _ in 0 }
            let before = openDescriptorCount()
            let bench = try Bench(tickets: .everyHandshake(count: 1))
            let listener = try bench.listen { $0.sends([1]) }
            for round in 0..<100 {
                let links = (0..<10).map { index in
                    bench.connect(to: listener.address) { handler in
                        let closings: [LinkClosing] = [.abrupt, .reset, .graceful(drain: .milliseconds(100))]
                        handler.onReceive = { link, _ in link.close(closings[(round + index) % 3]) }
                    }
                }
                for link in links { _ = try await link.ended.wait() }
            }
            await listener.close()
            await bench.shutDown()
            precondition(listener.counts.accepted == 1_000 && listener.counts.live == 0)
            _ = consume listener
            _ = consume bench
            // The loops' inboxes are given back with the last reference, which a dying task may hold a little longer.
            var rounds = 0
            while openDescriptorCount() > before {
                rounds += 1
                precondition(rounds < 10_000, "descriptors are left")
                await Task.yield()
            }
            await first.shutDownAndWait()
            _exit(0)
        }
    }
}

/// How many sockets and epoll descriptors the process has open; timers and pipes may be the runtime's or a sanitizer's.
func openDescriptorCount() -> Int {
    (0..<1_024 as Range<Int32>).count { descriptor in
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress, readlink("/proc/self/fd/\(descriptor)", start, 63) > 0 else {
                return ""
            }
            return String(cString: start)
        }
        return name.hasPrefix("socket:") || name.hasSuffix("[eventpoll]")
    }
}
