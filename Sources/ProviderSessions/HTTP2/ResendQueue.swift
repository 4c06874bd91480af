import Primitives

/// A notification that is to be sent again.
struct Resend {
    var sequence: UInt64
    var unprovenResends: UInt8
    var retries: UInt8
    var refusedStreams: UInt16 = 0
    /// Its fate if it is not sent again after all.
    var otherwise: Fate

    /// The notification as events name it.
    var run: SequenceRun { SequenceRun(start: sequence, count: 1, unprovenResends: UInt32(unprovenResends)) }
}

/// The notifications that a session sends again: those that may go now, in order, and those that wait for their time.
struct ResendQueue {
    private struct Waiting {
        var resend: Resend
        var until: Instant
    }

    private var ready: [Resend] = []
    private var head = 0
    /// A heap by ``Waiting/until``.
    private var waiting: [Waiting] = []

    /// Whether one may go now.
    var isReady: Bool { head < ready.count }
    /// Whether there are none at all.
    var isEmpty: Bool { !isReady && waiting.isEmpty }
    /// The next one that may go.
    var first: Resend? { isReady ? ready[head] : nil }
    /// When the next one may go that waits.
    var nextTime: Instant? { waiting.first?.until }
    /// How many there are.
    var count: Int { ready.count - head + waiting.count }

    mutating func append(_ resend: Resend) { ready.append(resend) }

    mutating func removeFirst() {
        head += 1
        if head == ready.count {
            ready.removeAll(keepingCapacity: ready.capacity <= 4_096)
            head = 0
        } else if head >= 4_096 && head * 2 > ready.count {
            ready.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func append(_ resend: Resend, until: Instant) {
        waiting.append(Waiting(resend: resend, until: until))
        var child = waiting.count - 1
        while child > 0, waiting[child].until < waiting[(child - 1) / 2].until {
            waiting.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Lets those go whose time has come.
    mutating func release(at now: Instant) {
        while let next = waiting.first, next.until <= now {
            ready.append(next.resend)
            let last = waiting.removeLast()
            guard !waiting.isEmpty else { return }
            waiting[0] = last
            sink()
        }
    }

    private mutating func sink() {
        var parent = 0
        while 2 * parent + 1 < waiting.count {
            var child = 2 * parent + 1
            if child + 1 < waiting.count, waiting[child + 1].until < waiting[child].until { child += 1 }
            guard waiting[child].until < waiting[parent].until else { return }
            waiting.swapAt(child, parent)
            parent = child
        }
    }

    /// Takes all of them.
    mutating func takeAll() -> [Resend] {
        defer { (ready, head, waiting) = ([], 0, []) }
        return Array(ready[head...]) + waiting.map(\.resend)
    }
}
