import RunRecords

/// The intervals of a run, neighbours joined until they are few enough to draw and to list.
///
/// How many are joined follows from their number alone, so that a record always gives the same page.
struct IntervalGroups {
    /// Neighbouring intervals as one.
    struct Group {
        var startNs: Int64
        var lengthNs: Int64
        var written: Int64
        /// Nil where one of them was not counted.
        var accepted: Int64?
        var rejected: Int64
        var resent: Int64
        var reconnects: Int64
        var senderCPUNs: Int64
        /// Nil where one of them was not counted.
        var simulatorCPUNs: Int64?
        /// The highest of their medians, since quantiles cannot be added.
        var residenceP50Ns: Int64?
        /// The highest.
        var residenceP99Ns: Int64?
        /// The highest.
        var residenceMaxNs: Int64?
    }

    let groups: [Group]
    /// How many intervals a group has at most; 1 where none were joined.
    let size: Int

    init(_ intervals: [IntervalRecord], limit: Int) {
        let size = max(1, (intervals.count + limit - 1) / limit)
        self.size = size
        groups = stride(from: 0, to: intervals.count, by: size).map { start in
            var group = Group(intervals[start])
            for interval in intervals[(start + 1)..<min(start + size, intervals.count)] { group.add(Group(interval)) }
            return group
        }
    }

    /// The same for drawings: a last interval that is much shorter than the one before is a part of that, since its rate would be that
    /// of a moment.
    var withoutShortEnd: [Group] {
        guard groups.count > 1, let last = groups.last, last.lengthNs < groups[groups.count - 2].lengthNs / 2 else {
            return groups
        }
        var joined = Array(groups.dropLast())
        joined[joined.count - 1].add(last)
        return joined
    }

    /// What a reader should know about joined ones; empty without any.
    var remark: String {
        size == 1
            ? ""
            : "Each \(FigureText.count(Int64(size))) intervals are shown as one: counts are added, latencies are the highest of them."
    }
}

extension IntervalGroups.Group {
    /// Seconds from the run's start to its start and end.
    var seconds: (start: Double, end: Double) {
        (Double(startNs) / 1e9, (Double(startNs) + Double(lengthNs)) / 1e9)
    }

    /// A count as a rate; nil of an interval without length.
    func perSecond(_ count: Int64?) -> Double? {
        guard let count, lengthNs > 0 else { return nil }
        return Double(count) * 1e9 / Double(lengthNs)
    }

    /// What happened in one interval.
    fileprivate init(_ interval: IntervalRecord) {
        startNs = interval.startNs
        lengthNs = interval.lengthNs
        written = interval.written
        accepted = interval.accepted
        rejected = interval.rejected
        resent = interval.resent
        reconnects = interval.reconnects
        senderCPUNs = interval.senderCPUNs
        simulatorCPUNs = interval.simulatorCPUNs
        residenceP50Ns = interval.residenceP50Ns
        residenceP99Ns = interval.residenceP99Ns
        residenceMaxNs = interval.residenceMaxNs
    }

    /// Adds what happened next.
    fileprivate mutating func add(_ next: Self) {
        lengthNs = sum(lengthNs, next.lengthNs)
        written = sum(written, next.written)
        accepted = sum(accepted, next.accepted)
        rejected = sum(rejected, next.rejected)
        resent = sum(resent, next.resent)
        reconnects = sum(reconnects, next.reconnects)
        senderCPUNs = sum(senderCPUNs, next.senderCPUNs)
        simulatorCPUNs = sum(simulatorCPUNs, next.simulatorCPUNs)
        residenceP50Ns = [residenceP50Ns, next.residenceP50Ns].compactMap { $0 }.max()
        residenceP99Ns = [residenceP99Ns, next.residenceP99Ns].compactMap { $0 }.max()
        residenceMaxNs = [residenceMaxNs, next.residenceMaxNs].compactMap { $0 }.max()
    }
}

/// A sum that stays at the largest number, whatever a file says.
private func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (left < 0 ? .min : .max) : sum
}

private func sum(_ left: Int64?, _ right: Int64?) -> Int64? {
    guard let left, let right else { return nil }
    return sum(left, right)
}
