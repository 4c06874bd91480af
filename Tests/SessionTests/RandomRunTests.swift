import GatewaySimulator
import Primitives
import ProviderSessions
import SimulatedTransport
import Testing

/// Whole runs drawn from a seed: whatever the batch, window, connections, pieces and errors, the books agree.
@Suite struct RandomRunTests {
    @Test(arguments: UInt64(1)...60) func `sender and gateway agree about every notification`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bench = Bench(notifications: 200 + random.below(2_000), connections: 1 + Int(random.below(6)), seed: seed)
        bench.badRate = [0, 0.001, 0.005, 0.02][Int(random.below(4))]
        bench.plan.batch.notifications = [1, 7, 100, 448][Int(random.below(4))]
        bench.plan.window = 1 << 20
        bench.script.latency = .microseconds(Int64(1 + random.below(2_000)))
        bench.script.capacityBytes = 1 << (14 + Int(random.below(8)))
        if random.below(2) == 0 { bench.script.segmentBytes = 100 + Int(random.below(5_000)) }
        bench.gateway.faults.add(.replyDelay(.constant(.microseconds(Int64(random.below(20_000))))))
        if random.below(4) == 0 {
            bench.gateway.faults.add(.shutdown, when: .every(100 + random.below(300), scope: .connection))
        }
        let world = try bench.run()
        #expect(world.count(.rejected) == world.gatewayLedger.counts.rejected, "seed \(seed)")
        #expect(world.count(.accepted) == world.gatewayLedger.counts.accepted, "seed \(seed)")
        #expect(world.count(.accepted) + world.count(.rejected) == bench.notifications, "seed \(seed)")
        #expect(world.gatewayLedger.counts.duplicates == 0, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...40) func `faults leave every notification with one fate`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed &* 977)
        var bench = Bench(notifications: 300 + random.below(1_500), connections: 1 + Int(random.below(4)), seed: seed)
        bench.badRate = 0.005
        bench.plan.window = 50 << random.below(10)
        bench.plan.unproven = random.below(2) == 0 ? .report : .resend(limit: 3)
        bench.plan.reconnect.base = .milliseconds(5)
        bench.plan.reconnect.cap = .milliseconds(50)
        for connection in 0..<40 where random.below(3) == 0 {
            bench.script.faults[connection] =
                [
                    .replyDestroyed, .resetAfter(bytes: 10_000), .replySplit(bytes: 1), .writeFailsBeforeReply,
                    .gatewayBabbles([8, 8, 0, 0, 0, 1]),
                ][Int(random.below(5))]
        }
        bench.gateway.faults.add(.replyClose([.graceful, .abrupt, .reset][Int(random.below(3))]))
        let world = try bench.world()
        world.run(until: .zero + .seconds(300))
        #expect(world.ledger.isBalanced(generated: bench.notifications), "seed \(seed)")
        #expect(world.bytesAfterEnd == 0, "seed \(seed)")
    }

    @Test func `the same seed gives the same run`() throws {
        func events() throws -> Int {
            var bench = Bench(notifications: 5_000, connections: 3)
            bench.badRate = 0.01
            bench.script.segmentBytes = 900
            return try bench.run().events.hashValue
        }
        #expect(try events() == events())
    }
}
