import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// Case C03: a write fails before the sender has looked at what came.
@Suite struct WriteFailureTests {
    @Test func `C03 a failed write does not hide the reply that already lies there`() throws {
        var bench = Bench(notifications: 1_000, badTokens: [49])
        bench.plan.batch.notifications = 20
        bench.script.faults = [0: .writeFailsBeforeReply]
        let world = try bench.run()
        #expect(world.ledger.repliesAfterWriteFailure == 1)
        #expect(world.errorReplies.map(\.reply) == [ErrorReply(status: .invalidToken, identifier: 50)])
        #expect(world.count(.accepted) == 999)
        #expect(world.count(.rejected) == 1)
        #expect(world.ledger.resent == world.errorReplies.first?.inFlight, "all that followed the 50th, once")
        #expect(world.gatewayLedger.counts.duplicates == 0)
        #expect(world.now < .zero + .seconds(1), "the reply is acted upon at once, not when the draining is over")
    }

    @Test func `C03 without a reply everything in the window is unknown, and the wait for one is bounded`() throws {
        var bench = Bench(notifications: 20_000, badTokens: [49])
        bench.plan.batch.notifications = 20
        bench.script.faults = [0: .writeFailsWithoutReply]
        let world = try bench.run()
        let losses = world.events.compactMap { event -> (unproven: UInt64, at: Instant)? in
            guard case .connectionLost(_, let unproven, let at) = event else { return nil }
            return (unproven, at)
        }
        try #require(losses.count == 1)
        #expect(losses[0].unproven > 50)
        #expect(world.count(.unknown) == losses[0].unproven)
        #expect(world.ledger.fates[.unknown]?.runs == [SequenceRun(start: 0, count: losses[0].unproven)])
        #expect(world.count(.accepted) == 20_000 - losses[0].unproven, "only what the second connection proved")
        #expect(world.count(.rejected) == 0)
        #expect(world.ledger.repliesAfterWriteFailure == 0)
        #expect(losses[0].at >= .zero + .seconds(1) && losses[0].at < .zero + .milliseconds(1_100))
    }

    @Test func `a reply on the next connection has nothing to do with a write that failed before`() throws {
        var bench = Bench(notifications: 5_000, badTokens: [49, 4_000])
        bench.plan.batch.notifications = 20
        bench.script.faults = [0: .writeFailsWithoutReply]
        let world = try bench.run()
        #expect(world.errorReplies.count == 1)
        #expect(world.ledger.repliesAfterWriteFailure == 0)
    }
}
