/// Holm's correction for many tests at once.
public enum Holm {
    /// Probabilities that can each be held against the error rate of the whole family: the *i*-th smallest of *m* times *m − i + 1*,
    /// never below one before it, and 1 at most.
    ///
    /// - Parameter probabilities: those of the family, in any order.
    /// - Returns: the corrected ones in the same order.
    public static func adjusted(_ probabilities: [Double]) -> [Double] {
        var adjusted = probabilities
        var largest = 0.0
        let order = probabilities.indices.sorted { probabilities[$0] < probabilities[$1] }
        for (rank, index) in order.enumerated() {
            largest = max(largest, min(1, Double(probabilities.count - rank) * probabilities[index]))
            adjusted[index] = largest
        }
        return adjusted
    }
}
