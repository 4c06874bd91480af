import Primitives
import Transport

/// Watches how late an event loop is, by a timer on it that does nothing else; costs a wake-up in each millisecond in which nothing
/// happens, and next to nothing under load.
final class HiccupWatch {
    private var ticks = IdleTicks(from: .zero)
    private var timer: LoopTimer?

    /// Starts to watch; each tick's lateness goes to `body`, in the order in which the ticks were due.
    init(core: LoopCore, _ body: @escaping (_ due: Instant, _ lateness: Interval) -> Void) {
        ticks = IdleTicks(from: core.now)
        timer = core.makeTimer { [weak self] core in
            guard let self else { return }
            ticks.take(at: core.refreshNow(), body)
            timer?.set(to: ticks.due)
        }
        timer?.set(to: ticks.due)
    }

    /// Watches no longer.
    func end() {
        timer?.cancel()
        timer = nil
    }
}
