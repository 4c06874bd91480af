import Primitives

/// When the last batches of a connection were written, for the latency of an error reply that names one of them.
///
/// Bounded: with more than ``capacity`` batches in flight the oldest are forgotten, and their latency is unmeasured.
struct BatchTimes {
    /// How many batches are remembered.
    static let capacity = 8_192

    private struct Entry {
        var endPosition: UInt64
        var writtenAt: Instant
    }

    private var entries: [Entry] = []
    private var addedCount = 0

    /// Remembers a batch that ends before `endPosition`, whose write begins at `now`.
    mutating func add(endPosition: UInt64, at now: Instant) {
        let entry = Entry(endPosition: endPosition, writtenAt: now)
        if entries.count < Self.capacity {
            entries.append(entry)
        } else {
            entries[addedCount % Self.capacity] = entry
        }
        addedCount += 1
    }

    /// Corrects the time of the newest batch to the moment at which the kernel was first asked to take it.
    mutating func setLast(_ now: Instant) {
        guard addedCount > 0 else { return }
        entries[(addedCount - 1) % Self.capacity].writtenAt = now
    }

    /// When the batch that holds `position` was written; nil when that is forgotten.
    func time(of position: UInt64) -> Instant? {
        var low = addedCount - entries.count
        var high = addedCount
        let oldest = low
        while low < high {
            let middle = (low + high) / 2
            if entries[middle % Self.capacity].endPosition <= position { low = middle + 1 } else { high = middle }
        }
        // What lies before the oldest remembered batch cannot be told from the oldest batch itself.
        guard low < addedCount, low > oldest || oldest == 0 else { return nil }
        return entries[low % Self.capacity].writtenAt
    }

    /// Forgets everything and keeps the memory.
    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        addedCount = 0
    }
}
