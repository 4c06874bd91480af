import Primitives

/// Future events in the order of their time, and of their addition when times are equal: the whole source of determinism.
struct EventHeap<Event> {
    private struct Entry {
        var time: Instant
        var order: UInt64
        var event: Event
    }

    private var entries: [Entry] = []
    private var nextOrder: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var firstTime: Instant? { entries.first?.time }

    mutating func add(_ event: Event, at time: Instant) {
        entries.append(Entry(time: time, order: nextOrder, event: event))
        nextOrder += 1
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isEarlier(child, parent) else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> (time: Instant, event: Event)? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            sink()
        }
        return (first.time, first.event)
    }

    private mutating func sink() {
        var parent = 0
        while true {  // bounded by the heap's depth
            let left = 2 * parent + 1
            guard left < entries.count else { return }
            let right = left + 1
            let child = right < entries.count && isEarlier(right, left) ? right : left
            guard isEarlier(child, parent) else { return }
            entries.swapAt(child, parent)
            parent = child
        }
    }

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        (entries[left].time, entries[left].order) < (entries[right].time, entries[right].order)
    }
}
