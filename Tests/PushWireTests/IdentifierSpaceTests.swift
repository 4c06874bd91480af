import Primitives
import PushWire
import Testing

@Suite struct IdentifierSpaceTests {
    /// The identifier behind another one, by the rule that 0 does not exist.
    private static func successor(_ identifier: UInt32) -> UInt32 { identifier == .max ? 1 : identifier + 1 }

    @Test(arguments: [1, 2, 0x8000_0000, 0xFFFF_FFF0, 0xFFFF_FFFF] as [UInt32])
    func `identifiers follow each other from the first one and 0 is never issued`(first: UInt32) {
        let space = IdentifierSpace(first: first)
        var expected = first
        for sequence in 0..<100_000 as Range<UInt64> {
            let identifier = space.identifier(of: sequence)
            guard identifier == expected, identifier != 0 else {
                Issue.record("sequence \(sequence) has identifier \(identifier), not \(expected)")
                return
            }
            expected = Self.successor(expected)
        }
    }

    @Test func `C16 the identifiers around the wrap are those of the field case`() {
        let space = IdentifierSpace(first: 0xFFFF_FFF0)
        let identifiers = (0..<64 as Range<UInt64>).map { space.identifier(of: $0) }
        #expect(identifiers == Array(0xFFFF_FFF0...0xFFFF_FFFF) + Array(1...48))
        #expect(identifiers[20] == 5)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `identifiers of a seeded place never repeat within a lap`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let space = IdentifierSpace(first: 1 + UInt32(random.below(UInt64(UInt32.max))))
        let sequence = random.below(1 << 40)
        #expect(
            space.identifier(of: sequence + 1) == Self.successor(space.identifier(of: sequence)), "seed \(seed)")
        #expect(
            space.identifier(of: sequence) == space.identifier(of: sequence + IdentifierSpace.count), "seed \(seed)")
    }

    @Test(arguments: 1...500 as ClosedRange<UInt64>)
    func `an identifier leads back to the sequence number near the reference`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let space = IdentifierSpace(first: 1 + UInt32(random.below(UInt64(UInt32.max))))
        let reference = random.below(random.below(2) == 0 ? 1 << 20 : 1 << 40)
        // Half a lap is as far as an identifier can say on which side of the reference it is.
        let reach = random.below(2) == 0 ? UInt64(1_000) : IdentifierSpace.count / 2 - 1
        let below = min(reference, reach)
        let sequence = reference - below + random.below(below + reach)
        #expect(
            space.sequence(of: space.identifier(of: sequence), near: reference) == sequence,
            "seed \(seed), first \(space.first), reference \(reference)")
    }

    @Test func `0 leads nowhere`() {
        #expect(IdentifierSpace().sequence(of: 0, near: 0) == nil)
        #expect(IdentifierSpace(first: 9).sequence(of: 0, near: 1 << 33) == nil)
    }

    @Test func `an identifier from before the run leads nowhere`() {
        #expect(IdentifierSpace(first: 10).sequence(of: 9, near: 0) == nil)
        #expect(IdentifierSpace(first: 10).sequence(of: 1, near: 5_000) == nil)
        #expect(IdentifierSpace(first: 1).sequence(of: .max, near: 100) == nil)
    }

    @Test func `the identifier before the first one belongs to the end of a lap once that is near`() {
        let space = IdentifierSpace(first: 10)
        #expect(space.sequence(of: 9, near: IdentifierSpace.count) == IdentifierSpace.count - 1)
    }
}
