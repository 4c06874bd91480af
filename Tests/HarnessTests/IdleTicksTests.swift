import Primitives
import Testing

@testable import Harness

/// The lateness of an idle timer.
@Suite struct IdleTicksTests {
    private func milliseconds(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

    private func take(_ ticks: inout IdleTicks, at now: Instant) -> [Interval] {
        var taken: [Interval] = []
        ticks.take(at: now) { due, lateness in
            #expect(due + lateness == now)
            taken.append(lateness)
        }
        return taken
    }

    @Test func `a tick counts when it is due, with what it is late`() {
        var ticks = IdleTicks(from: .zero)
        #expect(take(&ticks, at: .zero + .microseconds(999)) == [])
        #expect(take(&ticks, at: milliseconds(1)) == [.zero])
        #expect(take(&ticks, at: milliseconds(2) + .microseconds(70)) == [.microseconds(70)])
        #expect(ticks.due == milliseconds(3))
    }

    @Test func `a pause counts with every tick that it swallowed`() {
        var ticks = IdleTicks(from: .zero)
        let taken = take(&ticks, at: milliseconds(100))
        #expect(taken == (0..<100).map { .milliseconds(99 - Int64($0)) })
        #expect(ticks.due == milliseconds(101))
    }

    @Test func `a pause of hours takes bounded work, and the grid goes on behind it`() {
        var ticks = IdleTicks(from: .zero)
        let now = Instant.zero + .seconds(7_200)
        let taken = take(&ticks, at: now)
        #expect(taken.count == IdleTicks.mostAtOnce)
        #expect(taken.first == .seconds(7_200) + .milliseconds(-1))
        #expect(ticks.due > now && ticks.due <= now + IdleTicks.period)
        #expect(take(&ticks, at: now) == [])
    }
}
