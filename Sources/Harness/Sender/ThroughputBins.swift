import Primitives

/// Notifications written for the first time, and the marks of reconnects, over time: a fixed number of bins whatever the run's length.
///
/// Bins begin about a millisecond wide; when a run outgrows them, they become twice as wide and half as many. Only first
/// writes count, so what is written again is lost throughput like the time in which nothing is written.
struct ThroughputBins: Sendable {
    /// One stretch of time.
    struct Bin: Hashable, Sendable {
        /// Notifications written for the first time.
        var fresh: UInt32 = 0
        /// Replacements of connections that began here.
        var began: UInt16 = 0
        /// Whether any connection was being replaced, or resent what its predecessor had in flight.
        var isTouched = false
    }

    /// The most bins.
    static let capacity = 8_192
    private static let firstShift = 20

    /// What came before counts for nothing.
    var origin: Instant
    /// Two to this power is the width of a bin in nanoseconds.
    private(set) var shift = firstShift
    private(set) var bins: [Bin] = []

    /// Makes an empty series; what is measured goes to memory that is asked for now.
    init(origin: Instant) {
        self.origin = origin
        if origin < .distantFuture { bins.reserveCapacity(Self.capacity) }
    }

    /// How long a bin is.
    var width: Interval { Interval(nanoseconds: 1 << Int64(shift)) }

    /// Adds a batch; one that holds something written before marks its bin.
    mutating func add(notifications: UInt64, resent: UInt64, at instant: Instant) {
        guard let index = makeIndex(of: instant) else { return }
        bins[index].fresh &+= UInt32(truncatingIfNeeded: notifications - min(resent, notifications))
        if resent > 0 { bins[index].isTouched = true }
    }

    /// Marks the time in which a connection was being replaced.
    mutating func markReplacement(from start: Instant, to end: Instant) {
        guard end >= start, let last = makeIndex(of: end) else { return }
        let first = makeIndex(of: max(start, origin)) ?? last
        // The later index decides about the width, so the earlier one is asked for afterwards.
        for index in first...max(first, min(last, bins.count - 1)) { bins[index].isTouched = true }
        bins[first].began = bins[first].began == .max ? .max : bins[first].began + 1
    }

    /// The bin of an instant that lies in the series; nil otherwise.
    func index(of instant: Instant) -> Int? {
        guard instant >= origin else { return nil }
        let index = Int((instant - origin).nanoseconds >> Int64(shift))
        return index < bins.count ? index : nil
    }

    /// Adds another loop's series, bin by bin; both must have the same origin.
    mutating func add(_ other: ThroughputBins) {
        guard !other.bins.isEmpty else { return }
        guard !bins.isEmpty else { return self = other }
        precondition(origin == other.origin, "the series of one run have one origin")
        var other = other
        while shift < other.shift { widen() }  // bounded: by the other's width
        while other.shift < shift { other.widen() }  // bounded: by this one's width
        if bins.count < other.bins.count {
            bins += Array(repeating: Bin(), count: other.bins.count - bins.count)
        }
        for (index, bin) in other.bins.enumerated() { bins[index].add(bin) }
    }

    /// Makes bins twice as wide.
    mutating func widen() {
        for index in 0..<(bins.count + 1) / 2 {
            var sum = bins[2 * index]
            if 2 * index + 1 < bins.count { sum.add(bins[2 * index + 1]) }
            bins[index] = sum
        }
        bins.removeLast(bins.count / 2)
        shift += 1
    }

    private mutating func makeIndex(of instant: Instant) -> Int? {
        guard instant >= origin else { return nil }
        let distance = (instant - origin).nanoseconds
        while distance >> Int64(shift) >= Int64(Self.capacity) { widen() }  // bounded: an Int64 has 63 bits
        let index = Int(distance >> Int64(shift))
        while bins.count <= index { bins.append(Bin()) }  // bounded: by the capacity
        return index
    }
}

extension ThroughputBins.Bin {
    fileprivate mutating func add(_ other: ThroughputBins.Bin) {
        fresh &+= other.fresh
        began = UInt16(clamping: Int(began) + Int(other.began))
        isTouched = isTouched || other.isTouched
    }
}
