import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

@testable import GatewaySimulator

/// What an error reply settles, and what is written again. Case numbers are those of the field cases.
@Suite struct ErrorReplyTests {
    @Test func `C01 one bad token costs only itself`() throws {
        let world = try Bench(notifications: 1_000, badTokens: [99]).run()
        #expect(world.count(.accepted) == 999)
        #expect(world.count(.rejected) == 1)
        #expect(world.ledger.resent <= 900)
        #expect(world.gatewayLedger.counts.duplicates == 0)
        #expect(world.connectionCount == 2)
        #expect(world.errorReplies.map(\.reply) == [ErrorReply(status: .invalidToken, identifier: 100)])
    }

    @Test func `C02 what was in flight at a late error is written again, exactly`() throws {
        var bench = Bench(notifications: 10_000, badTokens: [9])
        bench.gateway.faults.add(.replyDelay(.constant(.milliseconds(200))))
        bench.script.capacityBytes = 1 << 18
        let world = try bench.run()
        #expect(world.count(.accepted) == 9_999)
        let error = try #require(world.errorReplies.first)
        #expect(error.inFlight > 1_000, "the sender is pipelined, so much follows the bad one")
        #expect(world.ledger.resent == error.inFlight)
        let written = world.events.prefix { if case .errorReply = $0 { false } else { true } }.reduce(UInt64(0)) {
            if case .wrote(let count, _, _, _, _) = $1 { $0 + count } else { $0 }
        }
        #expect(error.inFlight == written - 10, "the last one written less the bad one")
        #expect(try #require(error.latency) >= .milliseconds(200))
    }

    @Test(arguments: [1, 2, 3, 4, 5]) func `C04 a reply in pieces is put together`(pieceBytes: Int) throws {
        var bench = Bench(notifications: 500, badTokens: [30])
        bench.script.faults = [0: .replySplit(bytes: pieceBytes)]
        let world = try bench.run()
        #expect(world.count(.accepted) == 499)
        #expect(world.errorReplies.count == 1)
    }

    @Test func `the gateway's book names whom it refused, up to a bound, and counts the others`() throws {
        let world = try Bench(notifications: 500, badTokens: [30, 31, 400]).run()
        #expect(world.gatewayLedger.refused == [30, 31, 400])
        #expect(world.gatewayLedger.unlistedRefusals == 0)
        let book = GatewayLedger(trackedCount: 100, refusedCapacity: 2)
        for identifier in [5, 7, 9, 1_000] as [UInt32] {
            book.refuse(
                RefusedNotification(command: 1, status: .invalidToken, identifier: identifier, hasIdentifier: true))
        }
        #expect(book.refused == [4, 6])
        #expect(book.unlistedRefusals == 1)
        #expect(book.counts.rejected == 3)
        #expect(book.counts.untrackedRejections == 1, "a sentinel is none of the run's")
    }

    @Test func `C05 a window smaller than what is in flight loses a known number`() throws {
        var bench = Bench(notifications: 2_050, badTokens: [49])
        bench.plan.window = 100
        bench.plan.batch.notifications = 50
        bench.gateway.faults.add(.replyDelay(.until(2_000, limit: .seconds(5))))
        let world = try bench.run()
        #expect(world.count(.lost) == 1_900)
        #expect(world.ledger.fates[.lost]?.runs == [SequenceRun(start: 50, count: 1_900)])
        #expect(world.ledger.windowOverruns == 1)
        #expect(world.ledger.windowNeeded == 2_000)
        #expect(world.ledger.resent == 100)
        #expect(world.count(.accepted) == 149)
    }

    @Test func `C05 the window that was needed loses nothing`() throws {
        var bench = Bench(notifications: 2_050, badTokens: [49])
        bench.plan.window = 4_096
        bench.gateway.faults.add(.replyDelay(.until(2_000, limit: .seconds(5))))
        let world = try bench.run()
        #expect(world.count(.lost) == 0)
        #expect(world.count(.accepted) == 2_049)
    }

    @Test func `C09 a close without a reply proves nothing`() throws {
        var bench = Bench(notifications: 20_000)
        bench.gateway.faults.add(.close(.graceful), when: .after(5_000, scope: .connection))
        bench.plan.reconnect.base = .milliseconds(1)
        let world = try bench.run()
        #expect(world.count(.accepted) + world.count(.unknown) == 20_000)
        #expect(world.count(.unknown) >= 5_000)
        #expect(world.ledger.lostConnections[.closedByPeer] ?? 0 >= 1)
    }

    @Test func `C09 the unproven may be written again by order, at the price of duplicates`() throws {
        var bench = Bench(notifications: 6_000)
        bench.gateway.faults.add(.close(.graceful), when: .after(5_000, scope: .connection))
        bench.plan.unproven = .resend(limit: 1)
        let world = try bench.run()
        #expect(world.gatewayLedger.counts.duplicates > 0)
        #expect(world.ledger.written <= 2 * 6_000)
    }

    @Test func `C10 three errors in one batch take exactly four connections`() throws {
        var bench = Bench(notifications: 1_000, badTokens: [2, 299, 899])
        bench.plan.batch.notifications = 1_000
        bench.plan.batch.bytes = 1 << 20
        let world = try bench.run()
        #expect(world.count(.accepted) == 997)
        #expect(world.count(.rejected) == 3)
        #expect(world.gatewayLedger.counts.duplicates == 0)
        #expect(world.connectionCount == 4)
        #expect(world.ledger.reconnects == 3)
    }

    @Test(arguments: [UInt32(0), 900_000])
    func `C11 an identifier that places nothing ends the connection, not the run`(
        identifier: UInt32
    ) throws {
        var bench = Bench(notifications: 2_000)
        var reply = [UInt8](repeating: 0, count: 6)
        reply.withUnsafeMutableBytes {
            ErrorReply(status: .missingDeviceToken, identifier: identifier).write(into: $0)
        }
        bench.script.faults = [0: .gatewayBabbles(reply)]
        bench.plan.unproven = .resend(limit: 1)
        let world = try bench.run()
        #expect(world.ledger.unplacedReplies == 1)
        #expect(world.ledger.written <= 2 * 2_000)
        #expect(world.count(.rejected) == 0)
    }

    /// The sender itself writes tokens of no bytes before the identifier items, and the gateway's own parser answers (2, 0).
    @Test(arguments: [UnprovenPolicy.report, .resend(limit: 1), .resend(limit: 3)])
    func `C11 empty tokens are answered with identifier 0, and no notification is written a third time`(
        unproven: UnprovenPolicy
    ) throws {
        var bench = Bench(notifications: 2_000)
        bench.plan.command = .framed(priority: 10)
        bench.plan.malformed = MalformedPlan(token: .empty, every: 500)
        bench.plan.unproven = unproven
        bench.plan.batch.notifications = 20
        bench.plan.reconnect.base = .milliseconds(1)
        let world = try bench.run()
        let replies = world.events.compactMap { event -> ErrorReply? in
            guard case .unplacedReply(let reply, _) = event else { return nil }
            return reply
        }
        #expect(replies.count >= 4, "one for each empty token at least")
        #expect(Set(replies) == [ErrorReply(status: .missingDeviceToken, identifier: 0)])
        #expect(world.ledger.errors == [.missingDeviceToken: UInt64(replies.count)])
        #expect(world.ledger.written <= 2 * 2_000)
        #expect(world.ledger.resent == 0 || unproven != .report)
        #expect(world.count(.unknown) >= 4, "an empty one is in no book")
        #expect(world.count(.rejected) == 0 && world.count(.lost) == 0)
        #expect(world.gatewayLedger.counts.acceptedWithoutIdentifier == 0, "the sender issues no identifier 0")
        let unknown = try #require(world.ledger.fates[.unknown])
        #expect([499, 999, 1_499, 1_999].allSatisfy(unknown.contains))
    }

    @Test func `C14 status 10 names the last good notification`() throws {
        var bench = Bench(notifications: 1_000)
        bench.gateway.faults.add(.shutdown, when: .after(300, scope: .connection))
        let world = try bench.run()
        #expect(world.count(.rejected) == 0)
        #expect(world.count(.accepted) == 1_000)
        #expect(world.gatewayLedger.counts.duplicates == 0)
        #expect(world.ledger.errors[.shutdown] == 3)
        #expect(world.errorReplies.first?.reply == ErrorReply(status: .shutdown, identifier: 300))
    }

    @Test func `C14 status 8 with the same identifier rejects it`() throws {
        let world = try Bench(notifications: 1_000, badTokens: [299]).run()
        #expect(world.count(.rejected) == 1)
        #expect(world.count(.accepted) == 999)
    }

    @Test(arguments: UInt8.min...UInt8.max) func `C15 every status is one event and no crash`(status: UInt8) throws {
        var bench = Bench(notifications: 200)
        var reply = [UInt8](repeating: 0, count: 6)
        reply.withUnsafeMutableBytes {
            ErrorReply(status: ErrorStatus(rawValue: status), identifier: 5).write(into: $0)
        }
        bench.script.faults = [0: .gatewayBabbles(reply)]
        bench.plan.batch.notifications = 10
        let world = try bench.world()
        world.run(until: .zero + .seconds(60))
        #expect(world.ledger.isBalanced(generated: 200))
        #expect(world.ledger.errors == [ErrorStatus(rawValue: status): 1])
        #expect(world.count(.rejected) == (status == 10 || status == 0 ? 0 : 1))
        #expect(world.count(.unknown) == (status == 0 ? 1 : 0))
    }

    @Test(arguments: (UInt8.min...UInt8.max).filter { $0 != ErrorReply.command })
    func `C15 bytes that are no reply are a violation, and are kept`(first: UInt8) throws {
        var bench = Bench(notifications: 200)
        let babble = [first, 8, 0, 0, 0, 1] + Array(repeating: 0xAB, count: 40)
        bench.script.faults = [0: .gatewayBabbles(babble)]
        let world = try bench.run()
        #expect(world.ledger.protocolViolations == 1)
        #expect(world.ledger.violationBytes == [LeadingBytes(Array(babble.prefix(16))): 1])
        #expect(world.ledger.errors.isEmpty)
        #expect(world.count(.rejected) == 0)
    }

    @Test func `C15 a gateway cannot fill memory with ever new violations`() {
        var (ledger, other) = (FateLedger(), FateLedger())
        for number in UInt8(10)..<110 {
            ledger.record(.protocolViolation(LeadingBytes([number]), at: .zero))
            other.record(.protocolViolation(LeadingBytes([255 - number]), at: .zero))
        }
        ledger.add(other)
        #expect(ledger.protocolViolations == 200)
        #expect(ledger.violationBytes.count == 16)
    }

    @Test func `C16 identifiers wrap past zero`() throws {
        var bench = Bench(notifications: 64, badTokens: [20])
        bench.plan.identifiers = IdentifierSpace(first: 0xFFFF_FFF0)
        bench.plan.sentinelBase = 1_000
        let world = try bench.run()
        #expect(bench.plan.identifiers.identifier(of: 15) == 0xFFFF_FFFF)
        #expect(bench.plan.identifiers.identifier(of: 16) == 1)
        #expect(world.errorReplies.first?.reply.identifier == 5)
        #expect(world.count(.accepted) == 63)
        #expect(world.count(.rejected) == 1)
        #expect(world.ledger.resent == 43)
    }

    @Test func `C16 an error before the wrap is found from behind it`() throws {
        var bench = Bench(notifications: 64, badTokens: [14])
        bench.plan.identifiers = IdentifierSpace(first: 0xFFFF_FFF0)
        bench.plan.sentinelBase = 1_000
        let world = try bench.run()
        #expect(world.errorReplies.first?.reply.identifier == 0xFFFF_FFFE)
        #expect(world.count(.accepted) == 63)
    }
}
