/// Consecutive notifications of a run, by their sequence numbers.
public struct SequenceRun: Hashable, Sendable {
    /// The first notification's number, counted from 0.
    public var start: UInt64
    /// How many notifications there are.
    public var count: UInt64
    /// How often they were already written again without proof that the first time failed.
    public var unprovenResends: UInt32

    /// Makes a run of `count` notifications from `start` on.
    public init(start: UInt64, count: UInt64, unprovenResends: UInt32 = 0) {
        self.start = start
        self.count = count
        self.unprovenResends = unprovenResends
    }

    /// The number behind the last notification.
    public var end: UInt64 { start + count }

    /// Whether `next` begins where this run ends and was written as often.
    func isContinued(by next: SequenceRun) -> Bool { end == next.start && unprovenResends == next.unprovenResends }

    /// Takes up to `limit` notifications off the front.
    mutating func takeFirst(_ limit: UInt64) -> SequenceRun {
        let taken = SequenceRun(start: start, count: min(limit, count), unprovenResends: unprovenResends)
        start += taken.count
        count -= taken.count
        return taken
    }
}

/// Sequence runs in the order in which they were added; neighbours that continue each other are kept as one.
public struct SequenceRuns: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The runs, none empty.
    public private(set) var runs: [SequenceRun] = []
    /// How many notifications there are in all.
    public private(set) var count: UInt64 = 0

    /// Makes an empty list.
    public init() {}

    /// Makes a list of the given runs.
    public init(arrayLiteral elements: SequenceRun...) { for run in elements { append(run) } }

    /// Adds a run at the end.
    public mutating func append(_ run: SequenceRun) {
        guard run.count > 0 else { return }
        count += run.count
        if let last = runs.indices.last, runs[last].isContinued(by: run) {
            runs[last].count += run.count
        } else {
            runs.append(run)
        }
    }

    /// Adds all runs of another list at the end.
    public mutating func append(contentsOf other: SequenceRuns) { for run in other.runs { append(run) } }

    /// Removes all runs and keeps the memory.
    public mutating func removeAll() {
        runs.removeAll(keepingCapacity: true)
        count = 0
    }

    /// The position, counted from 0, at which `sequence` stands; looks from the end, where errors mostly point.
    public func position(of sequence: UInt64) -> UInt64? {
        var end = count
        for run in runs.reversed() {
            end -= run.count
            if sequence >= run.start && sequence < run.end { return end + (sequence - run.start) }
        }
        return nil
    }

    /// Calls `body` for the runs of the last `wanted` notifications, the first one cut if need be, in order.
    func forEachOfLast(_ wanted: UInt64, _ body: (SequenceRun) -> Void) {
        var index = runs.count
        var missing = wanted
        while missing > 0, index > 0 {  // bounded: by the runs
            index -= 1
            let run = runs[index]
            let taken = min(run.count, missing)
            missing -= taken
            guard missing == 0 else { continue }
            body(SequenceRun(start: run.end - taken, count: taken, unprovenResends: run.unprovenResends))
            for run in runs[(index + 1)...] { body(run) }
        }
    }

    /// The notifications at the positions in `range`.
    public subscript(range: Range<UInt64>) -> SequenceRuns {
        var selection = SequenceRuns()
        var position: UInt64 = 0
        for run in runs {
            let lower = max(range.lowerBound, position)
            let upper = min(range.upperBound, position + run.count)
            if lower < upper {
                let start = run.start + (lower - position)
                selection.append(
                    SequenceRun(start: start, count: upper - lower, unprovenResends: run.unprovenResends))
            }
            position += run.count
        }
        return selection
    }
}
