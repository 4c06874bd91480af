internal import Primitives

/// The pending deadlines of one loop, at most one for each slot, earliest first; equal ones in the order of setting.
///
/// Setting, changing and removing cost O(log n); no allocation once it has grown to the number of slots.
struct DeadlineHeap {
    private struct Entry {
        var deadline: Int64
        var order: UInt64
        var slot: Int

        func isBefore(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : order < other.order
        }
    }

    private var entries: ContiguousArray<Entry> = []
    /// Where a slot's entry is, or -1.
    private var positions: ContiguousArray<Int> = []
    private var nextOrder: UInt64 = 0

    /// The earliest deadline; nil when there is none.
    var earliest: Instant? { entries.first.map { Instant(nanoseconds: $0.deadline) } }

    /// Sets, moves or (with nil) removes the deadline of a slot.
    mutating func set(slot: Int, to deadline: Instant?) {
        while positions.count <= slot { positions.append(-1) }
        let position = positions[slot]
        guard let deadline else {
            if position >= 0 { remove(at: position) }
            return
        }
        let entry = Entry(deadline: deadline.nanoseconds, order: nextOrder, slot: slot)
        nextOrder += 1
        if position < 0 {
            entries.append(entry)
            positions[slot] = entries.count - 1
            siftUp(entries.count - 1)
        } else {
            entries[position] = entry
            siftDown(siftUp(position))
        }
    }

    /// Removes and returns the slot with the earliest deadline that has come; nil when none has.
    mutating func popDue(at now: Instant) -> Int? {
        guard let first = entries.first, first.deadline <= now.nanoseconds else { return nil }
        remove(at: 0)
        return first.slot
    }

    private mutating func remove(at position: Int) {
        positions[entries[position].slot] = -1
        let last = entries.removeLast()
        guard position < entries.count else { return }
        entries[position] = last
        positions[last.slot] = position
        siftDown(siftUp(position))
    }

    @discardableResult
    private mutating func siftUp(_ start: Int) -> Int {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard entries[position].isBefore(entries[parent]) else { break }
            exchange(position, parent)
            position = parent
        }
        return position
    }

    private mutating func siftDown(_ start: Int) {
        var position = start
        // Descends one level a round.
        while true {
            var smallest = position
            let left = 2 * position + 1
            if left < entries.count, entries[left].isBefore(entries[smallest]) { smallest = left }
            if left + 1 < entries.count, entries[left + 1].isBefore(entries[smallest]) { smallest = left + 1 }
            if smallest == position { return }
            exchange(position, smallest)
            position = smallest
        }
    }

    private mutating func exchange(_ left: Int, _ right: Int) {
        entries.swapAt(left, right)
        positions[entries[left].slot] = left
        positions[entries[right].slot] = right
    }
}
