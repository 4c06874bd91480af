extension [IntervalRecord] {
    /// Has the intervals add up to totals that are known at the end only: the last one takes what was counted after the last look.
    ///
    /// A total that is less, because the end of a run tells otherwise of what was counted, is taken off from the last one backwards.
    ///
    /// - Parameters:
    ///   - accepted: notifications taken; nil leaves the intervals as they are.
    ///   - rejected: notifications refused.
    public mutating func complete(accepted: Int64?, rejected: Int64) {
        guard !isEmpty else { return }
        let refusals = Self.completed(map(\.rejected), to: rejected)
        for (index, count) in refusals.enumerated() { self[index].rejected = count }
        guard let accepted else { return }
        let acceptances = Self.completed(map { $0.accepted ?? 0 }, to: accepted)
        for (index, count) in acceptances.enumerated() { self[index].accepted = count }
    }

    private static func completed(_ counts: [Int64], to total: Int64) -> [Int64] {
        var counts = counts
        var missing = total - counts.reduce(0, +)
        for index in counts.indices.reversed() where missing != 0 {
            let change = Swift.max(missing, -counts[index])
            counts[index] += change
            missing -= change
        }
        return counts
    }
}
