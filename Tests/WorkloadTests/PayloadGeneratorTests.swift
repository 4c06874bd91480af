import Foundation
import Testing

@testable import Workload

/// C38: sizes are bytes, hit exactly, and no character is cut.
@Suite struct PayloadGeneratorTests {
    static func payload(_ generator: PayloadGenerator, _ sequence: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: generator.maxBytes) { buffer, count in
            count = generator.write(
                sequence: sequence, into: UnsafeMutableRawPointer(buffer.baseAddress!), capacity: buffer.count)
        }
    }

    /// Reads a payload with Foundation's reader, which nobody here wrote.
    static func object(_ payload: [UInt8]) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
    }

    static func alertText(_ object: [String: Any]) throws -> String {
        let aps = try #require(object["aps"] as? [String: Any])
        if let text = aps["alert"] as? String { return text }
        let alert = try #require(aps["alert"] as? [String: Any])
        return try #require(alert["title"] as? String) + (try #require(alert["body"] as? String))
    }

    @Test(arguments: [256, 2_048, 4_096, 5_120], TextAlphabet.allCases)
    func `payloads hit each limit and one byte more exactly and stay whole`(limit: Int, alphabet: TextAlphabet) throws {
        for form in TextForm.allCases {
            for byteCount in [limit, limit + 1] {
                let generator = try PayloadGenerator(
                    PayloadPlan(
                        seed: 9, sizes: PayloadSizes(constant: byteCount), alphabet: alphabet, form: form,
                        limitBytes: limit + 1))
                let payload = Self.payload(generator, 77)
                #expect(payload.count == byteCount)
                #expect(generator.byteCount(77) == byteCount)
                let text = try Self.alertText(Self.object(payload))
                #expect(!text.isEmpty && text.allSatisfy { Self.belongs($0, to: alphabet) }, "\(text)")
            }
        }
    }

    /// Whether a character is one of the alphabet, or a full stop of the padding.
    static func belongs(_ character: Character, to alphabet: TextAlphabet) -> Bool {
        let width = String(character).utf8.count
        if character == "." { return true }
        switch alphabet {
        case .ascii: return width == 1
        case .twoByte: return width == 2
        case .threeByte: return width == 3
        case .fourByte: return width == 4
        case .mixed: return (1...4).contains(width)
        // A carriage return and a line feed are one character.
        case .special:
            return character.unicodeScalars.allSatisfy { $0.value < 0x20 || "\"\\".unicodeScalars.contains($0) }
        }
    }

    @Test(arguments: TextAlphabet.allCases)
    func `text consists of its alphabet but for the last characters`(alphabet: TextAlphabet) throws {
        let generator = try PayloadGenerator(
            PayloadPlan(seed: 4, sizes: PayloadSizes(constant: 1_000), alphabet: alphabet))
        let text = try Self.alertText(Self.object(Self.payload(generator, 0)))
        // In each of two texts less than one character's bytes, and a control character has six.
        #expect(text.count { $0 == "." } <= (alphabet == .special ? 10 : 6))
    }

    @Test(arguments: TextAlphabet.allCases, TextForm.allCases)
    func `every size from the shortest up is valid JSON of exactly that size`(
        alphabet: TextAlphabet, form: TextForm
    ) throws {
        var text = FillerText(alphabet: alphabet, form: form, seed: 3)
        for byteCount in PayloadGenerator.minimumBytes...400 {
            let image = PayloadImage(byteCount: byteCount, variant: byteCount, text: &text)
            #expect(image.bytes.count == byteCount)
            let object = try Self.object(image.bytes)
            _ = try Self.alertText(object)
            #expect(image.bytes.withUnsafeBytes { JSONSyntax.check($0) } == nil)
            if byteCount >= 80 { #expect(object["sequence"] as? String == "0000000000000000") }
        }
    }

    @Test func `a payload carries its own sequence number beside aps`() throws {
        let generator = try PayloadGenerator(PayloadPlan(seed: 1, sizes: PayloadSizes(p50: 180, p99: 220, max: 256)))
        for sequence: UInt64 in [0, 9, 10, 0xABCDEF, 0x0123_4567_89AB_CDEF, .max] {
            let object = try Self.object(Self.payload(generator, sequence))
            let digits = try #require(object["sequence"] as? String)
            #expect(digits.count == 16 && UInt64(digits, radix: 16) == sequence)
        }
    }

    @Test func `a full payload has title, body, badge, sound and a deep link`() throws {
        let generator = try PayloadGenerator(PayloadPlan(seed: 1, sizes: PayloadSizes(constant: 240)))
        let object = try Self.object(Self.payload(generator, 5))
        let aps = try #require(object["aps"] as? [String: Any])
        let alert = try #require(aps["alert"] as? [String: Any])
        #expect(alert.keys.sorted() == ["body", "title"])
        #expect((1...9).contains(aps["badge"] as? Int ?? 0))
        #expect(aps["sound"] as? String == "default")
        #expect((object["link"] as? String)?.hasPrefix("app://thread/") == true)
    }

    @Test func `sizes follow the quantiles that were asked for and meet the largest`() throws {
        let generator = try PayloadGenerator(PayloadPlan(seed: 6, sizes: PayloadSizes(p50: 120, p99: 220, max: 256)))
        let sizes = (0..<100_000 as Range<UInt64>).map { generator.byteCount($0) }.sorted()
        #expect(abs(sizes[50_000] - 120) <= 1, "seed 6: \(sizes[50_000])")
        #expect(abs(sizes[99_000] - 220) <= 6, "seed 6: \(sizes[99_000])")
        #expect(sizes.last == 256)
        #expect(generator.maxBytes == 256)
    }

    @Test func `the same seed and sequence number give the same bytes in another generator`() throws {
        let plan = try PayloadPlan(seed: 31, sizes: PayloadSizes(p50: 120, p99: 220, max: 256), alphabet: .mixed)
        let left = try PayloadGenerator(plan)
        let right = try PayloadGenerator(plan)
        for sequence in [0, 1, 1_000_000, .max] as [UInt64] {
            #expect(Self.payload(left, sequence) == Self.payload(right, sequence))
        }
    }

    @Test func `oversized payloads come in the share that was asked for, half of them over by one byte`() throws {
        let generator = try PayloadGenerator(
            PayloadPlan(
                seed: 2, sizes: PayloadSizes(p50: 120, p99: 220, max: 256), limitBytes: 256, oversizedFraction: 0.01))
        var oversized = 0
        var byOne = 0
        for sequence in 0..<100_000 as Range<UInt64> {
            let byteCount = generator.byteCount(sequence)
            #expect(generator.isOversized(sequence) == (byteCount > 256))
            oversized += byteCount > 256 ? 1 : 0
            byOne += byteCount == 257 ? 1 : 0
            if byteCount > 256, oversized < 20 { _ = try Self.object(Self.payload(generator, sequence)) }
        }
        #expect((843...1_157).contains(oversized), "seed 2: \(oversized)")
        #expect((oversized / 2 - 80...oversized / 2 + 80).contains(byOne), "seed 2: \(byOne) of \(oversized)")
        #expect(generator.maxBytes == 256 + PayloadGenerator.oversizeMaximum)
    }

    @Test func `without an oversized share no payload is over the limit`() throws {
        let generator = try PayloadGenerator(
            PayloadPlan(seed: 2, sizes: PayloadSizes(p50: 200, p99: 250, max: 256), limitBytes: 256))
        #expect((0..<20_000 as Range<UInt64>).allSatisfy { !generator.isOversized($0) })
    }

    @Test func `impossible plans are refused with the numbers`() throws {
        let sizes = try PayloadSizes(constant: 300)
        #expect(throws: WorkloadError.payloadTooLarge(bytes: 300, limit: 256)) {
            try PayloadGenerator(PayloadPlan(seed: 1, sizes: sizes, limitBytes: 256))
        }
        #expect(throws: WorkloadError.payloadTooSmall(bytes: 19, minimum: 20)) { try PayloadSizes(constant: 19) }
        #expect(throws: WorkloadError.payloadSizesOutOfOrder(p50: 100, p99: 90, max: 120)) {
            try PayloadSizes(p50: 100, p99: 90, max: 120)
        }
        #expect(throws: WorkloadError.limitOutOfRange(bytes: 70_000)) {
            try PayloadGenerator(PayloadPlan(seed: 1, sizes: sizes, limitBytes: 70_000))
        }
        #expect(throws: WorkloadError.fractionOutOfRange(name: "oversizedPayload", value: 2)) {
            try PayloadGenerator(PayloadPlan(seed: 1, sizes: sizes, oversizedFraction: 2))
        }
    }
}
