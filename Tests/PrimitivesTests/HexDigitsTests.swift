import Primitives
import Testing

/// Hexadecimal digits and what they stand for.
@Suite struct HexDigitsTests {
    @Test(arguments: [0, 1, 3, 4, 5, 32, 33]) func `bytes become digits and digits bytes again`(count: Int) {
        var random = SeededRandom(seed: 5)
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var digits = [UInt8](repeating: 0, count: 2 * count + 1)
        bytes.withUnsafeBytes { source in
            digits.withUnsafeMutableBytes { HexDigits.write(source, to: $0.baseAddress!) }
        }
        let expected = bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
        #expect(String(decoding: digits.dropLast(), as: UTF8.self) == expected)
        #expect(digits.last == 0, "nothing is written behind them")
        for spelling in [expected, expected.uppercased()] {
            var back = [UInt8](repeating: 0, count: count + 1)
            let isRead = Array(spelling.utf8).withUnsafeBytes { source in
                back.withUnsafeMutableBytes { HexDigits.read(source, to: $0.baseAddress!) }
            }
            #expect(isRead)
            #expect(Array(back.dropLast()) == bytes)
        }
    }

    @Test func `whatever is no digit is found at every place`() {
        let digits = Array("0123456789abcdefABCDEF01".utf8)
        for place in digits.indices {
            for byte in UInt8.min...UInt8.max {
                var text = digits
                text[place] = byte
                var bytes = [UInt8](repeating: 0, count: 12)
                let isRead = text.withUnsafeBytes { source in
                    bytes.withUnsafeMutableBytes { HexDigits.read(source, to: $0.baseAddress!) }
                }
                #expect(isRead == (HexDigits.value(of: byte) != nil), "byte \(byte) at \(place)")
            }
        }
        var byte: UInt8 = 0
        Array("123".utf8).withUnsafeBytes { source in
            withUnsafeMutableBytes(of: &byte) { destination in
                #expect(!HexDigits.read(source, to: destination.baseAddress!), "a digit is left over")
            }
        }
    }
}
