import GatewaySimulator
import Primitives
import ProviderSessions
import SimulatedTransport
import Testing

/// Error-reply latencies against delays that are known exactly, under the manual clock.
@Suite struct ReplyDelayTests {
    /// The measured latencies of one reply for each of so many connections, in order.
    private func latencies(_ delay: ReplyDelay) throws -> [Interval] {
        var bench = Bench(notifications: 4_000)
        bench.badRate = 0.5
        bench.gateway.faults.add(.replyDelay(delay))
        bench.plan.batch = BatchPlan(notifications: 4, linger: .milliseconds(1))
        bench.plan.reconnect.base = .milliseconds(1)
        let world = try bench.run(limit: .seconds(100_000))
        // The sentinel's reply is none to a notification.
        let latencies = world.errorReplies.compactMap(\.latency).sorted()
        #expect(latencies.count >= 1_500)
        return latencies
    }

    @Test(arguments: [
        ReplyDelay.constant(.milliseconds(20)),
        ReplyDelay(lengths: Array(repeating: .milliseconds(2), count: 19) + [.milliseconds(150)]),
        ReplyDelay.distribution(p50: .milliseconds(5), p99: .milliseconds(80), max: .milliseconds(400)),
    ])
    func `each measured latency is one of the true delays, and their percentiles agree`(delay: ReplyDelay) throws {
        let measured = try latencies(delay)
        // There and back.
        let way = LinkScript().latency * 2
        for value in measured.map({ $0 - way }) {
            let truth = delay.lengths.min { left, right in
                (left - value).nanoseconds.magnitude < (right - value).nanoseconds.magnitude
            }
            let excess = try #require(truth.map { value - $0 })
            #expect(excess.nanoseconds.magnitude <= 50_000, "\(value)")
        }
        // The draws meet the distribution: each quantile lies within 3 standard deviations of its rank.
        let sorted = delay.lengths.sorted()
        for share in [0.5, 0.9, 0.99] {
            let spread = 3 * (share * (1 - share) / Double(measured.count)).squareRoot()
            func length(_ share: Double) -> Interval {
                sorted[min(sorted.count - 1, max(0, Int(share * Double(sorted.count))))]
            }
            let found = measured[Int(share * Double(measured.count))]
            #expect(found >= length(share - spread), "\(share)")
            #expect(found <= length(share + spread) + way + .microseconds(50), "\(share)")
        }
    }
}
