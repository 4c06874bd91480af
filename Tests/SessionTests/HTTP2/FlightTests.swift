import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing

/// What a session says was in flight over time, whatever becomes of its requests.
@Suite struct FlightTests {
    /// A gateway that answers after 5 ms, but for some requests.
    private func world(
        _ count: UInt64 = 400, plan: SessionPlan = SessionPlan(),
        _ other: @escaping (RequestWorld, ScriptedGateway, SeenRequest) -> Bool
    ) throws -> RequestWorld {
        let world = try RequestWorld(count, plan: plan) {
            $0.requestTimeout = .milliseconds(200)
            $0.refusedLimit = 2
        }
        world.prepare = { [unowned world] gateway in
            gateway.announce { $0.maxConcurrentStreams = 50 }
            gateway.onRequest = { [unowned gateway] request in
                if other(world, gateway, request) { return }
                world.after(.milliseconds(5)) { gateway.accept(request.streamID) }
            }
        }
        return world
    }

    @Test func `answers alone: every request is in flight from its write to its answer`() throws {
        let world = try world { _, _, _ in false }
        world.run()
        world.expectOrder()
        // One way and back, and what the gateway took.
        #expect(world.session.flight.total == 400 * 7_000_000)
        #expect(world.session.flight.withdrawnCount == 0 && world.session.flight.until == world.now)
    }

    @Test func `streams that are refused again and again are withdrawn`() throws {
        let world = try world { _, gateway, request in
            guard request.sequence % 40 == 7 else { return false }
            gateway.reset(request.streamID, .refusedStream)
            return true
        }
        world.run()
        world.expectFlight()
        #expect(world.session.flight.withdrawnCount == 10 * 3)
        #expect(world.ledger.count(of: .accepted) == 390 && world.ledger.losses[.refused] == 10)
    }

    @Test func `requests that time out, and connections that end, are in flight until then`() throws {
        var plan = SessionPlan()
        plan.unproven = .resend(limit: 1)
        let world = try world(plan: plan) { world, gateway, request in
            if request.sequence == 200, gateway.index == 0 { world.close(gateway, .reset) }
            return request.sequence % 50 == 3
        }
        world.run()
        world.abandon()
        world.expectFlight()
        #expect(world.session.flight.withdrawnCount > 8)
        #expect(world.ledger.requests.timedOut >= 8)
    }

    @Test func `what is open when the run is given up is in flight until then, and so is what waited to be sent again`()
        throws
    {
        let world = try world { world, gateway, request in
            if request.sequence == 20 { gateway.goAway(last: request.streamID - 20, code: .noError) }
            return request.sequence > 5
        }
        world.run(for: .milliseconds(60))
        world.abandon()
        world.expectFlight()
        let events = world.requestEvents
        let unanswered = events.count { if case .unanswered = $0 { true } else { false } }
        let again = events.count { if case .neverAnswered = $0 { true } else { false } }
        #expect(unanswered > 0 && again > 0, "\(unanswered) and \(again)")
        #expect(world.ledger.count(of: .unknown) + world.ledger.count(of: .lost) == UInt64(unanswered + again))
    }
}
