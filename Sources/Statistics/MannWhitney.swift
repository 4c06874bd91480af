import Glibc

/// The two-sided rank test of Mann and Whitney: whether two samples may come from one distribution.
///
/// Each value is the figure of one run: what happens within a run is correlated, and would prove anything. Up to 50 values a side the
/// probability is exact, ties included; beyond, the normal approximation with correction for ties and continuity.
public struct MannWhitney: Equatable, Sendable {
    /// How the probability was found.
    public enum Method: String, Sendable {
        /// By counting all assignments of the values to the two samples.
        case exact
        /// By the normal approximation.
        case normal
    }

    /// How often a value of the first sample exceeds one of the second, a tie counting half.
    public let u1: Double
    /// The same of the second sample.
    public let u2: Double
    /// The probability of ranks at least as uneven if nothing differs, 0 to 1; 1 if a sample is empty or all values are equal.
    public let p: Double
    /// How ``p`` was found.
    public let method: Method

    /// The most values in a sample for which all assignments are counted.
    public static let exactMax = 50

    /// Tests two samples of finite values.
    public init(_ first: [Double], _ second: [Double]) {
        let ranking = Ranking(first, second)
        let product = Double(first.count) * Double(second.count)
        u1 = Double(ranking.doubledRankSum) / 2 - Double(first.count) * Double(first.count + 1) / 2
        u2 = product - u1
        method = max(first.count, second.count) <= Self.exactMax ? .exact : .normal
        guard product > 0, ranking.ties.count > 1 else {
            p = 1
            return
        }
        p = method == .exact ? ranking.exactP : ranking.normalP(distance: max(u1, u2) - product / 2)
    }

    /// The probability that a value of the first sample exceeds one of the second; 0.5 when neither does more often.
    public var superiority: Double { u1 + u2 > 0 ? u1 / (u1 + u2) : 0.5 }

    /// The smallest probability that samples of these sizes can have, however far apart they are; 1 if one is empty.
    public static func smallestP(_ firstCount: Int, _ secondCount: Int) -> Double {
        guard firstCount > 0, secondCount > 0 else { return 1 }
        return min(1, 2 / binomial(firstCount + secondCount, firstCount))
    }
}

/// The values of two samples in one order.
private struct Ranking {
    /// Equal values: how many there are, and twice their common rank.
    var ties: [(count: Int, doubledRank: Int)] = []
    var firstCount: Int
    var count: Int
    /// Twice the sum of the ranks of the first sample.
    var doubledRankSum = 0

    init(_ first: [Double], _ second: [Double]) {
        firstCount = first.count
        count = first.count + second.count
        let pooled = (first.map { ($0, true) } + second.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var start = 0
        while start < pooled.count {
            let end = pooled[start...].firstIndex { $0.0 != pooled[start].0 } ?? pooled.count
            // Ranks start + 1 ... end, of which the middle is shared.
            let doubledRank = start + 1 + end
            ties.append((end - start, doubledRank))
            doubledRankSum += doubledRank * pooled[start..<end].count { $0.1 }
            start = end
        }
    }

    /// Twice the probability of the smaller tail, counted over all assignments of the values to the samples.
    var exactP: Double {
        let sums = waysByRankSum
        let total = sums.reduce(0, +)
        let below = sums[...doubledRankSum].reduce(0, +)
        let above = sums[doubledRankSum...].reduce(0, +)
        return min(1, 2 * min(below, above) / total)
    }

    /// In how many ways values can be drawn for the first sample, by twice the sum of their ranks.
    private var waysByRankSum: [Double] {
        let width = ties.reduce(1) { $0 + $1.count * $1.doubledRank }
        var ways = [Double](repeating: 0, count: (firstCount + 1) * width)
        ways[0] = 1
        var reach = 0
        for tie in ties {
            reach += tie.count * tie.doubledRank
            for drawn in stride(from: firstCount, through: 1, by: -1) {
                for added in 1...min(drawn, tie.count) {
                    let choices = binomial(tie.count, added)
                    let shift = added * tie.doubledRank
                    let (row, earlier) = (drawn * width, (drawn - added) * width)
                    guard shift <= reach else { continue }
                    for sum in shift...reach where ways[earlier + sum - shift] != 0 {
                        ways[row + sum] += ways[earlier + sum - shift] * choices
                    }
                }
            }
        }
        return Array(ways[(firstCount * width)...])
    }

    func normalP(distance: Double) -> Double {
        let n = Double(count)
        let product = Double(firstCount) * (n - Double(firstCount))
        let correction = ties.reduce(0.0) { sum, tie in
            let t = Double(tie.count)
            return sum + (t * t * t - t)
        }
        let variance = product / 12 * ((n + 1) - correction / (n * (n - 1)))
        let z = max(0, distance - 0.5) / variance.squareRoot()
        return min(1, erfc(z / 2.0.squareRoot()))
    }
}

/// How many subsets of a size a set has.
func binomial(_ count: Int, _ size: Int) -> Double {
    guard size > 0 else { return 1 }
    var result = 1.0
    for index in 1...size { result = result * Double(count - size + index) / Double(index) }
    return result.rounded()
}
