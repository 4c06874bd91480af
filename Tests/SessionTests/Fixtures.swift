import GatewaySimulator
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// Seed 7, devices one to one with notifications, and gateway settings that open their tokens.
struct Bench {
    var notifications: UInt64
    var connections = 1
    var plan = SessionPlan()
    var gateway = GatewaySettings()
    var script = LinkScript()
    var arrivals = SequenceSupply.Arrivals.closedLoop
    var start = Instant.zero
    var badTokens: Set<UInt64> = []
    var badRate = 0.0
    var seed: UInt64 = 7

    /// A world in which the notifications `badTokens` (sequence numbers from 0) are refused.
    func world() throws -> SimulatedWorld {
        var gateway = gateway
        gateway.tokenSeed = seed
        gateway.refusedIdentifiers = Set(badTokens.map { plan.identifiers.identifier(of: $0) })
        return SimulatedWorld(
            connectionCount: connections, plan: plan,
            supply: SequenceSupply(
                limit: notifications, arrivals: arrivals, connectionCount: connections, start: start),
            source: try source(), gateway: gateway, script: script, seed: seed)
    }

    /// Its tokens and payloads of 100 bytes.
    func source() throws -> NotificationSource {
        let rates = try FateRates(badToken: badRate)
        return NotificationSource(
            tokens: .synthetic(
                try DevicePopulation(seed: seed, deviceCount: notifications, environment: .sandbox, rates: rates),
                TokenKey(seed: seed)),
            payloads: .generated(try PayloadGenerator(PayloadPlan(seed: seed, sizes: PayloadSizes(constant: 100)))))
    }

    /// Runs the world for up to `limit` and checks what must hold in every run.
    @discardableResult
    func run(limit: Interval = .seconds(600)) throws -> SimulatedWorld {
        let world = try world()
        world.run(until: .zero + limit)
        expectBalance(world)
        return world
    }

    func expectBalance(_ world: SimulatedWorld) {
        #expect(world.ledger.isBalanced(generated: notifications), "each notification has one fate (seed \(seed))")
        #expect(world.bytesAfterEnd == 0, "nothing is written behind an error reply (seed \(seed))")
        let accepted = world.ledger.fates[.accepted]?.runs ?? []
        let isProved = accepted.allSatisfy { run in
            (run.start..<run.end).allSatisfy {
                world.gatewayLedger.wasAccepted(plan.identifiers.identifier(of: $0))
            }
        }
        #expect(isProved, "what the sender calls accepted was accepted by the gateway (seed \(seed))")
    }
}

extension SimulatedWorld {
    func count(_ fate: Fate) -> UInt64 { ledger.count(of: fate) }

    /// The events that are error replies, with what was in flight.
    var errorReplies: [(reply: ErrorReply, sequence: UInt64, latency: Interval?, inFlight: UInt64)] {
        events.compactMap {
            guard case .errorReply(let reply, let sequence, let latency, let inFlight, _) = $0 else { return nil }
            return (reply, sequence, latency, inFlight)
        }
    }
}
