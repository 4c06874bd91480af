import Primitives
import Testing
import Workload

/// The sample of notifications that sender and simulator take alike.
@Suite struct SequenceSampleTests {
    @Test func `few notifications are all in the sample`() {
        var sample = SequenceSample(capacity: 100)
        sample.add(from: 0, to: 100, at: .zero)
        #expect(sample.shift == 0 && sample.entries.map(\.sequence) == Array(0..<100))
    }

    @Test(arguments: [1_000, 65_536, 1_000_003] as [UInt64])
    func `memory is bounded, and what stays lies evenly`(count: UInt64) {
        var sample = SequenceSample(capacity: 500)
        for start in stride(from: 0, to: count, by: 100) {
            sample.add(from: start, to: min(start + 100, count), at: Instant(nanoseconds: Int64(start)))
        }
        #expect(sample.entries.count <= 500)
        let expected = Double(count) / Double(1 << sample.shift)
        #expect((Double(sample.entries.count) - expected).magnitude < 10)
        let firstHalf = sample.entries.count { $0.sequence < count / 2 }
        #expect((Double(firstHalf) - expected / 2).magnitude < 8)
        let places = Set(sample.entries.map { $0.sequence % 100 / 10 })
        #expect(places.count == 10, "every part of a batch is met")
    }

    @Test func `the thinner of two samples is a part of the other, however they were taken`() {
        var (coarse, fine) = (SequenceSample(capacity: 100), SequenceSample(capacity: 4_000))
        for sequence in (0..<UInt64(3_000)).reversed() { coarse.add(sequence, at: .zero) }
        fine.add(from: 0, to: 3_000, at: .zero)
        #expect(coarse.shift > fine.shift)
        fine.thin(to: coarse.shift)
        #expect(fine.entries.map(\.sequence) == coarse.entries.map(\.sequence).sorted())
        #expect(fine.entries.allSatisfy { coarse.contains($0.sequence) })
    }

    @Test func `the samples of two event loops add up`() {
        var (left, right, whole) = (
            SequenceSample(capacity: 200), SequenceSample(capacity: 200), SequenceSample(capacity: 200)
        )
        for start in stride(from: UInt64(0), to: 10_000, by: 100) {
            whole.add(from: start, to: start + 100, at: .zero)
            if start % 300 == 0 {
                left.add(from: start, to: start + 100, at: .zero)
            } else {
                right.add(from: start, to: start + 100, at: .zero)
            }
        }
        left.add(right)
        whole.thin(to: left.shift)
        left.thin(to: whole.shift)
        #expect(Set(left.entries) == Set(whole.entries))
    }
}
