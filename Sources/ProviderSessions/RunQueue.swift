/// The notifications that a session still has to write: those to write again first, then those claimed from the supply.
struct RunQueue {
    private var runs: [SequenceRun] = []
    private var head = 0
    /// How many of the notifications at the front were written before.
    private(set) var resendCount: UInt64 = 0

    var isEmpty: Bool { head == runs.count }
    var first: SequenceRun? { isEmpty ? nil : runs[head] }
    /// What is left, in order.
    var remaining: ArraySlice<SequenceRun> { runs[head...] }

    /// Adds freshly claimed notifications at the end.
    mutating func append(_ run: SequenceRun) {
        if isEmpty { removeAll() }
        runs.append(run)
    }

    /// Puts notifications that were written before to the front.
    mutating func prepend(_ resends: SequenceRuns) {
        runs.replaceSubrange(0..<head, with: resends.runs)
        head = 0
        resendCount += resends.count
    }

    /// Takes `count` notifications off the front run and returns how many of them are written again.
    mutating func dropFirst(_ count: UInt64) -> UInt64 {
        runs[head].start += count
        runs[head].count -= count
        if runs[head].count == 0 { head += 1 }
        let resent = min(count, resendCount)
        resendCount -= resent
        return resent
    }

    mutating func removeAll() {
        runs.removeAll(keepingCapacity: true)
        head = 0
        resendCount = 0
    }
}
