import GatewaySimulator
import Histograms
import Primitives
import ProviderSessions
import PushWire
import SimulatedTransport
import Testing
import Workload

/// Acceptance that takes its time: the delays are known exactly, and what is measured must be they.
@Suite struct AcceptanceDelayTests {
    enum Truth: CaseIterable {
        case constant, bimodal, logNormal

        func add(to plan: inout FaultPlan) {
            switch self {
            case .constant: plan.add(.acceptanceDelay(.constant(.milliseconds(3))))
            case .bimodal:
                plan.add(.acceptanceDelay(.constant(.microseconds(800))))
                plan.add(.acceptanceDelay(.constant(.milliseconds(80))), when: .share(0.05))
            case .logNormal: plan.add(.acceptanceDelay(.logNormal(median: .milliseconds(2), sigma: 1.2)))
            }
        }
    }

    private func bench(_ count: UInt64) -> Bench {
        var bench = Bench(notifications: count, connections: 4)
        bench.arrivals = .constant(Rate(perSecond: 2_000))
        bench.start = .zero + .milliseconds(20)
        bench.plan.batch = BatchPlan(notifications: 1, linger: .zero)
        return bench
    }

    @Test(arguments: Truth.allCases)
    func `from its write each notification takes the delay that was drawn and the way, in every percentile`(
        truth: Truth
    ) throws {
        var bench = bench(20_000)
        truth.add(to: &bench.gateway.faults)
        bench.gateway.faults.seed = bench.seed
        let world = try bench.run()
        #expect(world.count(.accepted) == 20_000)
        var sentAt: [UInt64: Instant] = [:]
        for case .sent(let run, let at, _) in world.events {
            for sequence in run.start..<run.end { sentAt[sequence] = at }
        }
        let accepted = try #require(world.gatewayLedger.acceptanceTimes).entries
        #expect(accepted.count == 20_000)
        let service = Histogram()
        var delays: [Interval] = []
        for entry in accepted {
            let identifier = bench.plan.identifiers.identifier(of: entry.sequence)
            let delay = bench.gateway.faults.delay(drawnFor: identifier)
            let measured = entry.at - (try #require(sentAt[entry.sequence]))
            #expect(measured == delay + bench.script.latency, "\(entry.sequence)")
            service.record(measured.nanoseconds)
            delays.append(delay)
        }
        delays.sort()
        for share in [0.5, 0.9, 0.99, 0.999] {
            let rank = delays[Int((share * Double(delays.count)).rounded(.up)) - 1].nanoseconds
            let found = try #require(service.value(atQuantile: share))
            #expect((found - rank).magnitude <= rank.magnitude / 100 + 50_000, "\(truth) at \(share): \(found)")
        }
    }

    @Test func `the proof of a connection waits until all before it is accepted`() throws {
        var bench = bench(100)
        bench.gateway.faults.add(.acceptanceDelay(.constant(.milliseconds(700))))
        let world = try bench.run()
        #expect(world.count(.accepted) == 100)
        let last = try #require(world.gatewayLedger.counts.lastAcceptedAt)
        for case .proved(let at) in world.events { #expect(at >= .zero + .milliseconds(700)) }
        #expect(last >= .zero + .milliseconds(20 + 49 + 700))
        #expect(world.now >= .zero + .milliseconds(20 + 49 + 700))
    }

    @Test func `what was taken in is accepted although its connection breaks`() throws {
        var bench = bench(100)
        bench.gateway.faults.add(.acceptanceDelay(.constant(.seconds(5))))
        let world = try bench.world()
        world.start()
        world.advance(to: .zero + .milliseconds(200))
        #expect(world.gatewayLedger.counts.accepted == 0)
        for slot in 0..<4 { world.kill(slot: slot) }
        #expect(world.gatewayLedger.counts.accepted == 100)
        #expect(try #require(world.gatewayLedger.counts.lastAcceptedAt) > .zero + .seconds(5))
    }

    @Test func `a gateway that holds too many reads no more until it has accepted some`() throws {
        var bench = Bench(notifications: 100_000)
        bench.gateway.faults.add(.acceptanceDelay(.constant(.seconds(2))))
        let world = try bench.run()
        #expect(world.count(.accepted) == 100_000)
        let counts = world.gatewayLedger.counts
        let (first, last) = (try #require(counts.firstAcceptedAt), try #require(counts.lastAcceptedAt))
        #expect(last - first >= .seconds(2), "the rest was read after the first had been accepted")
    }
}
