/// The idle sessions of one event loop in an open loop, in the order in which they write next.
///
/// One timer for each loop waits for the schedule, and when a batch comes due the session that has waited longest writes it: so none
/// starves, and none wakes for a batch that another one takes.
public struct FillTurns {
    private var queue: [Int] = []
    private var head = 0
    private var isQueued: [Bool]

    /// Makes the turns of sessions 0 ..< `count`, none of them idle.
    public init(count: Int) { isQueued = Array(repeating: false, count: count) }

    /// Whether no session waits, as far as is known.
    public var isEmpty: Bool { head == queue.count }

    /// A session is idle; does nothing if it waits already.
    public mutating func add(_ place: Int) {
        guard !isQueued[place] else { return }
        isQueued[place] = true
        queue.append(place)
    }

    /// Takes the session whose turn it is among those that still wait; nil if there is none.
    public mutating func next(where isWaiting: (Int) -> Bool) -> Int? {
        while head < queue.count {  // bounded: each round takes one
            let place = queue[head]
            head += 1
            isQueued[place] = false
            if head > 64, head * 2 > queue.count {
                queue.removeFirst(head)
                head = 0
            }
            if isWaiting(place) { return place }
        }
        queue.removeAll(keepingCapacity: true)
        head = 0
        return nil
    }
}
