import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// Gateways that have connections for everybody and answers for nobody: no storm, no connection that counts as one, no notification
/// without fate.
@Suite struct FruitlessGatewayTests {
    /// When each connection of a world came, of which each ends as `end` has it.
    private static func world(
        _ change: (inout RequestPlan) -> Void = { _ in }, plan: SessionPlan = SessionPlan(),
        _ prepare: @escaping (RequestWorld, ScriptedGateway) -> Void
    ) throws -> (world: RequestWorld, openings: () -> [Instant]) {
        let world = try RequestWorld(100, plan: plan, change)
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 100 }
            prepare(world, gateway)
        }
        return (
            world,
            { world.events.compactMap { if case .connected(_, let at) = $0 { at } else { nil } } }
        )
    }

    private static func refuseAll(_ gateway: ScriptedGateway) {
        gateway.onOpen = { [unowned gateway] stream in
            gateway.reset(stream, .refusedStream)
            return false
        }
    }

    @Test func `a connection that refuses every stream is given up after two seconds, with pauses that grow`() throws {
        let (world, openings) = try Self.world { Self.refuseAll($1) }
        world.run(for: .seconds(60))
        let gaps = zip(openings(), openings().dropFirst()).map { $1 - $0 }
        #expect(gaps.count >= 4)
        // Tries on one connection, and a pause before the next: half a second that doubles up to ten, less a fifth by chance.
        for (gap, pause) in zip(gaps, [500 as Int64, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
            let tries: Int64 = 2_023
            #expect(gap > .milliseconds(tries + pause * 4 / 5), "\(gaps)")
            #expect(gap < .milliseconds(tries + pause + 200), "\(gaps)")
        }
        #expect(world.session.writtenCount <= 13 * UInt64(world.gateways.count))
        #expect(world.session.isUnanswered && !world.session.isLasting(at: world.now))
        #expect(world.gateways.flatMap(\.breaches) == [])
        world.abandon()
        #expect(world.session.isFinished && !world.session.isUnanswered)
        #expect(world.ledger.losses == [.abandoned: 1])
        world.ledger.recordUnsent(SequenceRun(start: world.supply.claimedCount, count: 100 - world.supply.claimedCount))
        #expect(world.ledger.isBalanced(generated: 100))
    }

    @Test func `the same when streams are refused many at once`() throws {
        let (world, _) = try Self.world({ $0.provesAuthorization = false }) { Self.refuseAll($1) }
        world.run(for: .seconds(20))
        #expect(world.gateways.count >= 3)
        #expect(world.session.writtenCount <= 13 * 100 * UInt64(world.gateways.count))
        #expect(!world.session.isLasting(at: world.now))
    }

    @Test(arguments: [Interval.milliseconds(1), .milliseconds(900)])
    func `a gateway that says goodbye to every first request is not stormed, however late it does`(delay: Interval)
        throws
    {
        let (world, openings) = try Self.world { world, gateway in
            gateway.onOpen = { [unowned world, unowned gateway] _ in
                world.after(delay) { gateway.goAway(last: 0) }
                return false
            }
        }
        world.run(for: .seconds(60))
        #expect(openings().count >= 5 && openings().count <= 12, "\(openings())")
        #expect(world.session.isUnanswered && !world.session.isLasting(at: world.now))
        world.abandon()
        #expect(world.ledger.count(of: .lost) == 1 && world.ledger.count(of: .accepted) == 0)
    }

    @Test func `a gateway that closes without an answer is not stormed, however late it does`() throws {
        var plan = SessionPlan()
        plan.unproven = .resend(limit: 200)
        let (world, openings) = try Self.world(plan: plan) { world, gateway in
            gateway.onRequest = { [unowned world, unowned gateway] _ in
                world.after(.milliseconds(900)) { world.close(gateway) }
            }
        }
        world.run(for: .seconds(60))
        #expect(openings().count >= 5 && openings().count <= 12, "\(openings())")
        #expect(!world.session.isLasting(at: world.now))
    }

    @Test func `a gateway that is silent is none to count on while requests wait for it`() throws {
        let (world, _) = try Self.world({ $0.requestTimeout = .seconds(2) }) { _, _ in }
        world.run(for: .seconds(1))
        #expect(world.session.isLasting(at: world.now), "nothing is overdue yet")
        world.run(for: .seconds(4))
        #expect(world.session.isUnanswered && !world.session.isLasting(at: world.now))
    }

    @Test func `a gateway that takes requests again has them all, each once`() throws {
        let (world, openings) = try Self.world { _, gateway in
            if gateway.index < 3 { return Self.refuseAll(gateway) }
            gateway.onRequest = { [unowned gateway] in gateway.accept($0.streamID) }
        }
        world.run()
        world.expectOrder()
        #expect(openings().count == 4 && !world.session.isUnanswered)
        #expect(world.timesSeen.values.allSatisfy { $0 == 1 })
    }

    @Test func `a refusal by response is an answer, and no sign of a useless gateway`() throws {
        let (world, openings) = try Self.world { _, gateway in
            gateway.onRequest = { [unowned gateway] request in
                if request.number.isMultiple(of: 2) { return gateway.reset(request.streamID, .refusedStream) }
                gateway.refuse(request.streamID, status: 400, body: #"{"reason":"BadDeviceToken"}"#)
            }
        }
        world.run(for: .seconds(60))
        #expect(openings().count == 1)
        #expect(world.ledger.count(of: .rejected) == 100)
    }

    @Test func `a gateway that asks for calm gets a pause, although it has answered for long`() throws {
        let (world, openings) = try Self.world { world, gateway in
            gateway.onRequest = { [unowned world, unowned gateway] request in
                guard request.number < 40 else { return }
                world.after(.milliseconds(100)) {
                    gateway.accept(request.streamID)
                    if request.number == 39 { gateway.goAway(last: request.streamID, code: .enhanceYourCalm) }
                }
            }
        }
        world.run()
        world.expectOrder()
        let reconnects = world.events.compactMap { if case .reconnected(let reconnect) = $0 { reconnect } else { nil } }
        #expect(openings().count == 3 && reconnects.count == 2)
        #expect(reconnects.allSatisfy { $0.cause == .goAway(.enhanceYourCalm) && $0.wait >= .milliseconds(400) })
    }

    @Test func `a stream that is reset for the sake of calm is unproven, and a pause follows`() throws {
        let (world, _) = try Self.world { _, gateway in
            gateway.onRequest = { [unowned gateway] request in
                guard request.number == 9 else { return gateway.accept(request.streamID) }
                gateway.reset(request.streamID, .enhanceYourCalm)
            }
        }
        world.run()
        world.expectOrder(accepted: 99)
        #expect(world.ledger.count(of: .unknown) == 1)
        #expect(world.ledger.requests.resets == [.enhanceYourCalm: 1])
        #expect(world.gateways.count == 1)
    }

    @Test func `a notification whose stream is refused for ever is lost, and the others are not`() throws {
        var refused = 0
        let world = try RequestWorld(300) { $0.refusedLimit = 40 }
        world.prepare = { gateway in
            gateway.announce { $0.maxConcurrentStreams = 10 }
            gateway.onRequest = { [unowned gateway] request in
                guard request.sequence == 77 else { return gateway.accept(request.streamID) }
                refused += 1
                gateway.reset(request.streamID, .refusedStream)
            }
        }
        world.run()
        world.expectOrder(accepted: 299)
        #expect(world.ledger.losses == [.refused: 1])
        #expect(refused == 41)
        #expect(world.gateways.count > 1, "alone, it is tried on another connection, too")
    }
}
