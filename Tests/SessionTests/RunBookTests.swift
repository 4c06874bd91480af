import Primitives
import Testing

@testable import ProviderSessions

@Suite struct RunBookTests {
    @Test func `neighbours are found whatever the order in which connections settle`() {
        var ledger = FateLedger()
        var random = SeededRandom(seed: 5)
        var stretches = (0..<20_000).map { SequenceRun(start: UInt64($0) * 50, count: 50) }
        // Neighbours change places, as they do with many connections.
        for index in 0..<stretches.count - 64 { stretches.swapAt(index, index + Int(random.below(64))) }
        for stretch in stretches { ledger.record(.settled(stretch, .accepted, .sentinel)) }
        #expect(ledger.count(of: .accepted) == 1_000_000)
        #expect(ledger.isBalanced(generated: 1_000_000))
        #expect(ledger.fates[.accepted]?.runs == [SequenceRun(start: 0, count: 1_000_000)])
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `a book holds what was put in, sorted and joined`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var all: [SequenceRun] = []
        var next: UInt64 = 0
        for _ in 0..<30_000 {
            next += random.below(4) == 0 ? 0 : random.below(1 << (1 + random.below(40)))
            all.append(
                SequenceRun(
                    start: next, count: 1 + random.below(300), unprovenResends: UInt32(random.below(10) / 9 * 3)))
            next = all[all.count - 1].end
        }
        var expected: [SequenceRun] = []
        for run in all {
            if let last = expected.last, last.end == run.start, last.unprovenResends == run.unprovenResends {
                expected[expected.count - 1].count += run.count
            } else {
                expected.append(run)
            }
        }
        for index in all.indices.dropLast() { all.swapAt(index, index + Int(random.below(UInt64(all.count - index)))) }
        var (left, right) = (RunBook(), RunBook())
        for (index, run) in all.enumerated() { if index % 3 == 0 { left.append(run) } else { right.append(run) } }
        left.append(contentsOf: right)
        #expect(left.runs == expected, "seed \(seed)")
        #expect(left.count == all.reduce(0) { $0 + $1.count })
        #expect(all.prefix(20).allSatisfy { left.contains($0.start) && left.contains($0.end - 1) })
        #expect(!left.contains(next + 1))
    }

    @Test func `a million errors take a few bytes each`() {
        var (accepted, rejected) = (RunBook(), RunBook())
        for index in 0..<1_000_000 as Range<UInt64> {
            accepted.append(SequenceRun(start: index * 900, count: 899))
            rejected.append(SequenceRun(start: index * 900 + 899, count: 1))
        }
        // Between 3 bytes packed and 24 for the eighth that is still to be packed.
        #expect(accepted.byteCount < 10_000_000 && rejected.byteCount < 10_000_000)
        #expect(accepted.runs.count == 1_000_000 && rejected.runs.last == SequenceRun(start: 899_999_999, count: 1))
    }

    @Test func `a notification that is entered twice stays twice, for the balance to find`() {
        var ledger = FateLedger()
        for _ in 0..<2 {
            for index in 0..<6_000 as Range<UInt64> {
                ledger.record(.settled(SequenceRun(start: index * 2, count: 2), .lost, nil))
                ledger.record(.settled(SequenceRun(start: index * 2, count: 1), .rejected, nil))
            }
        }
        #expect(ledger.count(of: .lost) == 24_000 && ledger.count(of: .rejected) == 12_000)
        #expect(!ledger.isBalanced(generated: 12_000))
    }
}
