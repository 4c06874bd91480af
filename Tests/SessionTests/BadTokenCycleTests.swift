import Analysis
import GatewaySimulator
import Primitives
import ProviderSessions
import SimulatedTransport
import Testing

/// The closed model of bad tokens against both machines under the manual clock, which costs no processor: connections are the bound.
@Suite struct BadTokenCycleTests {
    private static let roundTrip = Interval.milliseconds(80)
    private static let connections = 4
    private static let length = Interval.seconds(60)

    /// What 60 s of the sender against the gateway give, and the model for the share of bad tokens that came up.
    private func compare(
        badRate: Double, window: UInt64, batch: UInt64, seed: UInt64
    ) throws -> (measured: BadTokenFigures, model: BadTokenFigures, errors: Int) {
        let perSecond = Double(Self.connections) * Double(window) / Self.roundTrip.seconds
        var bench = Bench(notifications: UInt64(2 * perSecond * Self.length.seconds), connections: Self.connections)
        bench.script.latency = Interval(nanoseconds: Self.roundTrip.nanoseconds / 2)
        bench.plan.batch = BatchPlan(notifications: batch)
        bench.plan.window = window
        bench.plan.silence = .roundTrip
        bench.badRate = badRate
        bench.seed = seed
        let world = try bench.world()
        world.start()
        world.advance(to: .zero + Self.length)
        let counts = world.gatewayLedger.counts
        let (accepted, refused) = (Double(counts.accepted), Double(world.gatewayLedger.refused.count))
        let replies = world.errorReplies
        let inFlight = replies.reduce(0) { $0 + Double($1.inFlight) } / Double(replies.count)
        // The first connections stand after two round trips.
        let time = (Self.length - Self.roundTrip * 2).seconds
        var model = BadTokenModel(
            badShare: refused / (accepted + refused), connections: Self.connections, errorFreePerSecond: perSecond,
            bound: .connections, reply: Self.roundTrip, reconnect: Self.roundTrip * 2)
        model.onWayMax = Double(window)
        model.writesInBursts = true
        return (
            BadTokenFigures(acceptedPerSecond: accepted / time, inFlight: inFlight), try model.figures(), replies.count
        )
    }

    /// From one error in ten windows to five in each.
    @Test(arguments: [0.001, 0.003, 0.01, 0.05], [1, 2] as [UInt64])
    func `the model has the rate of connections that wait for their windows`(badRate: Double, seed: UInt64) throws {
        let (measured, model, errors) = try compare(badRate: badRate, window: 100, batch: 20, seed: seed)
        try #require(errors > 100, "seed \(seed)")
        let error = try #require(model.errors(against: measured).acceptedPerSecond)
        #expect(abs(error) < 0.04, "\(badRate), seed \(seed): \(measured) \(model), \(errors) errors")
        // Each window leaves at once, and the reply comes together with the room for the next one.
        let inFlight = try #require(measured.inFlight)
        #expect((40...100).contains(inFlight), "between half of the window and all of it (seed \(seed)): \(inFlight)")
    }

    @Test func `without bursts the model would promise too little where each window has an error`() throws {
        let (measured, model, _) = try compare(badRate: 0.02, window: 100, batch: 20, seed: 3)
        #expect(abs(try #require(model.errors(against: measured).acceptedPerSecond)) < 0.04)
        let cycle = 80.0 / 0.02 / 100 / 1_000 + 0.24
        let even = Double(Self.connections) * 49 / cycle
        #expect(even < 0.95 * (try #require(measured.acceptedPerSecond)), "\(even) \(measured)")
    }
}
