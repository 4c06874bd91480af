import GatewaySimulator
import Glibc
import Primitives
import RunRecords
import Synchronization
import Transport

/// Carries out the faults that befall the whole simulator at a time: it refuses connections, or it freezes.
final class FaultTimetable: Sendable {
    private let totals: FaultTotals
    private let strikes = Mutex<[Int: Int64]>([:])
    private let isOver: FaultSwitch
    private static let tickNanoseconds: UInt64 = 1_000_000

    /// Starts to wait for the faults' times.
    init(_ faults: [FaultSettings], totals: FaultTotals, listeners: [Listener], loops: [EventLoop]) {
        self.totals = totals
        isOver = FaultSwitch()
        for (index, fault) in faults.enumerated() {
            switch fault.kind {
            case .refuse: Task { [self] in await refuse(fault, index, listeners) }
            case .freeze: Task { [self] in await freeze(fault, index, loops) }
            default: break
            }
        }
    }

    /// How often each of these faults struck, by its place in the plan.
    var counts: [Int: Int64] { strikes.withLock { $0 } }

    private func refuse(_ fault: FaultSettings, _ index: Int, _ listeners: [Listener]) async {
        // What begins with the first connection cannot refuse that one, so zero means from the very start.
        let at = fault.at ?? .zero
        guard await wait(until: at, isFromStart: at == .zero) else { return }
        count(index)
        for listener in listeners { await listener.pause() }
        try? await Task.sleep(nanoseconds: UInt64(fault.length?.nanoseconds ?? 0))
        if !isOver.value {
            for listener in listeners { try? await listener.resume() }
        }
    }

    private func freeze(_ fault: FaultSettings, _ index: Int, _ loops: [EventLoop]) async {
        guard await wait(until: fault.at ?? .zero, isFromStart: false) else { return }
        count(index)
        let end = MonotonicClock.now() + (fault.length ?? .zero)
        let isOver = isOver
        for loop in loops { loop.enqueue { _ in Self.freeze(until: end, isOver) } }
    }

    private func count(_ index: Int) { strikes.withLock { $0[index, default: 0] += 1 } }

    /// Nothing happens any more; a freeze that goes on ends.
    func end() { isOver.set() }

    /// Waits for the first connection and then so long; false when all is over before.
    private func wait(until delay: Interval, isFromStart: Bool) async -> Bool {
        let begin = MonotonicClock.now()
        while !isOver.value {
            let first = isFromStart ? begin : totals.firstConnectionAt
            if let first, MonotonicClock.now() >= first + delay { return true }
            try? await Task.sleep(nanoseconds: Self.tickNanoseconds)
        }
        return false
    }

    /// Blocks the loop's thread, which is exactly what a frozen process looks like from outside.
    private static func freeze(until end: Instant, _ isOver: FaultSwitch) {
        while MonotonicClock.now() < end && !isOver.value { usleep(1_000) }
    }
}

/// Tells tasks and loops that the simulator ends.
private final class FaultSwitch: Sendable {
    private let isSet = Atomic<Bool>(false)

    var value: Bool { isSet.load(ordering: .relaxed) }

    func set() { isSet.store(true, ordering: .relaxed) }
}
