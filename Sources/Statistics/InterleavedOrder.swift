import Primitives

/// The order in which the runs of two sides are made, as pairs: A B B A, or B A A B, as the seed says for every two pairs.
///
/// Within two pairs each side is first once, so that whatever drifts strikes both alike; which one begins is drawn, so that nothing that
/// recurs can favour one.
public struct InterleavedOrder: Equatable, Sendable {
    /// One of the two sides.
    public enum Side: String, Sendable, CaseIterable {
        /// The baseline.
        case a = "A"
        /// The candidate.
        case b = "B"

        /// The other one.
        public var other: Side { self == .a ? .b : .a }
    }

    /// The sides in their order, two for each pair.
    public let sides: [Side]

    /// Draws an order.
    public init(pairs: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var sides: [Side] = []
        var first = Side.a
        for pair in 0..<pairs {
            first = pair % 2 == 1 ? first.other : random.below(2) == 0 ? .a : .b
            sides += [first, first.other]
        }
        self.sides = sides
    }

    /// The order in letters: `ABBABAAB`.
    public var text: String { sides.map(\.rawValue).joined() }
}
