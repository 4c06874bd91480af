import Primitives
import Testing

@testable import Histograms

/// Bytes that were damaged or made to harm: a typed error or a sound histogram, never a trap, never memory at will.
@Suite struct HostileEncodingTests {
    /// Few cells, so that reading every mutation takes little time.
    private let sample: Histogram

    init() throws {
        sample = Histogram(
            try HistogramGeometry(lowestDiscernible: 1, highestTrackable: 2_000_000_000, significantDigits: 1))
        for value: Int64 in [0, 1, 5, 300, 301, 70_000, 1_000_000_000] { sample.record(value, count: value + 1) }
    }

    /// Reads and, if that succeeds, asks everything that scans cells.
    private func readAll(_ bytes: [UInt8], cellLimit: Int = Histogram.defaultCellLimit) -> HistogramError? {
        do throws(HistogramError) {
            let histogram = try Histogram(encoded: bytes, cellLimit: cellLimit)
            let sum =
                histogram.geometry.cellCount > 0 ? histogram.usedCells.reduce(0) { $0 + histogram.cell(at: $1) } : 0
            #expect(sum == histogram.count)
            #expect((histogram.value(atQuantile: 0.99) == nil) == histogram.isEmpty)
            #expect((histogram.standardDeviation ?? 0).isFinite)
            let again = try Histogram(encoded: histogram.encoded())
            #expect(again == histogram)
            return nil
        } catch {
            return error
        }
    }

    @Test func `bytes cut anywhere are refused`() {
        for bytes in [sample.encoded(), sample.compressed()] {
            for cut in 0..<bytes.count {
                #expect(readAll(Array(bytes[..<cut])) != nil, "cut at \(cut) of \(bytes.count)")
            }
        }
    }

    @Test func `bytes after the end are refused`() {
        #expect(readAll(sample.encoded() + [0]) == .trailingBytes(count: 1))
        #expect(readAll(sample.compressed() + [0, 0]) == .trailingBytes(count: 2))
        var bytes = sample.compressed() + [9, 9, 9]
        bytes[7] += 3
        #expect(readAll(bytes) == .trailingBytes(count: 3))
    }

    @Test func `no value of any byte makes the plain reader trap`() {
        let bytes = sample.encoded()
        var refused = 0
        for offset in bytes.indices {
            for value in UInt8.min...UInt8.max where value != bytes[offset] {
                var mutated = bytes
                mutated[offset] = value
                if readAll(mutated, cellLimit: 1_024) != nil { refused += 1 }
            }
        }
        // The header is checked field by field; what passes is another geometry or another count.
        #expect(refused > 2_000)
    }

    @Test func `no damaged byte of a compressed histogram passes the checksum`() {
        let bytes = sample.compressed()
        for offset in bytes.indices where offset != 3 {
            for value in UInt8.min...UInt8.max where value != bytes[offset] {
                var mutated = bytes
                mutated[offset] = value
                // Some bits of a zlib stream only advise or fill up its last byte.
                guard let histogram = try? Histogram(encoded: mutated, cellLimit: 1_024) else { continue }
                #expect(histogram.encoded() == sample.encoded(), "byte \(offset) = \(value)")
            }
        }
    }

    @Test func `random bytes behind a true header never make the reader trap`() {
        let seed: UInt64 = 41
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<3_000 {
            let payload = (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if readAll(plain(payload: payload)) == nil { accepted += 1 }
        }
        #expect(accepted > 0, "seed \(seed)")
    }

    @Test func `a length that the bytes do not have is not believed`() {
        var bytes = sample.encoded()
        bytes.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(readAll(bytes) == .truncated(expected: 40 + 0xFFFF_FFFF, found: bytes.count))
    }

    @Test func `a geometry that needs more memory than allowed is refused`() {
        var bytes = plain(payload: [])
        bytes[15] = 5
        bytes.replaceSubrange(24..<32, with: [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(readAll(bytes) == .tooManyCells(needed: 6_160_384, limit: Histogram.defaultCellLimit))
        #expect(throws: HistogramError.tooManyCells(needed: 4_608, limit: 4_607)) {
            try Histogram(encoded: plain(payload: []), cellLimit: 4_607)
        }
    }

    @Test func `a stream that inflates without end is stopped at the bound`() throws {
        let bomb = ZlibStream.deflate([UInt8](repeating: 0, count: 20_000_000))
        #expect(throws: HistogramError.inflatesBeyond(limit: 1_000_000)) {
            try ZlibStream.inflate(bomb[...], limit: 1_000_000)
        }
        var bytes: [UInt8] = [0x1C, 0x84, 0x93, 0x14]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: bomb.count >> (24 - 8 * $0)) }
        #expect(readAll(bytes + bomb) == .inflatesBeyond(limit: 40 + 9 * Histogram.defaultCellLimit))
    }

    @Test func `a stream of exactly the bound is read`() throws {
        let bytes = [UInt8](repeating: 7, count: 16_384 * 2)
        let stream = ZlibStream.deflate(bytes)
        #expect(try ZlibStream.inflate(stream[...], limit: bytes.count) == bytes)
        #expect(throws: HistogramError.inflatesBeyond(limit: bytes.count - 1)) {
            try ZlibStream.inflate(stream[...], limit: bytes.count - 1)
        }
    }

    @Test func `counts and runs outside the cells are refused where they stand`() {
        let all = run(of: 4_608)
        #expect(readAll(plain(payload: all)) == nil)
        #expect(readAll(plain(payload: run(of: 4_609))) == .badCount(offset: 0))
        #expect(readAll(plain(payload: all + [2])) == .badCount(offset: all.count))
        #expect(readAll(plain(payload: all + [0])) == .badCount(offset: all.count))
        #expect(readAll(plain(payload: [2, 0x80])) == .badCount(offset: 1))
        let lowest = [UInt8](repeating: 0xFF, count: 9)
        #expect(readAll(plain(payload: lowest)) == .badCount(offset: 0))
    }

    @Test func `counts that exceed 63 bits together are refused`() {
        let highest: [UInt8] = [0xFE] + [UInt8](repeating: 0xFF, count: 8)
        #expect(readAll(plain(payload: highest)) == nil)
        #expect(readAll(plain(payload: highest + [2])) == .countOverflow)
    }

    @Test(
        arguments: [
            (0, 0x1C84_9301), (0, 0x1C84_9302), (0, 0x1C84_9308), (0, 0x0C72_124E), (0, 0x4849_5354),
        ] as [(Int, UInt32)])
    func `older and other formats are named in the refusal`(offset: Int, cookie: UInt32) {
        var bytes = sample.encoded()
        bytes.replaceSubrange(
            offset..<offset + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: cookie >> (24 - 8 * $0)) })
        #expect(readAll(bytes) == .unknownFormat(cookie: cookie))
    }

    @Test(arguments: [(11, 8), (8, 8), (32, 32), (39, 32)])
    func `an index offset and a conversion ratio are not supported`(byte: Int, field: Int) {
        var bytes = sample.encoded()
        bytes[byte] ^= 1
        #expect(readAll(bytes) == .badField(offset: field))
    }

    @Test(arguments: [
        "A", "AB=", "AB=C", "A===", "====", "AAA*", "AA A", "AAAA\n", "Zh==", "Zm9=", "AB==AAAA", "Zg\u{0}=",
    ])
    func `text that is not canonical base64 is refused`(_ text: String) {
        #expect(throws: HistogramError.self) { try Base64.decode(text) }
    }

    @Test func `totals that contradict the cells are refused`() throws {
        let histogram = sample
        let good = histogram.totals
        let bytes = histogram.encoded()
        #expect(throws: Never.self) { try Histogram(encoded: bytes, totals: good) }
        let bad: [(inout HistogramTotals) -> Void] = [
            { $0.count += 1 }, { $0.count = -1 }, { $0.overflowCount = 1 }, { $0.overflowCount = -1 },
            { $0.invalidCount = -1 }, { $0.sum = 0 }, { $0.sum = .max }, { $0.lowest = -1 }, { $0.lowest = 1 },
            { $0.highest += 1 << 30 }, { $0.highest = 5 }, { $0 = HistogramTotals() },
            { $0.overflowCount = .min },
        ]
        for (number, change) in bad.enumerated() {
            var totals = good
            change(&totals)
            #expect(throws: HistogramError.inconsistentTotals, "change \(number)") {
                try Histogram(encoded: bytes, totals: totals)
            }
        }
    }

    @Test func `totals of values above the range are accepted only with such a maximum`() throws {
        let histogram = Histogram()
        histogram.record(.max - 1)
        #expect(try Histogram(encoded: histogram.encoded(), totals: histogram.totals) == histogram)
        var totals = histogram.totals
        totals.lowest = 5
        totals.highest = 5
        totals.sum = 5
        #expect(throws: HistogramError.inconsistentTotals) {
            try Histogram(encoded: histogram.encoded(), totals: totals)
        }
    }

    @Test func `totals of no values name no extremes`() throws {
        let bytes = Histogram().encoded()
        let none = HistogramTotals(count: 0, minimum: nil, maximum: nil, sum: 0, invalidCount: 3)
        #expect(try Histogram(encoded: bytes, totals: none).totals == none)
        let wrong = HistogramTotals(count: 0, minimum: 5, maximum: 5, sum: 0)
        #expect(throws: HistogramError.inconsistentTotals) { try Histogram(encoded: bytes, totals: wrong) }
    }

    /// A plain encoding of the per-connection geometry with any payload.
    private func plain(payload: [UInt8]) -> [UInt8] {
        var bytes = Histogram(.perConnection).encoded() + payload
        bytes[7] = UInt8(payload.count)
        return bytes
    }

    private func run(of emptyCells: Int64) -> [UInt8] {
        var payload: [UInt8] = []
        CellCode.append(-emptyCells, to: &payload)
        return payload
    }
}
