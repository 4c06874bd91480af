public import Primitives

/// When each operation of an open loop is meant to begin: the time of operation k is a pure function of the seed and k.
///
/// Three choices make a schedule. The *rate curve* says how many operations there are until when; the *spacing* how they lie among
/// each other; the *shard* which of them are one generator's. Or a timing file lists all times.
/// Times never fall from one operation to the next, and all arithmetic that can add up is exact, so that the number of operations until
/// an instant and the instant of an operation agree however long a run is.
public struct ArrivalSchedule: Hashable, Sendable {
    /// How operations lie among each other, on average as many as the rate curve says.
    public enum Spacing: Hashable, Sendable {
        /// As evenly as the curve lets them.
        case even
        /// So many at the same time, and then a pause.
        case bursts(UInt64)
        /// At random and independently of each other, by the seed: a Poisson process.
        case poisson(seed: UInt64)
    }

    private enum Source: Hashable, Sendable {
        case curve(RateCurve, Spacing)
        case replay(ArrivalTimes)
    }

    private let source: Source
    private let shard: ArrivalShard

    /// Makes a schedule along a rate curve.
    public init(_ curve: RateCurve, spacing: Spacing = .even, shard: ArrivalShard = .whole) {
        if case .bursts(let size) = spacing { precondition(size > 0, "a burst holds at least one operation") }
        source = .curve(curve, spacing)
        self.shard = shard
    }

    /// Makes a schedule of listed times.
    public init(_ times: ArrivalTimes, shard: ArrivalShard = .whole) {
        source = .replay(times)
        self.shard = shard
    }

    /// One operation every 1 / `rate` seconds, for ever.
    public static func constant(_ rate: Rate) -> ArrivalSchedule { ArrivalSchedule(RateCurve(rate)) }

    /// How many operations the schedule has; nil when it never ends.
    public var limit: UInt64? {
        switch source {
        case .replay(let times): return shard.count(of: UInt64(times.count))
        case .curve(let curve, let spacing):
            guard let end = curve.endPosition else { return nil }
            return shard.count(of: wholeCount(until: end, spacing))
        }
    }

    /// How many operations of all shards begin before the curve's end.
    private func wholeCount(until end: ArrivalPosition, _ spacing: Spacing) -> UInt64 {
        guard case .even = spacing else {
            var cursor = ArrivalCursor()
            return firstIndex { Self.position(of: $0, spacing, &cursor) >= end }
        }
        return end.whole + (end.fraction > 0 ? 1 : 0)
    }

    /// When operation `index` is meant to begin, from the start of the schedule; ``Interval/never`` behind its end.
    ///
    /// A cursor that is kept between calls makes calls for neighbours cheap; what they return does not depend on it.
    public func time(of index: UInt64, _ cursor: inout ArrivalCursor) -> Interval {
        guard let index = shard.globalIndex(of: index) else { return .never }
        switch source {
        case .replay(let times): return times.time(of: index)
        case .curve(let curve, let spacing): return curve.time(of: Self.position(of: index, spacing, &cursor))
        }
    }

    /// When operation `index` is meant to begin, from the start of the schedule.
    public func time(of index: UInt64) -> Interval {
        var cursor = ArrivalCursor()
        return time(of: index, &cursor)
    }

    /// For how long the first `count` operations take their turn at the schedule's rate, which a burst begins in advance: a burst's share of
    /// the time follows it. ``Interval/never`` where the schedule ends with them.
    public func length(of count: UInt64) -> Interval {
        guard let index = shard.globalIndex(of: count) else { return .never }
        switch source {
        case .curve(let curve, .bursts): return curve.time(of: ArrivalPosition(whole: index))
        default: return time(of: count)
        }
    }

    /// How many operations are meant to begin until `time`, that instant included.
    public func count(until time: Interval) -> UInt64 {
        guard time >= .zero else { return 0 }
        var cursor = ArrivalCursor()
        return firstIndex { self.time(of: $0, &cursor) > time }
    }

    /// How many of the operations from `first` on, at most `most`, are meant to begin until `time`, that instant included.
    public func count(from first: UInt64, most: UInt64, until time: Interval, _ cursor: inout ArrivalCursor) -> UInt64 {
        guard most > 0, self.time(of: first, &cursor) <= time else { return 0 }
        if self.time(of: first + (most - 1), &cursor) <= time { return most }
        var (low, high) = (UInt64(1), most - 1)
        while low < high {
            let middle = low + (high - low) / 2
            if self.time(of: first + middle, &cursor) <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func position(
        of index: UInt64, _ spacing: Spacing, _ cursor: inout ArrivalCursor
    ) -> ArrivalPosition {
        switch spacing {
        case .even: ArrivalPosition(whole: index)
        case .bursts(let size): ArrivalPosition(whole: index / size * size)
        case .poisson(let seed): cursor.poissonPosition(of: index, seed: seed)
        }
    }

    /// The first index for which `isBehind` holds; it holds for all later ones, too. Looks for its block first.
    private func firstIndex(_ isBehind: (UInt64) -> Bool) -> UInt64 {
        let length = PoissonTree.blockCount
        var highBlock: UInt64 = 1
        while !isBehind(highBlock * length - 1) {  // bounded: doubles to the largest number
            guard highBlock < 1 << 48 else { return highBlock * length }
            highBlock *= 2
        }
        var lowBlock: UInt64 = 0
        while lowBlock + 1 < highBlock {
            let middle = (lowBlock + highBlock) / 2
            if isBehind(middle * length - 1) { highBlock = middle } else { lowBlock = middle }
        }
        var (low, high) = (lowBlock * length, highBlock * length)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Interval {
    /// Longer than anything that can be waited for.
    public static let never = Interval(nanoseconds: .max)
}

/// The part of a schedule that one of several generators carries out: shard i of n has the operations k with k mod n = i.
public struct ArrivalShard: Hashable, Sendable {
    /// Which shard this is, from 0.
    public let index: UInt64
    /// How many shards there are.
    public let count: UInt64

    /// The only shard of one.
    public static let whole = ArrivalShard(index: 0, count: 1)

    /// Makes a shard; `index` is below `count`.
    public init(index: UInt64, count: UInt64) {
        precondition(index < count, "shards count from 0")
        self.index = index
        self.count = count
    }

    /// The operation of the whole schedule that this shard's operation `own` is; nil beyond all numbers.
    func globalIndex(of own: UInt64) -> UInt64? {
        let (product, overflow) = own.multipliedReportingOverflow(by: count)
        let (sum, sumOverflow) = product.addingReportingOverflow(index)
        return overflow || sumOverflow ? nil : sum
    }

    /// How many of the first `total` operations are this shard's.
    func count(of total: UInt64) -> UInt64 { total > index ? (total - index - 1) / count + 1 : 0 }
}
