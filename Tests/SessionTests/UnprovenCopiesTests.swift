import Primitives
import ProviderSessions
import PushWire
import Testing

/// Notifications that were written a second time because nothing told what had become of the first copy.
@Suite struct UnprovenCopiesTests {
    /// Writes 200 notifications, loses the connection, writes them again and 100 more, and gets a reply that refuses number 5.
    private func refusedSecondCopy() throws -> FateLedger {
        var bench = Bench(notifications: 300)
        bench.plan.batch.notifications = 100
        bench.plan.window = 200
        bench.plan.unproven = .resend(limit: 3)
        bench.plan.reconnect.base = .milliseconds(1)
        let plan = bench.plan
        let session = ProviderSession(
            slot: 0, plan: plan, supply: SequenceSupply(limit: 300, connectionCount: 1), source: try bench.source(),
            seed: 1)
        let facts = ConnectionFacts(tcp: .zero, tls: .zero, isResumed: false)
        session.start(now: .zero)
        session.connectionOpened(facts, now: .zero)
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            let batch = UnsafeMutableRawBufferPointer(buffer)
            func write(_ count: Int, at now: Instant) {
                for _ in 0..<count {
                    #expect(session.fill(into: batch, now: now) > 0)
                    session.flushed(now: now)
                }
            }
            write(2, at: .zero)
            session.connectionEnded(.reset, now: .zero)
            let later = Instant.zero + .seconds(1)
            session.timerFired(now: later)
            session.connectionOpened(facts, now: later)
            write(3, at: later)
            ErrorReply(status: .invalidToken, identifier: plan.identifiers.identifier(of: 5)).write(into: batch)
            session.receive(UnsafeRawBufferPointer(rebasing: batch[..<ErrorReply.byteCount]), now: later)
        }
        session.abandon(now: .zero + .seconds(2))
        var ledger = FateLedger()
        session.takeEvents { ledger.record($0) }
        return ledger
    }

    @Test func `a discarded copy that has left the window is unknown when an earlier one may have been accepted`()
        throws
    {
        let ledger = try refusedSecondCopy()
        #expect(ledger.windowOverruns == 1)
        #expect(ledger.count(of: .accepted) == 5)
        #expect(ledger.count(of: .rejected) == 1)
        #expect(ledger.count(of: .unknown) == 194, "94 behind the window and 100 that were still to be written again")
        #expect(ledger.count(of: .lost) == 100, "the last hundred had no other copy")
    }

    @Test func `the gateway's book tells that the first copy of a refused notification was accepted`() throws {
        var ledger = try refusedSecondCopy()
        #expect(ledger.resolve { $0 < 200 ? .accepted : .lost } == 1)
        #expect(ledger.count(of: .accepted) == 200)
        #expect(ledger.count(of: .rejected) == 0)
        #expect(ledger.count(of: .lost) == 100)
    }

    @Test func `a refused notification stays refused when no copy was accepted`() throws {
        var ledger = try refusedSecondCopy()
        #expect(ledger.resolve { $0 == 5 ? .rejected : .lost } == 0)
        #expect(ledger.count(of: .rejected) == 1)
        #expect(ledger.count(of: .lost) == 294)
    }
}
