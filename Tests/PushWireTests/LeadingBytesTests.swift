import PushWire
import Testing

@Suite struct LeadingBytesTests {
    @Test(arguments: 0...40) func `the first sixteen bytes are kept in their order`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
        let kept = LeadingBytes(bytes)
        #expect(kept.count == min(16, count))
        #expect(kept.bytes == Array(bytes.prefix(16)))
    }

    @Test func `bytes are told in hexadecimal`() {
        #expect(LeadingBytes([9, 8, 0, 255]).description == "09 08 00 ff")
        #expect(LeadingBytes([]).description.isEmpty)
    }

    @Test func `leading zeros count`() {
        #expect(LeadingBytes([0]) != LeadingBytes([0, 0]))
        #expect(Set([LeadingBytes([0, 1]), LeadingBytes([1]), LeadingBytes([0, 1])]).count == 2)
    }
}
