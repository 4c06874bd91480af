import Primitives
import Statistics
import Testing

@Suite struct MannWhitneyTests {
    static let json: (base: [Double], candidate: [Double]) = (
        [1718, 1723, 1707, 1729, 1736, 1705, 1774, 1713, 1707, 1726],
        [1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425]
    )
    static let gob: (base: [Double], candidate: [Double]) = (
        [3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062],
        [3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062]
    )

    @Test func `samples that do not overlap have the smallest probability of their size`() {
        let test = MannWhitney(Self.json.base, Self.json.candidate)
        #expect(test.u1 == 100 && test.u2 == 0 && test.superiority == 1)
        #expect(test.method == .exact)
        #expect(abs(test.p - 1.0825e-5) < 5e-10)
        #expect(test.p == MannWhitney.smallestP(10, 10))
    }

    @Test func `ties share their ranks in the exact probability`() {
        let test = MannWhitney(Self.gob.base, Self.gob.candidate)
        #expect(test.u1 == 39.5 && test.u2 == 60.5)
        #expect(abs(test.p - 0.4461) < 5e-5)
    }

    @Test func `many values take the normal approximation with corrections`() {
        // Each value of the vector six times; the expected probability was computed apart from this code.
        let (base, candidate) = Self.gob
        let many = MannWhitney(
            Array(repeating: base, count: 6).flatMap { $0 }, Array(repeating: candidate, count: 6).flatMap { $0 })
        #expect(many.method == .normal)
        #expect(many.u1 == 39.5 * 36)
        #expect(abs(many.p - 0.046783) < 5e-7, "\(many.p)")
    }

    @Test(arguments: [
        (3, 0.1), (4, 0.0286), (5, 0.0079), (6, 0.00216), (7, 0.00058), (8, 0.000155), (9, 4.1e-5),
    ])
    func `few runs cannot be significant`(_ count: Int, _ p: Double) {
        let smallest = MannWhitney.smallestP(count, count)
        #expect(abs(smallest - p) < 0.02 * p)
        let low = (0..<count).map(Double.init)
        #expect(MannWhitney(low, low.map { $0 + 1_000 }).p == smallest)
    }

    @Test func `equal values and empty samples show nothing`() {
        #expect(MannWhitney([5, 5, 5, 5], [5, 5, 5, 5]).p == 1)
        #expect(MannWhitney([], [1, 2]).p == 1 && MannWhitney([1, 2], []).p == 1 && MannWhitney([], []).p == 1)
        #expect(MannWhitney.smallestP(0, 4) == 1)
    }

    @Test(arguments: 0..<60)
    func `the exact probability is that of trying all assignments`(_ round: Int) {
        var random = SeededRandom(seed: UInt64(round))
        let counts = (1 + Int(random.below(5)), 1 + Int(random.below(6)))
        // Few different values, so that ties are the rule.
        let range = 2 + random.below(8)
        let first = (0..<counts.0).map { _ in Double(random.below(range)) }
        let second = (0..<counts.1).map { _ in Double(random.below(range)) }
        let p = MannWhitney(first, second).p
        let expected = bruteForce(first, second)
        #expect(abs(p - expected) < 1e-12, "seed \(round): \(first) \(second): \(p), expected \(expected)")
    }

    @Test(arguments: 0..<40)
    func `the order of samples and values and any rising scale change nothing`(_ round: Int) {
        var random = SeededRandom(seed: 1_000 + UInt64(round))
        let first = (0..<(1 + Int(random.below(20)))).map { _ in Double(random.below(30)) }
        let second = (0..<(1 + Int(random.below(20)))).map { _ in Double(random.below(30)) }
        let test = MannWhitney(first, second)
        let swapped = MannWhitney(second, first)
        #expect(abs(test.p - swapped.p) < 1e-12 && test.u1 == swapped.u2, "seed \(1_000 + round)")
        #expect(test == MannWhitney(first.shuffled(using: &random), second.shuffled(using: &random)))
        #expect(test == MannWhitney(first.map { $0 * $0 * 3 + 7 }, second.map { $0 * $0 * 3 + 7 }))
        #expect((0...1).contains(test.p) && test.u1 + test.u2 == Double(first.count * second.count))
    }

    @Test func `exact and normal agree where one follows the other`() {
        var random = SeededRandom(seed: 7)
        let first = (0..<50).map { _ in random.unit() }
        let second = (0..<50).map { _ in random.unit() + 0.1 }
        let exact = MannWhitney(first, second)
        // One more value in the middle of both.
        let normal = MannWhitney(first + [0.55], second + [0.55])
        #expect(exact.method == .exact && normal.method == .normal)
        #expect(abs(exact.p - normal.p) < 0.02, "seed 7: \(exact.p) \(normal.p)")
    }

    /// Counts all assignments of the pooled values, by the sum of ranks that ties share.
    private func bruteForce(_ first: [Double], _ second: [Double]) -> Double {
        let pooled = first + second
        let ranks = pooled.map { value in
            Double(pooled.count { $0 < value }) + Double(pooled.count { $0 == value } + 1) / 2
        }
        let observed = ranks[..<first.count].reduce(0, +)
        var (below, above, total) = (0, 0, 0)
        for mask in 0..<(1 << pooled.count) where mask.nonzeroBitCount == first.count {
            let sum = ranks.indices.filter { mask >> $0 & 1 == 1 }.reduce(0) { $0 + ranks[$1] }
            total += 1
            if sum <= observed { below += 1 }
            if sum >= observed { above += 1 }
        }
        return min(1, 2 * Double(min(below, above)) / Double(total))
    }
}
