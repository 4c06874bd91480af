import Primitives
import ProviderSessions
import SimulatedTransport
import Testing

/// The mode in which the window bounds what is in flight, under the manual clock.
@Suite struct SilenceWindowTests {
    private static let roundTrip = Interval.milliseconds(80)

    private func bench(_ notifications: UInt64, window: UInt64, silence: SilencePlan = .roundTrip) -> Bench {
        var bench = Bench(notifications: notifications)
        bench.script.latency = Interval(nanoseconds: Self.roundTrip.nanoseconds / 2)
        bench.plan.batch = BatchPlan(notifications: 100)
        bench.plan.window = window
        bench.plan.silence = silence
        return bench
    }

    private func writes(_ world: SimulatedWorld) -> [(count: UInt64, at: Instant)] {
        world.events.compactMap {
            guard case .wrote(let count, _, _, _, let at) = $0 else { return nil }
            return (count, at)
        }
    }

    /// Notifications a second between the first and the last write.
    private func rate(_ world: SimulatedWorld) throws -> Double {
        let writes = writes(world)
        let first = try #require(writes.first)
        let last = try #require(writes.last)
        return Double(writes.dropLast().reduce(0) { $0 + $1.count }) / (last.at - first.at).seconds
    }

    @Test(arguments: [200, 500, 2_000, 5_000] as [UInt64])
    func `a connection carries window ÷ round trip`(window: UInt64) throws {
        let world = try bench(window * 20, window: window).run()
        #expect(world.count(.accepted) == window * 20)
        let expected = Double(window) / Self.roundTrip.seconds
        let ratio = try rate(world) / expected
        // The first window leaves at once, so a run of 20 windows takes 19 round trips.
        #expect((0.97...1.08).contains(ratio), "window \(window): \(ratio)")
    }

    @Test(arguments: [1, 20, 200] as [Int64])
    func `what it carries follows the round trip`(milliseconds: Int64) throws {
        var bench = bench(20_000, window: 1_000)
        bench.script.latency = .microseconds(milliseconds * 500)
        let ratio = try rate(try bench.run()) / (1_000 / Double(milliseconds) * 1_000)
        #expect((0.9...1.08).contains(ratio), "\(milliseconds) ms: \(ratio)")
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `never more than a window is written within one silence, also when errors come`(seed: UInt64) throws {
        var bench = bench(6_000, window: 730, silence: .constant(.milliseconds(80)))
        bench.seed = seed
        bench.badRate = 0.002
        let world = try bench.run()
        #expect(world.count(.lost) == 0, "what followed a bad one was in the window (seed \(seed))")
        for error in world.errorReplies {
            #expect(error.inFlight <= 730, "seed \(seed)")
        }
        // Within one connection: an error lets the next one begin with an empty window.
        var recent: [(count: UInt64, at: Instant)] = []
        for event in world.events {
            switch event {
            case .connected: recent = []
            case .wrote(let count, _, _, _, let at):
                recent.append((count, at))
                recent.removeAll { at - $0.at >= .milliseconds(80) }
                #expect(recent.reduce(0) { $0 + $1.count } <= 730, "seed \(seed)")
            default: break
            }
        }
    }

    @Test func `a window that is never full holds nothing back`() throws {
        let bounded = try bench(5_000, window: 65_536).run()
        var free = bench(5_000, window: 65_536)
        free.plan.silence = nil
        #expect(writes(bounded).map(\.at) == writes(try free.run()).map(\.at))
    }

    @Test func `batches stay whole while the window is the limit`() throws {
        let world = try bench(10_000, window: 250).run()
        // The last batch of a claim may be cut; batches of one would show a window that opens for each notification.
        let counts = writes(world).map(\.count)
        #expect(counts.count { $0 == 100 } * 10 >= counts.count * 9, "\(counts)")
    }
}
