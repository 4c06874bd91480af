import GatewaySimulator
import Primitives
import PushWire
import SimulatedTransport
import Testing

@testable import ProviderSessions

/// What a replaced connection costs, part by part, under a clock that only moves when told.
@Suite struct ReconnectTests {
    @Test func `after an error reply the parts are exactly those of the network`() throws {
        let world = try Bench(notifications: 1_000, badTokens: [99]).run()
        let reconnect = try #require(world.reconnects.first)
        let error = try #require(world.errorReplies.first)
        #expect(world.reconnects.count == 1)
        #expect(reconnect.cause == .reply(.invalidToken))
        #expect(reconnect.wait == .zero, "an explained end is followed at once")
        #expect(reconnect.tcp == .microseconds(100), "there and back")
        #expect(reconnect.tls == .microseconds(100))
        #expect(reconnect.write == .zero)
        #expect(reconnect.cost == .microseconds(200))
        #expect(reconnect.attempts == 1)
        #expect(reconnect.inFlight == error.inFlight)
        #expect(reconnect.resent == world.ledger.resent)
    }

    @Test func `the wait covers pauses and failed attempts, and the parts add up`() throws {
        var bench = Bench(notifications: 20_000)
        bench.plan.unproven = .resend(limit: 1)
        bench.plan.reconnect = ReconnectPlan(
            base: .milliseconds(40), factor: 2, cap: .seconds(5), jitter: 0)
        bench.script.writeCost = .milliseconds(1)
        bench.script.admission = { attempt, _ in attempt == 1 ? .refused : .accepted }
        let world = try bench.world()
        world.start()
        world.advance(to: .zero + .milliseconds(20))
        let unproved = world.sessions[0].unsettledCount
        world.kill(slot: 0)
        world.advance(to: .zero + .seconds(60))
        world.giveUp()
        bench.expectBalance(world)
        let reconnect = try #require(world.reconnects.first)
        #expect(reconnect.cause == .end(.reset))
        #expect(reconnect.endSeenAt == .zero + .milliseconds(20))
        // A connection of 20 ms counts as a failure: 40 ms, a refusal after one round trip, then 80 ms.
        #expect(reconnect.wait == .microseconds(40_000 + 100 + 80_000))
        #expect(reconnect.attempts == 2)
        #expect(reconnect.inFlight == unproved)
        #expect(reconnect.resent == unproved)
        #expect(reconnect.wait + reconnect.tcp + reconnect.tls + reconnect.write == reconnect.cost)
    }

    @Test func `first proofs are told once for each replacement that was proved`() throws {
        let world = try Bench(notifications: 3_000, badTokens: [99, 1_499]).run()
        let proofs = world.events.compactMap { event -> Interval? in
            guard case .firstProof(let after, _) = event else { return nil }
            return after
        }
        #expect(world.reconnects.count == 2)
        #expect(proofs.count == 2)
        for (proof, reconnect) in zip(proofs, world.reconnects) { #expect(proof > reconnect.cost) }
    }

    @Test func `a run without ends has no reconnects`() throws {
        let world = try Bench(notifications: 1_000, connections: 4).run()
        #expect(world.reconnects.isEmpty)
    }

    @Test func `full and resumed handshakes are kept apart as the library tells them`() {
        var clock = ReconnectClock(slot: 3)
        var kinds: [Bool] = []
        for round in 0..<10 as Range<Int64> {
            let now = Instant.zero + .seconds(round + 1)
            var facts = ConnectionFacts(tcp: .milliseconds(1), tls: .milliseconds(2), isResumed: round % 3 == 0)
            facts.port = UInt16(round)
            clock.opened(facts, at: now)
            if let reconnect = clock.written(at: now + .milliseconds(5)) {
                kinds.append(reconnect.facts.isResumed)
                #expect(reconnect.predecessor.port == UInt16(round - 1))
                #expect(
                    reconnect.successor
                        == ConnectionKey(
                            port: UInt16(round), since: now + Interval(nanoseconds: -3_000_000)))
                #expect(reconnect.write == .milliseconds(5))
                #expect(reconnect.slot == 3)
            }
            clock.connectionEnded(.end(.closedByPeer), inFlight: 7, resent: 5, at: now + .milliseconds(600))
        }
        #expect(kinds == (1..<10).map { $0 % 3 == 0 }, "the first connection replaces none")
    }

    @Test func `a successor that ends unused is a part of the wait`() throws {
        var clock = ReconnectClock(slot: 0)
        let facts = ConnectionFacts(tcp: .milliseconds(1), tls: .milliseconds(1), isResumed: false)
        clock.opened(facts, at: .zero + .milliseconds(2))
        #expect(clock.written(at: .zero + .milliseconds(3)) == nil, "it replaces none")
        clock.connectionEnded(.end(.reset), inFlight: 10, resent: 10, at: .zero + .milliseconds(100))
        clock.opened(facts, at: .zero + .milliseconds(110))
        clock.connectionEnded(.end(.closedByPeer), inFlight: 0, resent: 0, at: .zero + .milliseconds(120))
        #expect(clock.openEnd == .zero + .milliseconds(100))
        clock.attemptFailed()
        clock.opened(facts, at: .zero + .milliseconds(200))
        let written = clock.written(at: .zero + .milliseconds(201))
        let reconnect = try #require(written)
        #expect(reconnect.cause == .end(.reset))
        #expect(reconnect.wait == .milliseconds(98))
        #expect(reconnect.attempts == 3)
        #expect(reconnect.resent == 10)
        #expect(clock.openEnd == nil)
        #expect(clock.written(at: .zero + .milliseconds(300)) == nil)
    }
}

extension SimulatedWorld {
    fileprivate var reconnects: [Reconnect] {
        events.compactMap {
            guard case .reconnected(let reconnect) = $0 else { return nil }
            return reconnect
        }
    }
}
