import Primitives
import ProviderSessions
import Transport

/// The one timer by which an event loop waits for an open loop's schedule.
///
/// When batches come due it wakes as many idle connections, and no others; those that are busy ask by themselves.
final class PaceDriver {
    private let core: LoopCore
    private let links: [ProviderLink]
    private let supply: SequenceSupply
    private let batch: BatchPlan
    private var turns: FillTurns
    private var timer: LoopTimer?
    private var armed: Instant?
    private var isHeld = false

    init(core: LoopCore, links: [ProviderLink], supply: SequenceSupply, batch: BatchPlan) {
        self.core = core
        self.links = links
        self.supply = supply
        self.batch = batch
        turns = FillTurns(count: links.count)
        timer = core.makeTimer { [weak self] _ in
            guard let self else { return }
            armed = nil
            takeTurns()
        }
        for (place, link) in links.enumerated() { link.onWaiting = { [weak self] in self?.isIdle(place) } }
    }

    /// The supply was released or closed.
    func wake() { takeTurns() }

    private func isIdle(_ place: Int) {
        turns.add(place)
        if isHeld {
            isHeld = false
            supply.resume(now: core.now)
        }
        arm()
    }

    private func takeTurns() {
        // At the end every connection has its last proof to ask for.
        let isOver = supply.isExhausted
        var due =
            isOver ? links.count : supply.dueBatchCount(batch: batch.notifications, linger: batch.linger, now: core.now)
        while due > 0, let place = turns.next(where: { links[$0].session.isWaiting }) {  // bounded: each link once
            due -= 1
            links[place].wake()
        }
        if due > 0, !isOver, !isHeld {
            isHeld = true
            supply.hold(links.contains { $0.session.isOpen } ? .windowFull : .noConnection, now: core.now)
        }
        arm()
    }

    private func arm() {
        var time: Instant?
        if !turns.isEmpty {
            time = supply.isExhausted ? core.now : supply.batchTime(batch: batch.notifications, linger: batch.linger)
        }
        guard time != armed else { return }
        armed = time
        timer?.set(to: time)
    }
}
