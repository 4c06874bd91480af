import Primitives

/// What a connection slot keeps while sessions of it follow one another: what is to be sent, and what was counted.
final class RequestSlot {
    /// What changes with every request; behind a pointer, so that no run-time exclusivity check stands on each one's way.
    struct Work {
        var resends = ResendQueue()
        /// What was claimed of the supply and not written yet.
        var claimed = SequenceRun(start: 0, count: 0)
        /// Whether a request came to nothing since the last answer, on whichever connection.
        var isFruitless = false
    }

    let work: UnsafeMutablePointer<Work>
    var random: SeededRandom
    var reconnectClock: ReconnectClock
    /// Sessions that have a successor and wait for their last answers.
    var drainingCount = 0
    /// What sessions had in flight that have ended since they had a successor.
    var earlierFlight = FlightClock()
    var connectionCount = 0
    var writtenBytes: UInt64 = 0
    var writtenCount: UInt64 = 0
    var resentCount: UInt64 = 0
    var acceptedCount: UInt64 = 0
    var errorReplyCount = 0

    init(_ slot: Int, seed: UInt64) {
        random = SeededRandom(seed: mix64(seed) ^ UInt64(slot))
        reconnectClock = ReconnectClock(slot: slot)
        work = .allocate(capacity: 1)
        work.initialize(to: Work())
    }

    deinit {
        work.deinitialize(count: 1)
        work.deallocate()
    }
}
