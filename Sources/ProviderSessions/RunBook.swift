/// Notifications that share a fate, as runs of sequence numbers: a book that a long run with many errors keeps small.
///
/// Connections settle their runs by turns, so that neighbours are found only by sorting. New runs are collected as they come; when they are
/// many enough they are sorted into the packed part, in which a run takes about three bytes instead of 24.
public struct RunBook: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// How many notifications there are in all.
    public private(set) var count: UInt64 = 0

    /// The memory that the runs take, in bytes.
    var byteCount: Int { packed.byteCount + recent.capacity * MemoryLayout<SequenceRun>.stride }

    /// Sorted runs, each as the distance from the end of the one before it, its length and its resends.
    private var packed = PackedRuns()
    private var recent: [SequenceRun] = []
    private static let fewestCollected = 4_096

    /// Makes an empty book.
    public init() {}

    /// Makes a book of the given runs.
    public init(arrayLiteral elements: SequenceRun...) { for run in elements { append(run) } }

    /// All runs, sorted; none is empty, and none continues another with the same number of resends.
    public var runs: [SequenceRun] {
        var sorted: [SequenceRun] = []
        mergeRuns { sorted.append($0) }
        return sorted
    }

    /// Whether `sequence` is in the book; looks through all of it.
    public func contains(_ sequence: UInt64) -> Bool {
        var isFound = false
        mergeRuns { if $0.start <= sequence && sequence < $0.end { isFound = true } }
        return isFound
    }

    /// Adds a run that is not in the book yet.
    public mutating func append(_ run: SequenceRun) {
        guard run.count > 0 else { return }
        count += run.count
        if let last = recent.indices.last, recent[last].isContinued(by: run) {
            recent[last].count += run.count
        } else {
            // The more is packed, the longer it takes, and the rarer it is done.
            if recent.count >= max(Self.fewestCollected, packed.runCount / 8) { pack() }
            recent.append(run)
        }
    }

    /// Adds all runs of another book, none of which is in this one.
    public mutating func append(contentsOf other: RunBook) { other.mergeRuns { append($0) } }

    private mutating func pack() {
        var next = PackedRuns(capacity: packed.byteCount + 4 * recent.count)
        mergeRuns { next.append($0) }
        packed = next
        recent.removeAll(keepingCapacity: true)
    }

    /// Passes all runs to `body`, sorted and with neighbours joined.
    private func mergeRuns(_ body: (SequenceRun) -> Void) {
        let sorted = recent.sorted { $0.start < $1.start }
        var taken = 0
        var open: SequenceRun?
        func pass(_ run: SequenceRun) {
            guard let last = open else { return open = run }
            if last.isContinued(by: run) {
                open?.count += run.count
            } else {
                body(last)
                open = run
            }
        }
        packed.forEach { run in
            while taken < sorted.count, sorted[taken].start < run.start {
                pass(sorted[taken])
                taken += 1
            }
            pass(run)
        }
        for run in sorted[taken...] { pass(run) }
        if let open { body(open) }
    }
}

/// Sorted runs in few bytes: each number in groups of seven bits, the lowest first, with the top bit where more follow.
private struct PackedRuns: Hashable, Sendable {
    private(set) var runCount = 0
    private var bytes: [UInt8] = []
    private var end: UInt64 = 0

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    var byteCount: Int { bytes.count }

    /// Adds a run, which begins behind the last one unless the book is wrong; then it is kept as it is, for the balance to find.
    mutating func append(_ run: SequenceRun) {
        write(run.start &- end)
        // The lowest bit tells whether a number of resends follows.
        write(run.count << 1 | (run.unprovenResends > 0 ? 1 : 0))
        if run.unprovenResends > 0 { write(UInt64(run.unprovenResends)) }
        end = run.end
        runCount += 1
    }

    func forEach(_ body: (SequenceRun) -> Void) {
        var offset = 0
        var end: UInt64 = 0
        while offset < bytes.count {
            let start = end &+ read(at: &offset)
            let length = read(at: &offset)
            let resends = length & 1 == 1 ? UInt32(truncatingIfNeeded: read(at: &offset)) : 0
            body(SequenceRun(start: start, count: length >> 1, unprovenResends: resends))
            end = start &+ length >> 1
        }
    }

    private mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private func read(at offset: inout Int) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return number
    }
}
