import Primitives
import Testing

@Suite struct SeededRandomTests {
    @Test func `the sequence is that of the published SplitMix64`() {
        // First outputs for seed 1234567 as in Vigna's reference implementation.
        var random = SeededRandom(seed: 1_234_567)
        let outputs = (0..<5).map { _ in random.next() }
        #expect(
            outputs == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test func `the same seed gives the same numbers and another seed others`() {
        var (one, same, other) = (SeededRandom(seed: 5), SeededRandom(seed: 5), SeededRandom(seed: 6))
        let numbers = (0..<100).map { _ in one.next() }
        #expect(numbers == (0..<100).map { _ in same.next() })
        #expect(numbers != (0..<100).map { _ in other.next() })
    }

    @Test(arguments: [1, 2, 3, 10, 1_000] as [UInt64])
    func `bounded numbers stay below the bound and reach every value`(bound: UInt64) {
        var random = SeededRandom(seed: 55)
        var counts = [Int](repeating: 0, count: Int(bound))
        for _ in 0..<100 * bound { counts[Int(random.below(bound))] += 1 }
        // A hundred expected each; six deviations of the Poisson distribution aside.
        #expect(counts.allSatisfy { (bound == 1 ? 100...100 : 40...160).contains($0) })
    }

    @Test func `unit numbers lie from 0 to below 1 with mean one half`() {
        var random = SeededRandom(seed: 56)
        let numbers = (0..<10_000).map { _ in random.unit() }
        #expect(numbers.allSatisfy { $0 >= 0 && $0 < 1 })
        #expect(abs(numbers.reduce(0, +) / 10_000 - 0.5) < 0.02)
    }

    @Test func `mixing changes half of the bits when one bit changes`() {
        var changed = 0
        for bit in 0..<64 as Range<UInt64> {
            for value in 0..<100 as Range<UInt64> {
                changed += (mix64(value) ^ mix64(value ^ (1 << bit))).nonzeroBitCount
            }
        }
        #expect(abs(Double(changed) / 6_400 - 32) < 0.5)
    }
}
