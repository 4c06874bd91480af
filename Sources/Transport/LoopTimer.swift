public import Primitives

/// A timer of a loop: fires once for each time it is set. It belongs to the loop that made it.
public final class LoopTimer {
    private let core: LoopCore
    private let body: (LoopCore) -> Void
    var slot = -1

    init(core: LoopCore, body: @escaping (LoopCore) -> Void) {
        self.core = core
        self.body = body
    }

    /// Sets when to fire, instead of what was set before; nil means never. A past instant fires in the next turn.
    public func set(to deadline: Instant?) {
        guard slot >= 0 else { return }
        core.setDeadline(slot: slot, to: deadline)
    }

    /// Ends the timer for good; without it the timer lives as long as its loop.
    public func cancel() {
        guard slot >= 0 else { return }
        core.remove(slot: slot)
        slot = -1
    }

    func fire() { body(core) }
}
