/// Runs of one sign in a row of residuals (Wald and Wolfowitz's test, exact): few of them mean that the residuals are no chance.
struct SignRuns {
    /// The stretches of one sign.
    let runs: Int
    private let positives: Int
    private let negatives: Int

    init(_ residuals: [Double]) {
        let signs = residuals.filter { $0 != 0 }.map { $0 > 0 }
        positives = signs.count { $0 }
        negatives = signs.count - positives
        runs = signs.isEmpty ? 0 : 1 + zip(signs, signs.dropFirst()).count { $0 != $1 }
    }

    /// Whether so few would come by chance once in a hundred times at most.
    var areTooFew: Bool { probability <= 0.01 }

    /// The probability of as few runs, or fewer, of signs in random order.
    var probability: Double {
        guard positives > 0, negatives > 0 else { return runs == 0 ? 1 : 2 * exp2(-positives - negatives) }
        let ways = (2...runs).reduce(0.0) { sum, count in
            let half = count / 2
            return sum
                + (count % 2 == 0
                    ? 2 * choose(positives - 1, half - 1) * choose(negatives - 1, half - 1)
                    : choose(positives - 1, half) * choose(negatives - 1, half - 1)
                        + choose(positives - 1, half - 1) * choose(negatives - 1, half))
        }
        return min(1, ways / choose(positives + negatives, positives))
    }

    private func exp2(_ power: Int) -> Double { (0..<abs(power)).reduce(1) { value, _ in value / 2 } }

    private func choose(_ count: Int, _ taken: Int) -> Double {
        guard taken >= 0, taken <= count else { return 0 }
        return (0..<taken).reduce(1.0) { $0 * Double(count - $1) / Double($1 + 1) }
    }
}
