import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// Case C04: a thousand errors under a sender at full speed, and how many of the replies arrive.
@Suite struct ReplyReceiptTests {
    @Test func `C04 closed in order, a thousand of a thousand replies arrive`() throws {
        var bench = Bench(notifications: 100_000, connections: 4)
        let refused = Set((1...1_000).map { UInt32($0 * 100) })
        bench.gateway.faults.add(.status(.invalidToken), when: .identifiers(refused))
        let world = try bench.run()
        #expect(world.errorReplies.count == 1_000)
        #expect(world.count(.rejected) == 1_000)
        #expect(world.count(.accepted) == 99_000)
        let sent = world.gatewayLedger.counts.repliesSent
        #expect((1_001...1_004).contains(sent), "those to sentinels among them")
        #expect(world.ledger.repliesRead == sent)
    }

    /// Payloads are long, so that few of them are 64 KiB. Each connection's tenth is refused after a moment without reading.
    @Test(arguments: [0, 0.5]) func `C04 a reply that an abrupt close destroys is missed, and nothing else is claimed`(
        survival: Double
    ) throws {
        var bench = Bench(notifications: 160_000, connections: 4)
        bench.sharedSource = NotificationSource(
            tokens: .synthetic(
                try DevicePopulation(
                    seed: 7, deviceCount: 160_000, environment: .sandbox, rates: try FateRates(badToken: 0)),
                TokenKey(seed: 7)),
            payloads: .generated(
                try PayloadGenerator(
                    PayloadPlan(seed: 7, sizes: PayloadSizes(constant: 1_000), limitBytes: 2_048))))
        bench.gateway.payloadLimit = 2_048
        bench.plan.batch.notifications = 10
        bench.script.capacityBytes = 80_000
        bench.script.replySurvival = survival
        bench.gateway.faults.add(.status(.invalidToken), when: .every(10, scope: .connection))
        var delay = ReplyDelay.constant(.milliseconds(2))
        delay.reads = false
        bench.gateway.faults.add(.replyDelay(delay))
        bench.gateway.faults.add(.replyClose(.abrupt))
        bench.plan.reconnect = ReconnectPlan(base: .milliseconds(1), cap: .milliseconds(2), jitter: 0)
        let world = try bench.run()
        let sent = world.gatewayLedger.counts.repliesSent
        let missed = sent - world.ledger.repliesRead
        #expect(sent >= 1_000)
        #expect(Double(missed) > Double(sent) * (survival == 0 ? 0.99 : 0.4), "\(missed) of \(sent)")
        #expect((Double(missed) < Double(sent) * 0.6) == (survival > 0), "\(missed) of \(sent)")
        let unread = world.unreadAtAbruptClose
        #expect(unread.filter { $0 >= 65_536 }.count > unread.count * 99 / 100, "the sender writes at full speed")
        // Before any join: the sender alone knows nothing of what it was not told.
        let named = Set(world.errorReplies.map(\.sequence))
        let unnamed = world.gatewayLedger.refused.map(UInt64.init).filter { !named.contains($0) }
        #expect(UInt64(unnamed.count) <= missed)
        let unknown = Set((world.ledger.fates[.unknown]?.runs ?? []).flatMap { $0.start..<$0.end })
        #expect(unnamed.allSatisfy(unknown.contains), "every miss is unknown, none accepted")
        #expect(world.count(.rejected) == UInt64(named.count))
        #expect(world.count(.lost) == 0)
    }
}
