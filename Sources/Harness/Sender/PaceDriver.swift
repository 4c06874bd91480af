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
    /// Which links were woken and have not said since that they wait again.
    private var isWoken: [Bool]
    private var wokenCount = 0
    private var wokenAt = Instant.zero
    /// A link that was woken and is not heard of for so long is busy, or gone.
    private static let patience = Interval.milliseconds(1)
    /// How often it is looked why nobody takes what is due.
    private static let holdCheck = Interval.milliseconds(10)
    private var timer: LoopTimer?
    private var armed: Instant?
    private var isHeld = false

    init(core: LoopCore, links: [ProviderLink], supply: SequenceSupply, batch: BatchPlan) {
        self.core = core
        self.links = links
        self.supply = supply
        self.batch = batch
        turns = FillTurns(count: links.count)
        isWoken = Array(repeating: false, count: links.count)
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
        forget(place)
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
        if wokenCount > 0, core.now >= wokenAt + Self.patience { for place in links.indices { forget(place) } }
        let dueCount = supply.dueBatchCount(batch: batch.notifications, linger: batch.linger, now: core.now)
        // What is due for those that were woken before is theirs; waking others for it would let the first one have it all.
        var due = isOver ? links.count : dueCount - min(dueCount, wokenCount)
        while due > 0, let place = turns.next(where: { links[$0].session.isWaiting }) {  // bounded: each link once
            due -= 1
            isWoken[place] = true
            wokenCount += 1
            wokenAt = core.now
            links[place].wake()
        }
        // Whoever was woken takes more than one batch, if it is only the machine that was late.
        if due > 0, wokenCount == 0, !isOver { hold() }
        arm()
    }

    /// Nobody takes what is due. Connections that end one after the other are at first no reason, and then they are.
    private func hold() {
        let open = links.filter { $0.session.isOpen }
        let reason: ArrivalHold =
            if open.isEmpty {
                .noConnection
            } else if open.contains(where: { $0.session.hasAllRequestsOpen }) {
                .streamsTaken
            } else {
                .windowFull
            }
        if !isHeld {
            isHeld = true
            supply.hold(reason, now: core.now)
        } else {
            supply.explainHold(reason)
        }
    }

    private func forget(_ place: Int) {
        guard isWoken[place] else { return }
        isWoken[place] = false
        wokenCount -= 1
    }

    private func arm() {
        var time: Instant?
        if supply.isExhausted {
            if !turns.isEmpty { time = core.now }
        } else if !turns.isEmpty || !isHeld {
            // Also when nobody is idle, to see that nobody takes the next batch either.
            time = supply.batchTime(batch: batch.notifications, linger: batch.linger)
        }
        if wokenCount > 0, let due = time { time = max(due, wokenAt + Self.patience) }
        if isHeld { time = min(time ?? .distantFuture, core.now + Self.holdCheck) }
        guard time != armed else { return }
        armed = time
        timer?.set(to: time)
    }
}
