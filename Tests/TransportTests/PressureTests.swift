import Dispatch
import Primitives
import SecureChannel
import Synchronization
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct PressureTests {
    /// Case C19: the peer stops reading, our write blocks, and its answer is still read at once.
    @Test func `an answer is read while a write is blocked`() async throws {
        let bench = try Bench()
        let isBlocked = Signal<Bool>()
        let unsent = Signal<Int>()
        let listener = try bench.listen { handler in
            handler.onOpen = { link, _ in
                link.pauseReading()
                link.setDeadline(link.core.now)
            }
            handler.onTimer = { link in
                guard isBlocked.isGiven else { return link.setDeadline(link.core.now + .milliseconds(1)) }
                handler.sends([8, 1, 0, 0, 0, 1])
                link.requestFill()
            }
        }
        let link = bench.connect(to: listener.address) { handler in
            handler.onOpen = { link, _ in link.setDeadline(link.core.now) }
            handler.onFill = { _, buffer in buffer.count }
            handler.onTimer = { link in
                if link.unsentByteCount > 0 { return isBlocked.give(true) }
                link.setDeadline(link.core.now + .milliseconds(1))
            }
            handler.onReceive = { link, bytes in
                handler.received.append(contentsOf: bytes)
                unsent.give(link.unsentByteCount)
                link.close(.abrupt)
            }
        }
        #expect(try await unsent.wait() > 0)
        let ended = try await link.ended.wait()
        #expect(ended.received == [8, 1, 0, 0, 0, 1])
        #expect(ended.counters.blockedWriteCount > 0)
        await bench.shutDown()
    }

    /// Case C19 on 32 connections of one loop: every answer is read within a second of its sending.
    @Test func `answers on many connections are read while all their writes are blocked`() async throws {
        let bench = try Bench()
        let blocked = Mutex(0)
        let sentAt = Mutex([UInt32: Instant]())
        let count = 32
        let listener = try bench.listen { handler in
            handler.onOpen = { link, _ in
                link.pauseReading()
                link.setDeadline(link.core.now)
            }
            handler.onTimer = { link in
                guard blocked.withLock({ $0 == count }) else {
                    return link.setDeadline(link.core.now + .milliseconds(1))
                }
                // Long enough that a client which waits for its write would be found out.
                let number = sentAt.withLock { sent in
                    let number = UInt32(sent.count)
                    sent[number] = link.core.now
                    return number
                }
                handler.sends([8, 1] + withUnsafeBytes(of: number.bigEndian) { Array($0) })
                link.requestFill()
            }
        }
        let links = (0..<count).map { _ in
            bench.connect(to: listener.address) { handler in
                var isCounted = false
                handler.onOpen = { link, _ in link.setDeadline(link.core.now) }
                handler.onFill = { _, buffer in buffer.count }
                handler.onTimer = { link in
                    if link.unsentByteCount > 0, !isCounted {
                        isCounted = true
                        return blocked.withLock { $0 += 1 }
                    }
                    link.setDeadline(link.core.now + .milliseconds(1))
                }
                handler.onReceive = { link, bytes in
                    let number = bytes[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                    let sent = sentAt.withLock { $0[number] }
                    #expect(sent.map { link.core.refreshNow() - $0 < .seconds(1) } == true)
                    #expect(link.unsentByteCount > 0, "the write is still blocked")
                    handler.received.append(contentsOf: bytes)
                    link.close(.abrupt)
                }
            }
        }
        for link in links {
            let ended = try await link.ended.wait()
            #expect(ended.received.count == 6 && ended.counters.blockedWriteCount > 0)
        }
        await bench.shutDown()
    }

    /// Case C03 without any answer: the end comes, and it does not take long.
    @Test func `a failed write without an answer ends the connection after a moment`() async throws {
        let bench = try Bench()
        let reset = ResetUnderWrite()
        let listener = try bench.listen { handler in
            handler.onOpen = { link, _ in link.setDeadline(link.core.now) }
            reset.strike(handler)
        }
        let link = bench.connect(to: listener.address) { handler in
            reset.suffer(handler)
            handler.onEnd = { link, _ in #expect(link.hasWriteFailed) }
        }
        let ended = try await link.ended.wait()
        guard case .writeFailed = ended.end else {
            Issue.record("ended with \(ended.end)")
            return
        }
        #expect(ended.received.isEmpty)
        await bench.shutDown()
    }

    @Test func `a paused reader gets every byte after it resumed`() async throws {
        let bench = try Bench()
        let bytes = seededBytes(8_000_000, seed: 7)
        let isBlocked = Signal<Bool>()
        let all = Signal<[UInt8]>()
        let listener = try bench.listen { handler in
            handler.onOpen = { link, _ in
                link.pauseReading()
                link.setDeadline(link.core.now)
            }
            handler.onTimer = { link in
                if isBlocked.isGiven { return link.resumeReading() }
                link.setDeadline(link.core.now + .milliseconds(1))
            }
            handler.onPeerFinish = { _, _ in
                all.give(handler.received)
                return .end
            }
        }
        let link = bench.connect(to: listener.address) { handler in
            handler.sends(bytes) { $0.close(.graceful(drain: .seconds(10))) }
            handler.onOpen = { link, _ in link.setDeadline(link.core.now) }
            handler.onTimer = { link in
                if link.unsentByteCount > 0 { return isBlocked.give(true) }
                link.setDeadline(link.core.now + .milliseconds(1))
            }
        }
        let received = try await all.wait()
        #expect(received == bytes)
        #expect(try await link.ended.wait().end == .closedLocally)
        await bench.shutDown()
    }

    /// Case C03: the reply lies in the receive buffer when the next write fails.
    @Test func `a reply is delivered although a write failed first`() async throws {
        let bench = try Bench()
        let reply: [UInt8] = [8, 8, 0, 0, 0, 50]
        let reset = ResetUnderWrite()
        let listener = try bench.listen { handler in
            handler.sends(reply)
            handler.onFlush = { link in link.setDeadline(link.core.now) }
            reset.strike(handler)
        }
        let link = bench.connect(to: listener.address) { handler in reset.suffer(handler) }
        let ended = try await link.ended.wait()
        guard case .writeFailed = ended.end else {
            Issue.record("ended with \(ended.end)")
            return
        }
        #expect(ended.received == reply)
        await bench.shutDown()
    }

    @Test func `small writes do not wait for acknowledgements unless asked to`() async throws {
        let bench = try Bench()
        let listener = try bench.listen { handler in
            handler.onReceive = { link, bytes in
                handler.received.append(contentsOf: bytes)
                if handler.received.count == 20 { link.close(.abrupt) }
            }
        }
        for sendsAtOnce in [true, false] {
            var options = LinkOptions()
            options.sendsAtOnce = sendsAtOnce
            options.sendBufferBytes = 64 * 1_024
            options.receiveBufferBytes = 64 * 1_024
            let end = try await bench.connect(to: listener.address, options: options) { handler in
                var count = 0
                handler.onFill = { _, _ in
                    count += 1
                    return count <= 20 ? 1 : 0
                }
            }.ended.wait()
            #expect(end.counters.batchCount == 20)
            #expect(end.end == .truncated || end.end == .reset)
        }
        await bench.shutDown()
    }
}

/// A reset that comes while the other end does not read and is about to write, so that the write sees it before the reader does.
private struct ResetUnderWrite: Sendable {
    private let hasReset = DispatchSemaphore(value: 0)
    private let canReset = Signal<Bool>()

    /// The end that resets, from its deadline on, as soon as the other one is ready for it.
    func strike(_ handler: ScriptedHandler) {
        handler.onTimer = { [canReset] link in
            guard canReset.isGiven else { return link.setDeadline(link.core.now + .milliseconds(1)) }
            link.close(.reset)
        }
        handler.onEnd = { [hasReset] _, _ in hasReset.signal() }
    }

    /// The end that writes into it.
    func suffer(_ handler: ScriptedHandler) {
        var isReset = false
        handler.onOpen = { link, _ in
            link.pauseReading()
            link.setDeadline(link.core.now + .milliseconds(5))
        }
        handler.onFill = { _, _ in isReset ? 6 : 0 }
        handler.onTimer = { [canReset, hasReset] link in
            // Holds the loop until the reset is in.
            canReset.give(true)
            hasReset.wait()
            isReset = true
            #expect(!link.hasWriteFailed)
            link.requestFill()
        }
    }
}
