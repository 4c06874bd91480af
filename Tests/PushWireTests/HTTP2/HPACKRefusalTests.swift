import Primitives
import PushWire
import Testing

/// Header blocks that cannot be decoded, or that ask for too much.
@Suite struct HPACKRefusalTests {
    @Test(arguments: [
        ("80", HTTP2Rule.fieldIndex), ("be", .fieldIndex), ("ff", .fieldTruncated), ("ff80808080 01", .fieldInteger),
        ("7f", .fieldTruncated), ("04", .fieldTruncated), ("0405 2f", .fieldTruncated), ("047f", .fieldTruncated),
        ("047fffffffff7f", .fieldInteger), ("00", .fieldTruncated), ("7e0161", .fieldIndex), ("0fff0161", .fieldIndex),
        ("0f2f61", .fieldIndex),
        // Padding of a byte, padding with a zero, the code of the string's end.
        ("0482 07ff", .huffmanCode), ("0481 00", .huffmanCode), ("0484 ffff ffff", .huffmanCode),
        // A size over the limit, a third announcement, an announcement behind a field.
        ("3fe21f", .tableSize), ("202020", .tableSizeUpdate), ("8220", .tableSizeUpdate),
    ])
    func `a block that breaks a rule is refused by that rule`(hex: String, rule: HTTP2Rule) {
        var decoder = HPACKDecoder()
        #expect(throws: HTTP2Violation(rule)) { try decode(bytes(hex: hex), with: &decoder) }
        #expect(rule.code == .compressionError)
    }

    @Test func `sizes up to the limit may be announced twice in front`() throws {
        var decoder = HPACKDecoder()
        #expect(try decode(bytes(hex: "20 3fe11f 82"), with: &decoder) == [Field(":method", "GET")])
    }

    @Test func `a lowered limit empties the table and holds from then on`() throws {
        var decoder = HPACKDecoder()
        _ = try decode(bytes(hex: "4001 6101 62 be"), with: &decoder)
        #expect(decoder.tableCount == 1)
        decoder.setTableSizeLimit(0)
        #expect(decoder.tableCount == 0)
        #expect(throws: HTTP2Violation(.fieldIndex)) { try decode([0xBE], with: &decoder) }
        #expect(throws: HTTP2Violation(.tableSize)) { try decode([0x21], with: &decoder) }
    }

    @Test func `a field that is larger than the table empties it`() throws {
        var decoder = HPACKDecoder(tableSizeLimit: 64)
        var entries: [UInt32] = []
        _ = try decode(bytes(hex: "4001 6101 62"), with: &decoder) { entries.append($0.entry) }
        #expect(decoder.tableCount == 1)
        let long = [0x40, 1, 0x61, 40] + [UInt8](repeating: 0x62, count: 40)
        _ = try decode(long, with: &decoder) { entries.append($0.entry) }
        #expect(decoder.tableCount == 0)
        #expect(entries == [1, 0])
    }

    @Test func `a name out of the table survives the eviction that its own insertion causes`() throws {
        var decoder = HPACKDecoder(tableSizeLimit: 70)
        let name = String(repeating: "n", count: 20)
        var block: [UInt8] = [0x40, 20] + Array(name.utf8) + [1, 0x61]
        block += [0x7E, 2, 0x62, 0x63]
        #expect(try decode(block, with: &decoder) == [Field(name, "a"), Field(name, "bc")])
        #expect(try decode([0xBE], with: &decoder) == [Field(name, "bc")])
    }

    @Test func `a small block that stands for a huge list costs its stream only`() throws {
        var decoder = HPACKDecoder(listLimit: 16_384)
        let value = [UInt8](repeating: 0x78, count: 4_000)
        let bomb = [0x40, 1, 0x61, 0x7F, 0xA1, 0x1E] + value + [UInt8](repeating: 0xBE, count: 10_000)
        var fieldCount = 0
        #expect(throws: HTTP2Violation(.headerListSize, scope: .stream(1))) {
            try decode(bomb, with: &decoder) { _ in fieldCount += 1 }
        }
        #expect(fieldCount == 4, "4 fields of 4,033 bytes fit")
        #expect(try decode([0x82], with: &decoder) == [Field(":method", "GET")])
    }

    @Test(arguments: [
        ("00 03 4161 61 01 62", false), ("00 02 6120 01 62", false), ("00 02 613a 01 62", false),
        ("00 01 3a 01 62", false),
        ("00 00 01 62", false), ("00 01 61 03 620062", false), ("00 01 61 03 620a62", false),
        ("00 01 61 02 2062", false),
        ("00 01 61 02 6209", false), ("00 01 61 0a 62626262626262620d62", false), ("00 01 61 03 622062", true),
        ("00 01 61 00", true), ("00 01 61 09 616263646566676869", true), ("44 02 0a61", false),
    ])
    func `names and values with forbidden bytes are marked`(hex: String, isWellFormed: Bool) throws {
        var decoder = HPACKDecoder()
        var marks: [Bool] = []
        _ = try decode(bytes(hex: hex), with: &decoder) { marks.append($0.isWellFormed) }
        #expect(marks == [isWellFormed])
    }

    @Test func `a malformed field stays marked when it is repeated by its index`() throws {
        var decoder = HPACKDecoder()
        var marks: [Bool] = []
        _ = try decode(bytes(hex: "40 01 41 01 62 be"), with: &decoder) { marks.append($0.isWellFormed) }
        #expect(marks == [false, false])
    }

    @Test(arguments: [1 as UInt64, 2, 3]) func `random blocks neither crash nor fill the table beyond its limit`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        for round in 0..<3_000 {
            var decoder = HPACKDecoder(tableSizeLimit: 300, listLimit: 2_000)
            for _ in 0..<4 {
                let count = Int(random.below(80))
                // The first bytes of fields are more frequent than chance would have them.
                let block = (0..<count).map { _ in
                    random.below(3) == 0
                        ? [0x40, 0x7E, 0x82, 0xBE, 0xBF, 0x01, 0x04, 0x84][Int(random.below(8))]
                        : UInt8(truncatingIfNeeded: random.next())
                }
                guard (try? decode(block, with: &decoder)) != nil else { break }
            }
            #expect(decoder.tableSize <= 300, "seed \(seed), round \(round)")
        }
    }
}
