/// The typical difference between two samples by Hodges and Lehmann: the median over all pairs of a value of each.
public enum HodgesLehmann {
    /// The median of all differences `candidate − base`; nil if a sample is empty.
    public static func shift(base: [Double], candidate: [Double]) -> Double? {
        median(candidate.flatMap { value in base.map { value - $0 } })
    }

    /// The median of all ratios `candidate ÷ base`, of an even number the geometric mean of the middle two: the shift of the
    /// logarithms. Nil if a sample is empty or has values that are not positive.
    public static func ratio(base: [Double], candidate: [Double]) -> Double? {
        guard !base.isEmpty, !candidate.isEmpty, (base + candidate).allSatisfy({ $0 > 0 }) else { return nil }
        let ratios = candidate.flatMap { value in base.map { value / $0 } }.sorted()
        let middle = ratios.count / 2
        return ratios.count % 2 == 1
            ? ratios[middle] : ratios[middle - 1].squareRoot() * ratios[middle].squareRoot()
    }
}
