import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// The sender in commands 0 and 2, and with notifications that are damaged on purpose.
@Suite struct CommandTests {
    @Test(arguments: [NotificationCommand.enhanced, .framed(priority: 10), .framed(priority: 5)])
    func `C01 one bad token costs only itself in every command with identifiers`(command: NotificationCommand) throws {
        var bench = Bench(notifications: 1_000, badTokens: [99])
        bench.plan.command = command
        let world = try bench.run()
        #expect(world.count(.accepted) == 999)
        #expect(world.count(.rejected) == 1)
        #expect(world.errorReplies.map(\.reply) == [ErrorReply(status: .invalidToken, identifier: 100)])
        let counts = world.gatewayLedger.counts
        #expect(counts.framed == (command == .enhanced ? 0 : 999))
        #expect(counts.powerSaving == (command == .framed(priority: 5) ? 999 : 0))
        #expect(counts.enhanced + counts.framed == counts.accepted)
    }

    @Test(arguments: UInt64(1)...20) func `framed runs drawn from a seed agree about every notification`(seed: UInt64)
        throws
    {
        var random = SeededRandom(seed: seed)
        var bench = Bench(notifications: 200 + random.below(1_500), connections: 1 + Int(random.below(4)), seed: seed)
        bench.plan.command = .framed(priority: 10)
        bench.badRate = [0, 0.001, 0.02][Int(random.below(3))]
        bench.plan.batch.notifications = [1, 7, 100][Int(random.below(3))]
        bench.script.segmentBytes = 50 + Int(random.below(3_000))
        bench.gateway.faults.add(.replyDelay(.constant(.microseconds(Int64(random.below(20_000))))))
        let world = try bench.run()
        #expect(world.count(.rejected) == world.gatewayLedger.counts.rejected, "seed \(seed)")
        #expect(world.count(.accepted) == world.gatewayLedger.counts.accepted, "seed \(seed)")
        #expect(world.count(.accepted) + world.count(.rejected) == bench.notifications, "seed \(seed)")
    }

    @Test func `simple notifications stay unknown, whatever the gateway did with them`() throws {
        var bench = Bench(notifications: 1_000)
        bench.plan.command = .simple
        let world = try bench.run()
        #expect(world.count(.unknown) == 1_000)
        #expect(world.count(.accepted) == 0)
        #expect(world.gatewayLedger.counts.acceptedWithoutIdentifier == 1_000)
        #expect(world.gatewayLedger.counts.simple == 1_000)
        #expect(world.connectionCount == 1)
        #expect(world.ledger.written == 1_000, "there is no sentinel in command 0")
    }

    @Test func `a bad simple notification ends the connection without a reply, and nothing is claimed of the rest`()
        throws
    {
        var bench = Bench(notifications: 2_000, connections: 2)
        bench.plan.command = .simple
        bench.badRate = 0.005
        bench.plan.batch.notifications = 20
        let world = try bench.run()
        let counts = world.gatewayLedger.counts
        #expect(world.count(.unknown) == 2_000)
        #expect(world.ledger.errors.isEmpty)
        #expect(counts.rejectedWithoutIdentifier > 0)
        #expect(counts.rejectionsWithoutIdentifier[8] == counts.rejectedWithoutIdentifier)
        #expect(world.ledger.lostConnections[.closedByPeer] == counts.rejectedWithoutIdentifier)
        #expect(
            counts.acceptedWithoutIdentifier + counts.rejectedWithoutIdentifier + counts.discarded
                <= world.ledger.written)
    }

    @Test func `unproven simple notifications are written again by policy, which may deliver them twice`() throws {
        var bench = Bench(notifications: 500)
        bench.plan.command = .simple
        bench.badRate = 0.01
        bench.plan.unproven = .resend(limit: 2)
        bench.plan.batch.notifications = 50
        let world = try bench.run()
        #expect(world.count(.unknown) == 500)
        #expect(world.ledger.resent > 0)
        #expect(world.ledger.written <= 3 * 500)
        #expect(world.gatewayLedger.counts.acceptedWithoutIdentifier <= world.ledger.written)
    }

    @Test func `bad simple notifications do not make the pauses grow`() throws {
        var bench = Bench(notifications: 400)
        bench.plan.command = .simple
        bench.badRate = 0.05
        bench.plan.batch.notifications = 1
        bench.script.writeCost = .milliseconds(1)
        bench.plan.reconnect.jitter = 0
        let world = try bench.run()
        let gaps = zip(world.attempts, world.attempts.dropFirst()).map { $1.at - $0.at }
        #expect(gaps.count > 5)
        #expect(gaps.allSatisfy { $0 < bench.plan.reconnect.base * 2 }, "\(gaps)")
    }

    @Test func `a reply with identifier 0 to a simple notification is counted and claims nothing`() throws {
        var bench = Bench(notifications: 300)
        bench.plan.command = .simple
        bench.badRate = 0.02
        bench.gateway.simpleRefusal = .reply
        bench.plan.batch.notifications = 10
        let world = try bench.run()
        #expect(world.count(.unknown) == 300)
        #expect(world.ledger.unplacedReplies > 0)
        #expect(world.ledger.errors[.invalidToken] == world.ledger.unplacedReplies)
    }

    @Test func `a reply that names a number is about no simple notification`() throws {
        var bench = Bench(notifications: 300)
        bench.plan.command = .simple
        var reply = [UInt8](repeating: 0, count: 6)
        reply.withUnsafeMutableBytes { ErrorReply(status: .invalidToken, identifier: 5).write(into: $0) }
        bench.script.faults = [0: .gatewayBabbles(reply)]
        let world = try bench.run()
        #expect(world.count(.rejected) == 0)
        #expect(world.count(.unknown) == 300)
    }

    @Test(arguments: [MalformedToken.missingByte, .extraByte], [NotificationCommand.enhanced, .framed(priority: 10)])
    func `C20 damaged notifications are refused and nothing else is lost`(
        token: MalformedToken, command: NotificationCommand
    ) throws {
        var bench = Bench(notifications: 1_000)
        bench.plan.command = command
        bench.plan.malformed = MalformedPlan(token: token, every: 100)
        bench.plan.unproven = .resend(limit: 1)
        bench.plan.reconnect.base = .milliseconds(1)
        bench.plan.batch.notifications = 20
        let world = try bench.world()
        world.run(until: .zero + .seconds(600))
        #expect(world.ledger.isBalanced(generated: 1_000))
        // In a command 2 the identifier stands behind the token and is not always found.
        let status: ErrorStatus =
            switch (token, command) {
            case (.extraByte, _): .invalidTokenSize
            case (.missingByte, .enhanced): .invalidPayloadSize
            default: .protocolError
            }
        #expect(Set(world.ledger.errors.keys) == [status])
        if command == .enhanced {
            #expect(world.count(.rejected) == 10)
            #expect(world.count(.accepted) == 990)
        } else {
            #expect(world.ledger.unplacedReplies > 0)
            #expect(world.count(.rejected) == 0)
        }
    }

}
