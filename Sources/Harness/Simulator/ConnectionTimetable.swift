import Primitives
import Synchronization
import Transport

/// Carries out what befalls all connections together at a time: kills at a rate, and outages.
final class ConnectionTimetable: Sendable {
    private static let tickNanoseconds: UInt64 = 1_000_000

    private let listeners: [Listener]
    private let loops: [EventLoop]
    private let isOver = Atomic(false)
    private let outages = Atomic(0)

    /// Starts to wait for the faults' times.
    init(_ faults: ConnectionFaults, listeners: [Listener], loops: [EventLoop]) {
        self.listeners = listeners
        self.loops = loops
        if let kill = faults.kill { Task { [self] in await carryOut(kill) } }
        for outage in faults.outages { Task { [self] in await carryOut(outage) } }
    }

    /// How many outages began.
    var outageCount: Int { outages.load(ordering: .relaxed) }

    /// Nothing happens any more.
    func end() { isOver.store(true, ordering: .relaxed) }

    private func carryOut(_ kill: ConnectionFaults.Kill) async {
        var random = SeededRandom(seed: kill.seed)
        let period = Interval(nanoseconds: max(1, Int64(1e9 / kill.rate.perSecond)))
        var due = period
        var loop = 0
        while await wait(until: due) {
            due = due + period
            let draw = random.next()
            // The loops in turn; one without connections passes its turn on.
            for _ in loops {
                let next = loops[loop]
                loop = (loop + 1) % loops.count
                let isDone = try? await next.run { core in
                    (core.tenant as? GatewayLoop)?.registry.kill(kill.closing, random: draw) ?? false
                }
                if isDone ?? false { break }
            }
        }
    }

    private func carryOut(_ outage: ConnectionFaults.Outage) async {
        guard await wait(until: outage.at) else { return }
        outages.add(1, ordering: .relaxed)
        for listener in listeners { await listener.pause() }
        for loop in loops { try? await loop.run { $0.closeAcceptedLinks(.reset) } }
        _ = await wait(until: outage.at + outage.length)
        if !isOver.load(ordering: .relaxed) {
            for listener in listeners { try? await listener.resume() }
        }
    }

    /// Waits for the first connection and then so long; false when all is over before.
    private func wait(until delay: Interval) async -> Bool {
        while !isOver.load(ordering: .relaxed) {
            if let first = listeners.compactMap(\.firstAcceptedAt).min(), MonotonicClock.now() >= first + delay {
                return true
            }
            try? await Task.sleep(nanoseconds: Self.tickNanoseconds)
        }
        return false
    }
}
