import GatewaySimulator
import Glibc
import Primitives
import RunRecords
import Synchronization
import Transport

/// Carries out the faults that befall the whole simulator at a time: it refuses connections, or it freezes.
final class FaultTimetable: Sendable {
    private let triggers: FaultTriggers
    private let isOver: FaultSwitch
    private static let tickNanoseconds: UInt64 = 1_000_000

    /// Starts to wait for the faults' times.
    init(_ faults: GatewayFaults, triggers: FaultTriggers, listener: Listener, loops: [EventLoop]) {
        self.triggers = triggers
        let isOver = FaultSwitch()
        self.isOver = isOver
        if let fault = faults.refuse {
            Task { [self] in
                // What begins with the first connection cannot refuse that one, so zero means from the very start.
                guard await wait(until: fault.at, isFromStart: fault.at == .zero) else { return }
                await listener.pause()
                try? await Task.sleep(nanoseconds: UInt64(fault.length.nanoseconds))
                if !isOver.value { try? await listener.resume() }
            }
        }
        if let fault = faults.freeze {
            Task { [self] in
                guard await wait(until: fault.at, isFromStart: false) else { return }
                let end = MonotonicClock.now() + fault.length
                for loop in loops { loop.enqueue { _ in Self.freeze(until: end, isOver) } }
            }
        }
    }

    /// Nothing happens any more; a freeze that goes on ends.
    func end() { isOver.set() }

    /// Waits for the first connection and then so long; false when all is over before.
    private func wait(until delay: Interval, isFromStart: Bool) async -> Bool {
        let begin = MonotonicClock.now()
        while !isOver.value {
            let first = isFromStart ? begin : triggers.firstConnectionAt
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
