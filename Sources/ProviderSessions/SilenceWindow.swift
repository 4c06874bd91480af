import Primitives

/// How many notifications of a connection were written so lately that an error reply to them may still be on its way.
///
/// A machine without a clock. It says nothing about fates: silence proves nothing, it only lets the next ones be written.
struct SilenceWindow {
    /// The most notifications in flight at a time.
    let limit: UInt64
    /// How long a notification counts as in flight after its write; nil while it is not known, and nothing is bounded then.
    var silence: Interval?
    /// How many are in flight.
    private(set) var inFlight: UInt64 = 0
    /// For how long the limit alone kept notifications from being written.
    private(set) var heldTime = Interval.zero

    private var batches: ContiguousArray<(count: UInt64, until: Instant)> = []
    private var head = 0
    private var heldSince: Instant?

    /// Makes an empty window.
    init(limit: UInt64) { self.limit = limit }

    /// When there may be room again; nil when nothing is held back.
    var heldUntil: Instant? { heldSince != nil && head < batches.count ? batches[head].until : nil }

    /// Whether a whole batch of up to `batch` notifications may be written at `now`.
    ///
    /// Not before there is room for all of it, or a window that is always nearly full would make batches of one.
    mutating func hasRoom(for batch: UInt64, at now: Instant) -> Bool {
        while head < batches.count, batches[head].until <= now {
            inFlight -= batches[head].count
            head += 1
        }
        if head == batches.count {
            batches.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= batches.count {
            batches.removeFirst(head)
            head = 0
        }
        let hasRoom = limit - inFlight >= min(batch, limit)
        if hasRoom {
            endHold(at: now)
        } else if heldSince == nil {
            heldSince = now
        }
        return hasRoom
    }

    /// A batch was written.
    mutating func add(_ count: UInt64, at now: Instant) {
        guard let silence else { return }
        inFlight += count
        batches.append((count, now + silence))
    }

    /// The connection is gone, and with it all that was in flight.
    mutating func removeAll(at now: Instant) {
        endHold(at: now)
        batches.removeAll(keepingCapacity: true)
        head = 0
        inFlight = 0
    }

    /// Nothing is held back any more.
    mutating func endHold(at now: Instant) {
        if let since = heldSince { heldTime = heldTime + (now - since) }
        heldSince = nil
    }
}
