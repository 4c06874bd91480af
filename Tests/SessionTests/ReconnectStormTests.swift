import GatewaySimulator
import Primitives
import ProviderSessions
import SimulatedTransport
import Testing

/// Case C29: a gateway that will not have us for 30 s, in three ways.
@Suite struct ReconnectStormTests {
    private static let outage = Interval.seconds(30)
    private static let cap = Interval.seconds(10)

    @Test(
        arguments: [LinkScript.Admission.refused, .handshakeRefused, .closedAfterHandshake], UInt64(1)...5)
    func `C29 each connection tries eight times at most in 30 s, and is back within the cap`(
        refusal: LinkScript.Admission, seed: UInt64
    ) throws {
        var bench = Bench(notifications: 4_500, connections: 16, seed: seed)
        bench.arrivals = .constant(Rate(perSecond: 100))
        bench.plan.reconnect = ReconnectPlan(base: .milliseconds(500), factor: 2, cap: Self.cap, jitter: 0.2)
        bench.plan.unproven = .resend(limit: 100)
        bench.script.admission = { _, now in now < .zero + Self.outage ? refusal : .accepted }
        let world = try bench.world()
        world.start()
        world.advance(to: .zero + Self.outage + Self.cap + .milliseconds(10))
        #expect(world.sessions.allSatisfy { $0.isConnected }, "all are back (seed \(seed))")
        let early = world.attempts.filter { $0.at < .zero + Self.outage }
        for slot in 0..<16 {
            let times = early.filter { $0.slot == slot }.map(\.at)
            #expect((4...8).contains(times.count), "\(times) (seed \(seed))")
        }
        let steps = Set(zip(early.filter { $0.slot == 0 }, early.filter { $0.slot == 1 }).map { $1.at - $0.at })
        #expect(steps.count > 1, "jitter keeps connections out of step (seed \(seed))")
        let attempts = UInt64(early.count)
        switch refusal {
        case .refused: #expect(world.ledger.failedAttempts == [.refused: attempts])
        case .handshakeRefused: #expect(world.ledger.failedAttempts == [.handshakeFailed: attempts])
        default: #expect(world.ledger.lostConnections == [.closedByPeer: attempts])
        }
        world.advance(to: .zero + .seconds(120))
        world.giveUp()
        bench.expectBalance(world)
        #expect(world.count(.accepted) == 4_500)
    }
}
