public import Primitives

/// A timer of a loop: fires once for each time it is set. It belongs to the loop that made it.
public final class LoopTimer {
    /// Both are let go at the end, because they may lead back to the timer.
    private var core: LoopCore?
    private var body: ((LoopCore) -> Void)?
    private var slot = -1

    init(core: LoopCore, body: @escaping (LoopCore) -> Void) {
        self.core = core
        self.body = body
        slot = core.insert(.timer(self))
    }

    /// Sets when to fire, instead of what was set before; nil means never. A past instant fires in the next turn.
    public func set(to deadline: Instant?) {
        core?.setDeadline(slot: slot, to: deadline)
    }

    /// Ends the timer for good; without it the timer lives as long as its loop.
    public func cancel() {
        core?.remove(slot: slot)
        core = nil
        // What only the body keeps alive goes when nothing of the timer is being changed any more.
        let last = body.take()
        withExtendedLifetime(last) {}
    }

    func fire() {
        if let core { body?(core) }
    }
}
