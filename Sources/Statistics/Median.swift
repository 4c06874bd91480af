/// The median of finite values, of an even number the mean of the middle two; nil of none.
public func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    // Halves first: the sum of two large values may have no finite value.
    return sorted.count % 2 == 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2
}

/// The value that a share of sorted values, 0 to 1, does not exceed; nil of none.
public func quantile(_ share: Double, ofSorted values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let rank = (share * Double(values.count)).rounded(.up)
    return values[min(max(Int(rank) - 1, 0), values.count - 1)]
}
