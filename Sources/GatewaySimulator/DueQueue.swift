import Primitives

/// What happens later, the earliest first: a heap, so that delays may differ. What is due at the same instant comes in the order in
/// which it was added.
struct DueQueue<Element> {
    private struct Entry {
        var dueAt: Instant
        var order: UInt64
        var element: Element
    }

    private var heap: [Entry] = []
    private var addedCount: UInt64 = 0
    /// When the latest of all that was ever added is due.
    private(set) var latest = Instant.zero

    /// How many wait.
    var count: Int { heap.count }

    /// When the earliest is due.
    var nextAt: Instant? { heap.first?.dueAt }

    mutating func add(_ element: Element, at dueAt: Instant) {
        heap.append(Entry(dueAt: dueAt, order: addedCount, element: element))
        addedCount += 1
        latest = max(latest, dueAt)
        var place = heap.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard isBefore(place, parent) else { return }
            heap.swapAt(place, parent)
            place = parent
        }
    }

    /// Takes the earliest if it is due.
    mutating func takeDue(_ now: Instant) -> Element? {
        guard let first = heap.first, first.dueAt <= now, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first.element }
        heap[0] = last
        var place = 0
        while true {  // bounded: by the depth of the heap
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && isBefore(child, least) {
                least = child
            }
            guard least != place else { return first.element }
            heap.swapAt(place, least)
            place = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].dueAt, heap[left].order) < (heap[right].dueAt, heap[right].order)
    }
}
