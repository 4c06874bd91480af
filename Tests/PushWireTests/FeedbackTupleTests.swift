import Primitives
import PushWire
import Testing

/// Feedback tuples: their bytes, and streams of them in any pieces (C34).
@Suite struct FeedbackTupleTests {
    /// A tuple as a value.
    struct Entry: Hashable {
        var timestamp: UInt32
        var token: [UInt8]

        var bytes: [UInt8] {
            token.withUnsafeBytes { token in
                let tuple = FeedbackTuple(timestamp: timestamp, token: token)
                return [UInt8](unsafeUninitializedCapacity: tuple.byteCount) { buffer, count in
                    if let base = buffer.baseAddress { tuple.write(to: base) }
                    count = tuple.byteCount
                }
            }
        }

        static func drawn(_ count: Int, seed: UInt64, tokenBytes: ClosedRange<Int> = 1...100) -> [Entry] {
            var random = SeededRandom(seed: seed)
            return (0..<count).map { _ in
                let length = tokenBytes.lowerBound + Int(random.below(UInt64(tokenBytes.count)))
                return Entry(
                    timestamp: UInt32(truncatingIfNeeded: random.next()),
                    token: (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            }
        }
    }

    private static func read(
        _ pieces: [ArraySlice<UInt8>], tokenBytes: ClosedRange<Int> = 1...100
    ) -> (seen: [Entry], reader: FeedbackReader) {
        var reader = FeedbackReader(tokenBytes: tokenBytes)
        var seen: [Entry] = []
        for piece in pieces {
            piece.withUnsafeBytes { bytes in
                reader.read(bytes) { seen.append(Entry(timestamp: $0.timestamp, token: Array($0.token))) }
            }
        }
        return (seen, reader)
    }

    @Test func `the tuple of the fact sheet has its 38 bytes`() {
        let token = (0..<32).map { UInt8($0) }
        #expect(Entry(timestamp: 0x6600_0000, token: token).bytes == [0x66, 0, 0, 0, 0, 0x20] + token)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 100, 101, 65_535])
    func `a token of any length that can be declared is written and read`(length: Int) {
        let entry = Entry(timestamp: 7, token: (0..<length).map { UInt8(truncatingIfNeeded: $0) })
        #expect(entry.bytes.count == 6 + length)
        let result = Self.read([entry.bytes[...]], tokenBytes: 0...65_535)
        #expect(result.seen == [entry])
        #expect(result.reader.offset == UInt64(6 + length))
    }

    @Test func `C34 a cut at any byte changes nothing`() {
        let entries = Entry.drawn(3, seed: 1, tokenBytes: 32...32)
        let stream = entries.flatMap(\.bytes)
        #expect(stream.count == 114)
        for cut in 0...stream.count {
            #expect(Self.read([stream[..<cut], stream[cut...]]).seen == entries, "cut at \(cut)")
        }
    }

    @Test func `C34 one byte at a time changes nothing`() {
        let entries = Entry.drawn(30, seed: 2)
        let stream = entries.flatMap(\.bytes)
        #expect(Self.read(stream.indices.map { stream[$0...$0] }).seen == entries)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `random pieces change nothing`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let entries = Entry.drawn(60, seed: seed)
        let pieces = randomPieces(of: entries.flatMap(\.bytes), longest: 1 + random.below(300), random: &random)
        #expect(Self.read(pieces).seen == entries, "seed \(seed)")
    }

    @Test func `a stream that ends at any byte gives the whole tuples before it and the place of the cut one`() {
        let entries = Entry.drawn(4, seed: 3)
        let stream = entries.flatMap(\.bytes)
        let ends = [0] + entries.indices.map { entries[...$0].reduce(0) { $0 + $1.bytes.count } }
        for cut in 0...stream.count {
            let result = Self.read([stream[..<cut]])
            let whole = ends.last { $0 <= cut } ?? 0
            #expect(result.reader.offset == UInt64(whole), "cut at \(cut)")
            #expect(result.reader.unfinishedByteCount == cut - whole, "cut at \(cut)")
            #expect(result.seen.count == ends.firstIndex(of: whole), "cut at \(cut)")
            #expect(result.reader.tupleCount == UInt64(result.seen.count), "cut at \(cut)")
        }
    }

    @Test(arguments: [0, 101, 65_535])
    func `a length outside the rule ends the reading, with its place and what was read before`(length: Int) {
        let good = Entry.drawn(2, seed: 4)
        let stream = good.flatMap(\.bytes)
        let bad = Entry(timestamp: 1, token: [UInt8](repeating: 1, count: length)).bytes + good[0].bytes
        for size in [1, 5, 6, 7, 1_000_000] {
            let all = stream + bad
            let pieces = stride(from: 0, to: all.count, by: size).map { all[$0..<min($0 + size, all.count)] }
            let result = Self.read(pieces)
            #expect(result.seen == good, "pieces of \(size)")
            #expect(result.reader.violation?.offset == UInt64(stream.count))
            #expect(result.reader.violation?.tokenBytes == length)
            #expect(result.reader.violation?.accepted == 1...100)
            #expect(result.reader.unfinishedByteCount <= 6)
        }
    }

    @Test func `a reader keeps no more than one tuple of the longest length`() {
        var random = SeededRandom(seed: 5)
        var reader = FeedbackReader(tokenBytes: 0...300)
        for round in 0..<2_000 {
            let bytes = (0..<Int(random.below(90))).map { _ in UInt8(truncatingIfNeeded: random.next() & 1) }
            bytes.withUnsafeBytes { reader.read($0) { _ in } }
            #expect(reader.unfinishedByteCount < 306, "round \(round), seed 5")
        }
        #expect(
            reader.violation == nil && reader.tupleCount > 0, "lengths of 0, 1, 256 and 257 are all within the rule")
    }

    @Test func `a digest tells lists apart and not their order`() {
        func digest(_ entries: [Entry]) -> UInt64 {
            entries.reduce(into: 0) { digest, entry in
                entry.token.withUnsafeBytes {
                    digest &+= FeedbackTuple(timestamp: entry.timestamp, token: $0).digestTerm
                }
            }
        }
        let entries = Entry.drawn(100, seed: 6)
        #expect(digest(entries) == digest(entries.reversed()))
        for index in entries.indices {
            var other = entries
            other[index].timestamp ^= 1
            #expect(digest(other) != digest(entries))
            other = entries
            other[index].token[other[index].token.count - 1] ^= 0x80
            #expect(digest(other) != digest(entries))
        }
    }
}
