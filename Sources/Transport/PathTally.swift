internal import Primitives
internal import Synchronization

/// What the paths of one listener's links hold together, and how often a window was full; written by all its loops.
final class PathTally: Sendable {
    private let held = Atomic(0)
    private let stops = Atomic(0)
    private let stopTime = Atomic<Int64>(0)

    /// How many bytes of memory all paths hold.
    var heldBytes: Int { held.load(ordering: .relaxed) }
    /// How often a window was full.
    var stopCount: Int { stops.load(ordering: .relaxed) }
    /// For how long windows were full, added over all connections.
    var fullTime: Interval { Interval(nanoseconds: stopTime.load(ordering: .relaxed)) }

    func isFull(limit: Int) -> Bool { heldBytes >= limit }
    func hold(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
    func release(_ bytes: Int) { held.subtract(bytes, ordering: .relaxed) }

    func windowWasFull(for time: Interval) {
        stops.add(1, ordering: .relaxed)
        stopTime.add(time.nanoseconds, ordering: .relaxed)
    }
}
