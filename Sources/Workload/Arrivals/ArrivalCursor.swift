import Primitives

/// Keeps the part of a random schedule that was computed last, so that neighbours are found at once.
public struct ArrivalCursor: Hashable, Sendable {
    /// Which block ``ends`` is of, and of which seed.
    private var block: UInt64?
    private var seed: UInt64 = 0
    /// Where each operation of the block lies, from the start of its epoch in 2^-32 units.
    private var ends: [UInt64] = []

    /// Makes a cursor that has computed nothing yet.
    public init() {}

    /// Where operation `index` of a Poisson process lies.
    mutating func poissonPosition(of index: UInt64, seed: UInt64) -> ArrivalPosition {
        let end = poissonEnd(of: index, seed: seed)
        let epoch = index / PoissonTree.epochCount * PoissonTree.epochCount
        return ArrivalPosition(whole: epoch + end >> 32, fraction: UInt32(truncatingIfNeeded: end))
    }

    private mutating func poissonEnd(of index: UInt64, seed: UInt64) -> UInt64 {
        let (wanted, place) = index.quotientAndRemainder(dividingBy: PoissonTree.blockCount)
        if block != wanted || self.seed != seed {
            let tree = PoissonTree(seed: seed)
            // Searches ask for blocks' ends, which cost no more than the way there.
            if place == PoissonTree.blockCount - 1 { return tree.leaf(ofBlock: wanted).end }
            tree.fill(&ends, block: wanted)
            block = wanted
            self.seed = seed
        }
        return ends[Int(place)]
    }
}

/// A Poisson process with one operation a unit on average, any part of which can be computed without the rest.
///
/// Operations come in epochs of 2^32. An epoch is split in two halves of as many operations each, and each half again, down to blocks:
/// among 2n successive gaps of a Poisson process, the share of time that the first n take is Beta(n, n)
/// distributed, whatever the rest of the process does (Devroye, Non-Uniform Random Variate Generation, 1986, chapter V, theorem 2.1).
/// Inside a block, gaps are exponential numbers, stretched together to the block's length. So all gaps together have exactly the
/// law of a Poisson process, but for one thing: every epoch is as long as its operations' average. What that takes away is one part in
/// 65,536 of the rate.
struct PoissonTree {
    /// Operations of one block.
    static let blockCount: UInt64 = 1_024
    /// Operations of one epoch.
    static let epochCount: UInt64 = 1 << 32
    private static let blocksOfEpoch = epochCount / blockCount

    let seed: UInt64

    /// A block's place in its epoch, in 2^-32 units, and what decides inside.
    struct Leaf {
        var low: UInt64
        var width: UInt64
        var random: SeededRandom

        var end: UInt64 { low + width }
    }

    /// Computes where the operations of a block lie, each at the end of its gap, from the start of the epoch in 2^-32 units.
    func fill(_ ends: inout [UInt64], block: UInt64) {
        var leaf = leaf(ofBlock: block)
        let draw = ExponentialDraw()
        ends.removeAll(keepingCapacity: true)
        var sum: UInt64 = 0
        for _ in 0..<Self.blockCount {
            sum += draw.number(from: leaf.random.next())
            ends.append(sum)
        }
        let scale = Double(leaf.width) / Double(max(1, sum))
        for place in ends.indices { ends[place] = leaf.low + min(UInt64(Double(ends[place]) * scale), leaf.width) }
        ends[ends.count - 1] = leaf.end
    }

    /// Finds a block by halving its epoch.
    func leaf(ofBlock block: UInt64) -> Leaf {
        let epoch = block / Self.blocksOfEpoch
        let number = block % Self.blocksOfEpoch
        var low: UInt64 = 0
        var width = UInt64.max
        var half = Self.epochCount / 2
        // Nodes are counted as in a heap: 1 is the epoch, 2 and 3 are its halves.
        var node: UInt64 = 1
        while half >= Self.blockCount {  // bounded: halves
            let first = min(UInt64(Double(width) * share(ofHalf: half, node: node, epoch: epoch)), width)
            let isSecond = number & (half / Self.blockCount) != 0
            if isSecond { low += first }
            width = isSecond ? width - first : first
            node = 2 * node + (isSecond ? 1 : 0)
            half /= 2
        }
        return Leaf(low: low, width: width, random: random(node: node, epoch: epoch))
    }

    private func random(node: UInt64, epoch: UInt64) -> SeededRandom {
        SeededRandom(
            seed: mix64(mix64(seed ^ 0x61_72_72_69_76_61_6C_73) ^ epoch &* 0x9E37_79B9_7F4A_7C15) ^ mix64(node))
    }

    /// A Beta(n, n) distributed number (Ulrich, 1984; Devroye, chapter IX.4): (1 + cos α · √(1 - s^(2 / (2n - 1)))) / 2, where a
    /// point at random in the unit circle gives both the angle and, as the square of its distance, s.
    private func share(ofHalf count: UInt64, node: UInt64, epoch: UInt64) -> Double {
        var random = random(node: node, epoch: epoch)
        while true {  // ends with probability π / 4 in each round
            let x = 2 * random.unit() - 1
            let y = 2 * random.unit() - 1
            let square = x * x + y * y
            guard square <= 1, square > 0 else { continue }
            let logarithm = BinaryLogarithm.log2(square) * 0.693_147_180_559_945_3
            let power = -2 * logarithm / Double(2 * count - 1)
            // 1 - e^-power; count is 1,024 at least, and power below 0.08.
            let radius = power * (1 - power / 2 * (1 - power / 3 * (1 - power / 4 * (1 - power / 5))))
            return 0.5 + 0.5 * x / square.squareRoot() * radius.squareRoot()
        }
    }
}
