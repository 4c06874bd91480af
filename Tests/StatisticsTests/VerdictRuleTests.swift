import Primitives
import Statistics
import Testing

@Suite struct VerdictRuleTests {
    private let rule = VerdictRule(alpha: 0.05, noise: 0.02, isNoiseKnown: true)

    @Test(arguments: [
        // Clear, and worse or better.
        (0.001, 0.08, 0.10, 0.12, Verdict.regressed), (0.001, -0.12, -0.10, -0.08, .improved),
        // Chance explains it.
        (0.06, 0.08, 0.10, 0.12, .noEvidence), (0.06, -0.12, -0.10, -0.08, .noEvidence),
        // The interval touches zero.
        (0.001, 0, 0.10, 0.12, .noEvidence), (0.001, -0.01, 0.03, 0.12, .noEvidence),
        // Less than noise, however certain.
        (0.001, 0.005, 0.019, 0.03, .noEvidence), (0.001, 0.005, 0.01, 0.019, .equivalent),
        // At the bounds.
        (0.05, 0.001, 0.02, 0.03, .regressed), (0.05, -0.03, -0.02, -0.001, .improved),
        (1, -0.019, 0, 0.019, .equivalent), (1, -0.02, 0, 0.019, .noEvidence), (1, -0.019, 0, 0.02, .noEvidence),
        // Nothing can be said.
        (1, -0.3, 0, 0.3, .noEvidence),
    ])
    func `a verdict follows from chance, interval and noise`(
        _ p: Double, _ low: Double, _ estimate: Double, _ high: Double, _ expected: Verdict
    ) {
        let evidence = ChangeEvidence(change: EstimateInterval(estimate: estimate, low: low, high: high), p: p)
        #expect(rule.verdict(evidence) == expected)
    }

    @Test func `noise that is too large calls nothing equivalent that chance does not explain`() {
        let noisy = VerdictRule(alpha: 0.05, noise: 1, isNoiseKnown: true, noiseMost: 0.2)
        func verdict(_ low: Double, _ high: Double, p: Double) -> Verdict {
            noisy.verdict(
                ChangeEvidence(change: EstimateInterval(estimate: (low + high) / 2, low: low, high: high), p: p))
        }
        #expect(verdict(0.5, 0.7, p: 0.001) == .inconclusive && verdict(-0.7, -0.5, p: 0.001) == .inconclusive)
        #expect(verdict(0.1, 0.15, p: 0.001) == .inconclusive && verdict(-0.15, -0.1, p: 0.001) == .inconclusive)
        #expect(verdict(1.1, 1.3, p: 0.001) == .regressed && verdict(-1.3, -1.1, p: 0.001) == .improved)
        #expect(verdict(-0.1, 0.1, p: 1) == .equivalent && verdict(-0.3, 0.1, p: 1) == .noEvidence)
    }

    @Test func `what was never measured is not equivalent`() {
        let unknown = VerdictRule(alpha: 0.05, noise: 0.05, isNoiseKnown: false)
        let same = ChangeEvidence(change: EstimateInterval(estimate: 0, low: -0.001, high: 0.001), p: 1)
        #expect(unknown.verdict(same) == .noEvidence && rule.verdict(same) == .equivalent)
        let worse = ChangeEvidence(change: EstimateInterval(estimate: 0.2, low: 0.1, high: 0.3), p: 0.001)
        #expect(unknown.verdict(worse) == .regressed)
    }

    @Test func `the smallest change that could have been seen is half of the interval`() {
        let evidence = ChangeEvidence(change: EstimateInterval(estimate: 0, low: -0.05, high: 0.09), p: 1)
        #expect(abs(evidence.detectable - 0.07) < 1e-12)
    }

    @Test(arguments: [(1, 4), (2, 5), (6, 5), (7, 6), (20, 6)])
    func `more figures need more runs`(_ family: Int, _ runs: Int) {
        #expect(rule.runsNeeded(family: family) == runs)
        #expect(rule.canDecide(runs, runs, family: family) && !rule.canDecide(runs - 1, runs - 1, family: family))
    }

    @Test func `two runs show no scatter`() {
        #expect(!rule.canDecide(2, 1_000, family: 1) && rule.canDecide(3, 1_000, family: 1))
    }

    @Test func `probabilities of a family are corrected by their ranks`() {
        #expect(Holm.adjusted([]) == [] && Holm.adjusted([0.3]) == [0.3])
        let adjusted = Holm.adjusted([0.04, 0.01, 0.03, 0.005])
        for (found, expected) in zip(adjusted, [0.06, 0.03, 0.06, 0.02]) { #expect(abs(found - expected) < 1e-12) }
        #expect(Holm.adjusted([0.9, 0.8]) == [1, 1])
    }

    @Test(arguments: 0..<30)
    func `a corrected probability is never smaller, keeps the order, and rejects as Holm does`(_ round: Int) {
        var random = SeededRandom(seed: UInt64(round))
        let raw = (0..<(1 + Int(random.below(8)))).map { _ in random.unit() * random.unit() * random.unit() }
        let adjusted = Holm.adjusted(raw)
        var rejected: Set<Int> = []
        for (rank, index) in raw.indices.sorted(by: { raw[$0] < raw[$1] }).enumerated() {
            guard raw[index] <= 0.05 / Double(raw.count - rank) else { break }
            rejected.insert(index)
        }
        for index in raw.indices {
            #expect(adjusted[index] >= raw[index] && adjusted[index] <= 1, "seed \(round)")
            #expect((adjusted[index] <= 0.05) == rejected.contains(index), "seed \(round): \(raw)")
        }
    }
}

@Suite struct NoiseFloorTests {
    @Test func `a quiet machine has the least threshold`() {
        let floor = NoiseFloor(pairRatios: [Double](repeating: 1.001, count: 20))
        #expect(floor.threshold(pairs: 10) == NoiseFloor.least && floor.thresholdApart == NoiseFloor.least)
    }

    @Test func `scatter raises it, and more pairs lower it again`() throws {
        var random = SeededRandom(seed: 5)
        let floor = NoiseFloor(pairRatios: (0..<20).map { _ in 0.9 + 0.2 * random.unit() })
        let few = try #require(floor.threshold(pairs: 4))
        let many = try #require(floor.threshold(pairs: 40))
        let apart = try #require(floor.thresholdApart)
        #expect(many < few && few <= apart && apart <= 1 / 0.9 - 1, "seed 5: \(many) \(few) \(apart)")
    }

    @Test func `a ratio and its inverse are noise of one size`() throws {
        let rises = NoiseFloor(pairRatios: [Double](repeating: 1.25, count: 8))
        let falls = NoiseFloor(pairRatios: [Double](repeating: 0.8, count: 8))
        for floor in [rises, falls] {
            #expect(abs(try #require(floor.threshold(pairs: 10)) - 0.25) < 1e-9)
            #expect(abs(try #require(floor.thresholdApart) - 0.25) < 1e-9)
        }
    }

    @Test func `without ratios there is none`() {
        let floor = NoiseFloor(pairRatios: [0, -1, .infinity, .nan])
        #expect(floor.threshold(pairs: 10) == nil && floor.thresholdApart == nil)
        #expect(NoiseFloor(pairRatios: [1]).threshold(pairs: 0) == nil)
    }
}
