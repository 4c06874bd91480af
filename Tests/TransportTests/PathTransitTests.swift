import Primitives
import Testing

@testable import Transport

/// The simulated long way as a machine, under instants that the test makes up.
struct PathTransitTests {
    private let tally = PathTally()

    private func transit(window: Int = 1 << 20, total: Int = 1 << 30) -> PathTransit {
        var path = NetworkPath(roundTrip: .milliseconds(80))
        path.window = window
        path.totalWindow = total
        return PathTransit(path, tally: tally, now: .zero)
    }

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    private func arrive(_ count: Int, _ transit: PathTransit, at now: Instant) {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { transit.arrive($0, at: now) }
    }

    private func takenCount(_ transit: PathTransit, at now: Instant) -> Int {
        guard let piece = transit.takeInput(at: now) else { return 0 }
        defer { piece.deallocate() }
        return piece.count
    }

    @Test func `bytes come half a round trip after they left, the first ones after TCP's own round trip`() {
        let transit = transit()
        arrive(10, transit, at: at(0))
        arrive(20, transit, at: at(100))
        #expect(transit.nextDeadline(isTaking: true) == at(120))
        #expect(takenCount(transit, at: at(119)) == 0)
        #expect(takenCount(transit, at: at(120)) == 10)
        #expect(takenCount(transit, at: at(139)) == 0)
        #expect(takenCount(transit, at: at(140)) == 20)
        #expect(transit.nextDeadline(isTaking: true) == nil)
    }

    @Test func `a full window opens when the acknowledgement is back, one round trip after the bytes came`() {
        let transit = transit(window: 1_000)
        #expect(transit.room(at: at(200)) == 1_000)
        arrive(1_000, transit, at: at(200))
        #expect(transit.room(at: at(200)) == 0)
        #expect(!transit.takesInput)
        #expect(takenCount(transit, at: at(240)) == 1_000)
        #expect(transit.room(at: at(279)) == 0)
        #expect(transit.nextDeadline(isTaking: true) == at(280))
        #expect(transit.room(at: at(280)) == 1_000)
        #expect(transit.takesInput)
        #expect(tally.stopCount == 1)
        #expect(tally.fullTime == .milliseconds(80))
    }

    /// A peer that always has bytes, and a link that takes them as they come.
    @Test(arguments: [50_000, 100_000, 200_000, 400_000])
    func `what a connection carries is exactly one window a round trip`(window: Int) throws {
        let transit = transit(window: window)
        let total = 2_000_000
        var now = at(200)
        var (sent, taken) = (0, 0)
        while taken < total {
            while case let count = min(transit.room(at: now), total - sent), count > 0 {
                arrive(count, transit, at: now)
                sent += count
            }
            now = max(now, try #require(transit.nextDeadline(isTaking: true)))
            taken += takenCount(transit, at: now)
        }
        let rounds = Int64(total / window)
        #expect(now == at(200 + 40 + 80 * (rounds - 1)))
        #expect(tally.stopCount == Int(rounds) - 1)
        #expect(tally.fullTime == .milliseconds(80 * (rounds - 1)))
    }

    @Test func `a window that is not taken from stays full`() {
        let transit = transit(window: 1_000)
        arrive(1_000, transit, at: at(200))
        #expect(transit.room(at: at(1_000)) == 0)
        #expect(transit.nextDeadline(isTaking: false) == nil)
        #expect(takenCount(transit, at: at(1_000)) == 1_000)
        #expect(transit.room(at: at(1_040)) == 1_000)
    }

    @Test func `the end of a stream comes behind its bytes, and a failure after the same time`() {
        let transit = transit()
        arrive(5, transit, at: at(200))
        transit.arrive(.finished, at: at(200))
        #expect(transit.isSocketAtEnd && !transit.takesInput)
        #expect(transit.takeInputEnd(at: at(240)) == nil, "bytes are before it")
        #expect(takenCount(transit, at: at(240)) == 5)
        #expect(transit.takeInputEnd(at: at(240)) == .finished)
        #expect(transit.takeInputEnd(at: at(300)) == nil, "it ends once")
        let broken = self.transit()
        broken.arrive(.failed(code: 104), at: at(200))
        #expect(!broken.hasFailed(at: at(239)))
        #expect(broken.hasFailed(at: at(240)))
        #expect(broken.takeInputEnd(at: at(240)) == .failed(code: 104))
    }

    @Test func `all paths together hold no more than their bound, and what is let go is free again`() {
        let first = transit(total: 10_000)
        let second = transit(total: 10_000)
        arrive(10_000, first, at: at(200))
        #expect(second.room(at: at(200)) == 0)
        #expect(second.nextDeadline(isTaking: true) == at(205), "it looks again, since nothing of its own will wake it")
        #expect(takenCount(first, at: at(240)) == 10_000)
        #expect(second.room(at: at(240)) > 0)
        arrive(5_000, first, at: at(300))
        #expect(tally.heldBytes > 5_000)
    }

    @Test func `a path that ends gives back what it held`() {
        do {
            let transit = transit()
            arrive(5_000, transit, at: at(200))
            #expect(tally.heldBytes >= 5_000)
        }
        #expect(tally.heldBytes == 0)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `whatever comes and goes, order and number of bytes stay`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = TransitQueue()
        var expected: [UInt8] = []
        var received: [UInt8] = []
        var now = Instant.zero
        for round in 0..<400 {
            now = now + Interval(nanoseconds: Int64(random.below(1_000)))
            if random.below(2) == 0 {
                let bytes = (0..<Int(1 + random.below(40))).map { UInt8(truncatingIfNeeded: $0 + round) }
                expected += bytes
                bytes.withUnsafeBytes { queue.append($0, due: now + .microseconds(2)) }
            }
            guard let bytes = queue.arrived(by: now) else { continue }
            let count = min(bytes.count, Int(1 + random.below(30)))
            received += bytes[..<count]
            queue.consume(count)
        }
        while let bytes = queue.arrived(by: .distantFuture) {
            received += bytes
            queue.consume(bytes.count)
        }
        #expect(received == expected, "seed \(seed)")
        #expect(queue.byteCount == 0)
    }
}
