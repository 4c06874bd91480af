import Primitives
import Testing

@testable import Histograms

@Suite struct HistogramEncodingTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var values: [(value: Int64, count: Int64)]
        var base64: String
        var payload: [UInt8]
        var testDescription: String { name }
    }

    /// `measurement.md` 9.11, made with the public Python implementation.
    static let vectors = [
        Vector(name: "empty", values: [], base64: "HISTFAAAABx4nJNpmSzMgADMUJoRRFybvITB/gNEAABQ2gSH", payload: []),
        Vector(
            name: "1", values: [(1, 1)], base64: "HISTFAAAACF4nJNpmSzMwMDAxAABzFCaEURcm7yEwf4DVIAJAFoyBIw=",
            payload: [0x01, 0x02]),
        Vector(
            name: "0 and 2", values: [(0, 1), (2, 1)],
            base64: "HISTFAAAACJ4nJNpmSzMwMDAzAABMJoRRFybvITB/gNEgImRCQBe5QSP", payload: [0x02, 0x01, 0x02]),
        Vector(
            name: "around the ends of buckets",
            values: [(1, 1), (2, 1), (2_047, 1), (2_048, 1), (2_049, 1), (4_095, 1), (4_096, 1), (1_000_000, 1)],
            base64: "HISTFAAAAC14nJNpmSzMwMDAxwABzFCaEURcm7yEwf4DVICJ6bs8E8tvfiam/XVMAKmXCAM=",
            payload: [0x01, 0x02, 0x02, 0xF7, 0x1F, 0x02, 0x04, 0xFB, 0x0F, 0x02, 0x02, 0xBF, 0x7E, 0x02]),
        Vector(
            name: "10,000 of one value and one far away", values: [(1_000, 10_000), (100_000_000, 1)],
            base64: "HISTFAAAACl4nJNpmSzMwMDAyQABzFCaEURcm7yEwf4DROA8/4I5jNM7mJgAjtkHzg==",
            payload: [0xCF, 0x0F, 0xA0, 0x9C, 0x01, 0x97, 0x88, 0x02, 0x02]),
    ]

    private func histogram(of vector: Vector) throws -> Histogram {
        let histogram = Histogram(
            try HistogramGeometry(lowestDiscernible: 1, highestTrackable: 3_600_000_000, significantDigits: 3))
        for (value, count) in vector.values { histogram.record(value, count: count) }
        return histogram
    }

    @Test(arguments: vectors)
    func `the plain encoding is the header and the reference payload`(_ vector: Vector) throws {
        let header: [UInt8] = [
            0x1C, 0x84, 0x93, 0x13, 0, 0, 0, UInt8(vector.payload.count), 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
            1, 0, 0, 0, 0, 0xD6, 0x93, 0xA4, 0x00, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0,
        ]
        #expect(try histogram(of: vector).encoded() == header + vector.payload)
    }

    @Test(arguments: vectors)
    func `the reference text decodes to the histogram and its totals restore it exactly`(_ vector: Vector) throws {
        let original = try histogram(of: vector)
        let decoded = try Histogram(base64: vector.base64)
        #expect(decoded.encoded() == original.encoded())
        #expect(decoded.count == original.count)
        #expect(try Histogram(base64: vector.base64, totals: original.totals) == original)
    }

    @Test(arguments: vectors)
    func `own text begins as every V2 text and inflates to the same bytes as the reference`(_ vector: Vector) throws {
        let text = try histogram(of: vector).base64()
        #expect(text.hasPrefix("HISTFAAA"))
        let (own, reference) = (try Base64.decode(text), try Base64.decode(vector.base64))
        #expect(try ZlibStream.inflate(own[8...], limit: 1_000) == ZlibStream.inflate(reference[8...], limit: 1_000))
    }

    @Test func `an empty payload may hold one zero as Java writes it`() throws {
        var bytes = Histogram().encoded()
        bytes[7] = 1
        #expect(try Histogram(encoded: bytes + [0]).isEmpty)
    }

    @Test func `a single empty cell may be written as zero`() throws {
        let histogram = Histogram()
        histogram.record(1)
        var bytes = histogram.encoded()
        #expect(bytes.suffix(2) == [0x01, 0x02])
        bytes[40] = 0
        #expect(try Histogram(encoded: bytes).encoded() == histogram.encoded())
    }

    @Test func `the word size in the cookie means nothing`() throws {
        let histogram = filled(seed: 31)
        var bytes = histogram.encoded()
        bytes[3] = 0x03
        #expect(try Histogram(encoded: bytes, totals: histogram.totals) == histogram)
    }

    @Test func `encoded and restored with its totals a histogram equals the original`() throws {
        for seed: UInt64 in 100..<140 {
            var random = SeededRandom(seed: seed)
            let lowest = Int64(random.below(10_000)) + 1
            let geometry = try HistogramGeometry(
                lowestDiscernible: lowest,
                highestTrackable: lowest * 2 + Int64(random.next() >> (12 + random.below(40))),
                significantDigits: Int(random.below(4)))
            let histogram = Histogram(geometry)
            for _ in 0..<random.below(400) {
                histogram.record(
                    Int64(random.next() >> (1 + random.below(63))),
                    count: Int64(random.next() >> (10 + random.below(54))))
            }
            #expect(try Histogram(encoded: histogram.encoded(), totals: histogram.totals) == histogram, "seed \(seed)")
            #expect(
                try Histogram(encoded: histogram.compressed(), totals: histogram.totals) == histogram, "seed \(seed)")
            #expect(try Histogram(base64: histogram.base64(), totals: histogram.totals) == histogram, "seed \(seed)")
        }
    }

    @Test(
        arguments: [
            0, 1, -1, 63, 64, -64, -65, 8_191, 8_192, 1 << 55, (1 << 55) - 1, 1 << 56, -(1 << 55) - 1, .max, .min,
        ] as [Int64])
    func `a number of any length is read back from at most nine bytes`(_ number: Int64) throws {
        var bytes: [UInt8] = []
        CellCode.append(number, to: &bytes)
        #expect((1...9).contains(bytes.count))
        var offset = 0
        #expect(CellCode.read(bytes[...], at: &offset) == number)
        #expect(offset == bytes.count)
        for cut in 0..<bytes.count {
            var offset = 0
            #expect(CellCode.read(bytes[..<cut], at: &offset) == nil)
        }
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("\u{FB}\u{FF}", "w7vDvw=="),
    ])
    func `base64 is that of RFC 4648`(plain: String, text: String) throws {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(try Base64.decode(text) == Array(plain.utf8))
    }

    @Test func `base64 of random bytes decodes to them`() throws {
        let seed: UInt64 = 32
        var random = SeededRandom(seed: seed)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(try Base64.decode(Base64.encode(bytes)) == bytes, "seed \(seed), \(count) bytes")
        }
    }
}
