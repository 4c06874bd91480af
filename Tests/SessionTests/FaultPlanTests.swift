import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// When the faults of a plan strike, and what they do to a run.
@Suite struct FaultPlanTests {
    private static let statuses: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 128, 255]

    @Test(arguments: statuses) func `a script refuses with every status`(status: UInt8) throws {
        var bench = Bench(notifications: 500)
        bench.gateway.faults.add(.status(ErrorStatus(rawValue: status)), when: .identifiers([101]))
        let world = try bench.run()
        #expect(world.errorReplies.first?.reply == ErrorReply(status: ErrorStatus(rawValue: status), identifier: 101))
        #expect(world.gatewayLedger.counts.rejections[Int(status)] == 1)
        #expect(world.gatewayLedger.counts.faults == [1])
        #expect(world.count(.accepted) == 499)
        #expect(world.gatewayLedger.counts.duplicates == 0)
    }

    @Test func `C36 a share hits the same notifications in every run, and others with another seed`() throws {
        let rejected = { (seed: UInt64, connections: Int) throws -> [UInt64] in
            var bench = Bench(notifications: 20_000, connections: connections)
            bench.seed = seed
            bench.gateway.faults.add(.status(.invalidPayloadSize), when: .share(0.002))
            let runs = try bench.run().ledger.fates[.rejected]?.runs ?? []
            return runs.flatMap { ($0.start..<$0.end) }.sorted()
        }
        let first = try rejected(7, 1)
        #expect((20...60).contains(first.count))
        #expect(try rejected(7, 1) == first)
        #expect(try rejected(7, 4) == first, "whatever connection they come on")
        #expect(try rejected(8, 1) != first)
    }

    @Test(arguments: [FateClass.valid, .unregistered, .otherTopic])
    func `a status may hit one class of tokens`(fate: FateClass) throws {
        var bench = Bench(notifications: 300)
        bench.fates = try FateRates(unregistered: 0.03, otherTopic: 0.02)
        var trigger = FaultTrigger()
        trigger.tokens = .fate(fate)
        trigger.share = fate == .valid ? 0.01 : nil
        bench.gateway.faults.add(.status(.missingTopic), when: trigger)
        let world = try bench.run()
        let hit = world.gatewayLedger.counts.rejections[3]
        #expect(hit > 0 && hit < 20)
        #expect(world.gatewayLedger.counts.faults == [hit])
        #expect(fate == .unregistered ? world.gatewayLedger.counts.unregistered == 0 : true)
        #expect(world.count(.accepted) + world.count(.rejected) == 300)
    }

    @Test func `foreign tokens are told from those of the seed`() throws {
        var bench = Bench(notifications: 50)
        var trigger = FaultTrigger()
        trigger.tokens = .foreign
        bench.gateway.faults.add(.status(.unknown), when: trigger)
        let world = try bench.run()
        #expect(world.count(.accepted) == 50)
        #expect(world.gatewayLedger.counts.faults == [1], "the sentinel's token is nobody's")
    }

    @Test func `a payload may carry the order to refuse it`() throws {
        var bench = Bench(notifications: 3)
        bench.gateway.faults.add(.status(.processingError), when: FaultTrigger())
        bench.gateway.faults.faults[0].trigger.payloadMarker = Array("\"aps\"".utf8)
        #expect(try bench.run().count(.rejected) == 3)
        bench.gateway.faults.faults[0].trigger.payloadMarker = Array("no such text".utf8)
        #expect(try bench.run().count(.accepted) == 3)
    }

    @Test func `counts are of each connection or of all together`() throws {
        var bench = Bench(notifications: 1_000, connections: 4)
        bench.gateway.faults.add(.shutdown, when: .every(100, scope: .connection))
        let each = try bench.run()
        #expect(each.ledger.errors[.shutdown] ?? 0 >= 6)
        bench.gateway.faults = FaultPlan()
        bench.gateway.faults.add(.shutdown, when: .after(700))
        let once = try bench.run()
        #expect(once.ledger.errors[.shutdown] == 1)
        for world in [each, once] {
            #expect(world.count(.accepted) == 1_000 && world.count(.rejected) == 0)
            #expect(world.gatewayLedger.counts.duplicates == 0)
            #expect(world.gatewayLedger.counts.faults == [world.gatewayLedger.counts.shutdowns])
        }
    }

    @Test func `C14 a shutdown at a time names what was accepted last, on every connection that stands`() throws {
        var bench = Bench(notifications: 20_000, connections: 3)
        bench.gateway.faults.add(.throttle(Rate(perSecond: 10_000)))
        bench.gateway.faults.add(.shutdown, when: .at(.milliseconds(500)))
        let world = try bench.run()
        #expect(world.ledger.errors[.shutdown] == 3)
        #expect(world.count(.accepted) == 20_000)
        #expect(world.gatewayLedger.counts.duplicates == 0)
        #expect(world.connectionCount == 6)
    }

    @Test func `a plan's time counts from the first connection, or from each one's opening`() throws {
        var bench = Bench(notifications: 5_000)
        bench.gateway.faults.add(.throttle(Rate(perSecond: 5_000)))
        bench.gateway.faults.add(.close(.graceful), when: .at(.milliseconds(200), scope: .connection))
        bench.plan.unproven = .resend(limit: 100)
        bench.plan.reconnect.base = .milliseconds(1)
        let each = try bench.run(limit: .seconds(3))
        #expect(each.gatewayLedger.counts.faults[1] > 5, "no connection lives longer")
        bench.gateway.faults.faults[1].trigger.scope = .total
        #expect(try bench.run().gatewayLedger.counts.faults[1] == 1)
    }

    @Test func `a window opens and closes`() throws {
        var bench = Bench(notifications: 1_000)
        bench.arrivals = .constant(Rate(perSecond: 1_000))
        bench.plan.batch = BatchPlan(notifications: 10, linger: .milliseconds(1))
        var trigger = FaultTrigger.at(.milliseconds(300), for: .milliseconds(100))
        trigger.every = 10
        bench.gateway.faults.add(.status(.invalidToken), when: trigger)
        let world = try bench.run()
        #expect((8...12).contains(world.count(.rejected)), "\(world.count(.rejected))")
        let runs = world.ledger.fates[.rejected]?.runs ?? []
        #expect(runs.allSatisfy { (295..<405).contains($0.start) }, "\(runs)")
    }

    @Test func `a reply's delays are drawn from their distribution`() throws {
        var bench = Bench(notifications: 30_000, badRate: 0.01)
        bench.gateway.faults.add(
            .replyDelay(.distribution(p50: .milliseconds(20), p99: .milliseconds(200), max: .milliseconds(250))))
        let world = try bench.run()
        let delays = world.errorReplies.compactMap(\.latency).sorted()
        try #require(delays.count > 200)
        #expect(
            (.milliseconds(15)...(.milliseconds(30))).contains(delays[delays.count / 2]), "\(delays[delays.count / 2])")
        #expect(try #require(delays.last) > .milliseconds(100))
        #expect(try #require(delays.last) < .milliseconds(300))
        #expect(world.count(.accepted) + world.count(.rejected) == 30_000)
    }

    @Test func `C19 a stall of one connection leaves the others alone`() throws {
        var bench = Bench(notifications: 4_000, connections: 2)
        bench.gateway.faults.add(.stall, when: .after(500, scope: .total))
        bench.gateway.faults.faults[0].trigger.length = .seconds(3)
        bench.script.capacityBytes = 1 << 14
        let all = try bench.run()
        #expect(all.now >= .zero + .seconds(3))
        #expect(all.count(.accepted) == 4_000)
        #expect(all.gatewayLedger.counts.faults == [2], "a total stall holds both")
    }

    @Test func `C28 a black hole is found by the missing proof, and its notifications come on another connection`()
        throws
    {
        var bench = Bench(notifications: 100)
        bench.gateway.faults.add(.blackHole, when: .after(1))
        bench.plan.unproven = .resend(limit: 1)
        bench.plan.sentinelTimeout = .seconds(2)
        let world = try bench.run()
        #expect(world.connectionCount == 2)
        #expect(world.count(.accepted) == 100)
        #expect(world.gatewayLedger.counts.duplicates == 1, "the one that was accepted before the hole opened")
        #expect(world.now < .zero + .seconds(5), "found within the configured bound")
    }

    @Test func `C11 a reply that names nothing leaves its connection unproved`() throws {
        var bench = Bench(notifications: 1_000, badTokens: [500])
        bench.gateway.faults.add(.replyIdentifier(.identifier(0)), when: .after(1))
        let world = try bench.run()
        #expect(world.ledger.unplacedReplies == 1)
        #expect(world.count(.rejected) == 0)
        #expect(world.count(.unknown) >= 501)
        #expect(world.gatewayLedger.counts.rejected == 1)
    }

    @Test func `a reply that names the wrong one shows as a difference between the books`() throws {
        var bench = Bench(notifications: 1_000, badTokens: [500])
        bench.gateway.faults.add(.replyIdentifier(.shifted(-1)), when: .after(1))
        let world = try bench.world()
        world.run(until: .zero + .seconds(600))
        #expect(world.ledger.isBalanced(generated: 1_000))
        #expect(world.ledger.fates[.rejected]?.contains(499) == true, "the sender believes the reply")
        #expect(world.gatewayLedger.wasAccepted(500), "and the gateway's book knows better")
    }

    @Test func `what a plan leaves to the driver does nothing in a session`() throws {
        var bench = Bench(notifications: 100)
        bench.gateway.faults.add(.external)
        let world = try bench.run()
        #expect(world.count(.accepted) == 100)
        #expect(world.gatewayLedger.counts.faults.isEmpty)
    }
}
