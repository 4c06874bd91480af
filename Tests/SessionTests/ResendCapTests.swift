import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// Case C12: identifiers are unique, and nothing is written again without end.
@Suite struct ResendCapTests {
    private func capped(limit: UInt32) throws -> SimulatedWorld {
        var bench = Bench(notifications: 100)
        bench.gateway.faults.add(.close(.graceful), when: .after(10, scope: .connection))
        bench.plan.unproven = .resend(limit: limit)
        bench.plan.reconnect.base = .milliseconds(1)
        return try bench.run()
    }

    @Test(arguments: [UInt32(1), 3, 7])
    func `C12 a notification that no copy proves is lost at the cap, and counted by that reason`(limit: UInt32) throws {
        let world = try capped(limit: limit)
        #expect(world.ledger.written == UInt64(limit + 1) * 100)
        #expect(world.count(.lost) == 100)
        #expect(world.ledger.losses == [.cap: 100])
        #expect(world.count(.unknown) == 0)
    }

    @Test func `C12 the gateway's book may still say that a copy of a capped one was accepted or refused`() throws {
        let world = try capped(limit: 3)
        var ledger = world.ledger
        ledger.resolve { $0 < 10 ? .accepted : $0 == 10 ? .rejected : .lost }
        #expect(ledger.count(of: .accepted) == 10)
        #expect(ledger.count(of: .rejected) == 1)
        #expect(ledger.count(of: .lost) == 89)
        #expect(ledger.losses == [.cap: 89])
        #expect(ledger.isBalanced(generated: 100))
    }

    @Test func `reasons add up to the lost ones, whatever they were lost by`() throws {
        var bench = Bench(notifications: 2_050, badTokens: [49])
        bench.plan.window = 100
        bench.plan.batch.notifications = 50
        bench.gateway.faults.add(.replyDelay(.until(2_000, limit: .seconds(5))))
        let overrun = try bench.run()
        #expect(overrun.ledger.losses == [.window: 1_900])
        var ledger = overrun.ledger
        ledger.record(.settled(SequenceRun(start: 3_000, count: 5), .unknown, nil))
        ledger.resolve { _ in .lost }
        #expect(ledger.losses == [.window: 1_900, .book: 5])
        #expect(ledger.count(of: .lost) == 1_905)
    }

    @Test func `a long book keeps apart what was written once and what was written again`() {
        var ledger = FateLedger()
        for number in 0..<UInt64(20_000) {
            ledger.record(.lost(SequenceRun(start: number, count: 1, unprovenResends: number % 2 == 0 ? 3 : 0), .cap))
        }
        ledger.resolve { _ in .accepted }
        #expect(ledger.count(of: .accepted) == 10_000, "only those that had another copy")
        #expect(ledger.count(of: .lost) == 10_000)
    }

    /// Five million identifiers in a row from starts drawn by chance, and as many pairs up to 2³¹ apart.
    @Test func `C12 no identifier comes twice within any window up to two to the thirty-first`() {
        var random = SeededRandom(seed: 12)
        for first in [UInt32(1), 0xFFFF_0000, UInt32(random.below(1 << 32 - 1)) + 1] {
            let space = IdentifierSpace(first: first)
            var last = first
            var start = random.below(1 << 40)
            for sequence in 1..<1_666_667 as Range<UInt64> {
                let identifier = space.identifier(of: sequence)
                let distance = random.below(1 << 31) + 1
                start &+= distance
                let other = space.identifier(of: start)
                guard identifier == (last == .max ? 1 : last + 1), other != 0,
                    other != space.identifier(of: start + distance),
                    space.sequence(of: other, near: start + distance - 1) == start
                else {
                    Issue.record("\(identifier) follows \(last), or \(other) repeats within \(distance) (seed 12)")
                    return
                }
                last = identifier
            }
        }
    }

    @Test func `C12 the identifiers in the frames are those of the space, over the wrap`() throws {
        var bench = Bench(notifications: 100_000)
        bench.plan.identifiers = IdentifierSpace(first: 0xFFFF_FF00)
        bench.plan.sentinelBase = 1_000_000
        let session = ProviderSession(
            slot: 0, plan: bench.plan, supply: SequenceSupply(limit: 100_000, connectionCount: 1),
            source: try bench.source(), seed: 1)
        session.start(now: .zero)
        session.connectionOpened(ConnectionFacts(tcp: .zero, tls: .zero, isResumed: false), now: .zero)
        var sequence: UInt64 = 0
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            let batch = UnsafeMutableRawBufferPointer(buffer)
            while sequence < 100_000 {
                let count = session.fill(into: batch, now: .zero)
                session.flushed(now: .zero)
                for frame in stride(from: 0, to: count, by: 145) {
                    let identifier = (1...4).reduce(UInt32(0)) { $0 << 8 | UInt32(batch[frame + $1]) }
                    guard identifier == bench.plan.identifiers.identifier(of: sequence) else {
                        Issue.record("notification \(sequence) has the identifier \(identifier)")
                        return
                    }
                    sequence += 1
                }
                if count == 0 { return }
            }
        }
        #expect(sequence == 100_000)
    }
}
