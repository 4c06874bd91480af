import Foundation
import Primitives
import Testing

@testable import Workload

@Suite struct JSONSyntaxTests {
    static func check(_ bytes: [UInt8], _ topLevel: JSONSyntax.TopLevel = .anyValue) -> Int? {
        bytes.withUnsafeBytes { JSONSyntax.check($0, topLevel: topLevel) }
    }

    static let good = [
        "{}", "[]", "0", "-0", "1.5", "1e9", "1E+2", "-12.50e-03", "true", "false", "null", #""""#, " \t\r\n{} \n",
        #"{"a":1}"#, #"{"a":{"b":[1,2,{"c":null}]},"d":"e"}"#, "[[[]]]", "[{},{}]", #"["\"\\\/\b\f\n\r\t\u00e9"]"#,
        #"["\ud83d\ude00"]"#, "[\"\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}\"]",
        #"{"":0}"#, #"{"a" : [ 1 , 2 ] }"#, #"{"a":1,"a":2}"#, #"["a long text without anything special in it"]"#,
        #"{"aps":{"alert":{"title":"a","body":"b"},"badge":1,"sound":"default"},"link":"app://x"}"#,
    ]

    @Test(arguments: good)
    func `a good document has no error`(text: String) { #expect(Self.check(Array(text.utf8)) == nil) }

    struct Bad: Sendable {
        let text: String
        let offset: Int
        init(_ text: String, _ offset: Int) {
            self.text = text
            self.offset = offset
        }
    }

    static let bad = [
        Bad("", 0), Bad("  ", 2), Bad("{", 1), Bad("}", 0), Bad("[", 1), Bad("]", 0), Bad("[1", 2), Bad("[1,", 3),
        Bad("[1,]", 3), Bad("[,1]", 1), Bad("[1 2]", 3), Bad("[1}", 2), Bad(#"{"a"}"#, 4), Bad(#"{"a":}"#, 5),
        Bad(#"{"a":1,}"#, 7), Bad(#"{"a":1]"#, 6), Bad("{a:1}", 1), Bad("{1:1}", 1), Bad(#"{"a":1 "b":2}"#, 7),
        Bad("{}{}", 2), Bad("{} x", 3), Bad("01", 1), Bad("-", 1), Bad("-a", 1), Bad("+1", 0), Bad(".5", 0),
        Bad("1.", 2), Bad("1.e1", 2), Bad("1e", 2), Bad("1e+", 3), Bad("0x1", 1), Bad("NaN", 0), Bad("Infinity", 0),
        Bad("tru", 3), Bad("trUe", 2), Bad("nulll", 4), Bad("'a'", 0), Bad(#""abc"#, 4), Bad(#""a\"#, 3),
        Bad(#""\x""#, 2), Bad(#""\u12g4""#, 5), Bad(#""\u12"#, 5), Bad(#""\ud83d""#, 1), Bad(#""\ude00""#, 1),
        Bad(#""ab\ud83dcd""#, 3), Bad(#""\ud83d\u0041""#, 1), Bad(#""\ud83d\n""#, 1), Bad("\"a\u{1F}\"", 2),
        Bad("\"tab\t\"", 4), Bad("\"12345678\n\"", 9), Bad("\u{FEFF}{}", 0), Bad("{}\0", 2), Bad("[1,2]// no", 5),
        Bad("\"\0\"", 1),
    ]

    @Test(arguments: bad)
    func `a bad document's error is where it goes wrong`(bad: Bad) {
        #expect(Self.check(Array(bad.text.utf8)) == bad.offset)
    }

    static let badUTF8: [([UInt8], Int)] = [
        ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC3], 1), ([0xC3, 0x41], 1),
        ([0xE0, 0x80, 0x80], 1), ([0xE0, 0x9F, 0xBF], 1), ([0xE4, 0xB8], 2), ([0xED, 0xA0, 0x80], 1),
        ([0xED, 0xBF, 0xBF], 1), ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF0, 0x8F, 0xBF, 0xBF], 1),
        ([0xF0, 0x9F, 0x98], 3), ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFF], 0),
    ]

    @Test(arguments: badUTF8)
    func `bytes that are not UTF-8 are errors wherever they stand`(sequence: [UInt8], offset: Int) {
        for lead in 0...16 {
            let document = [0x22] + [UInt8](repeating: 0x61, count: lead) + sequence + [0x22]
            #expect(Self.check(document) == 1 + lead + offset)
        }
    }

    @Test func `a byte that needs attention is seen at every place in a word`() {
        for lead in 0...24 {
            let plain = [UInt8](repeating: 0x7A, count: lead)
            let rest = [UInt8](repeating: 0x7A, count: 9)
            for byte in 0...0x1F as ClosedRange<UInt8> {
                #expect(Self.check([0x22] + plain + [byte] + rest + [0x22]) == 1 + lead)
            }
            #expect(Self.check([0x22] + plain + [0x5C, 0x6E] + rest + [0x22]) == nil)
            #expect(Self.check([0x22] + plain + [0x22] + rest) == 2 + lead)
        }
    }

    @Test(arguments: ["[]", "1", #""a""#, "null", " [1]"])
    func `a payload is an object at the top`(text: String) {
        #expect(Self.check(Array(text.utf8), .object) == (text.hasPrefix(" ") ? 1 : 0))
    }

    @Test func `nesting is bounded`() {
        let limit = JSONSyntax.depthLimit
        let deepest = [UInt8](repeating: 0x5B, count: limit) + [UInt8](repeating: 0x5D, count: limit)
        #expect(Self.check(deepest) == nil)
        #expect(Self.check([0x5B] + deepest + [0x5D]) == limit)
        let objects = String(repeating: #"{"a":"#, count: limit) + "1" + String(repeating: "}", count: limit)
        #expect(Self.check(Array(objects.utf8)) == nil)
        #expect(Self.check([UInt8](repeating: 0x5B, count: 1_000_000)) == limit)
    }

    @Test func `every beginning of a document is an error at its end`() {
        let document = Array(#"{"a":[true,null,"é\u00e9",{"b":"c"}],"d":"😀"}"#.utf8)
        for length in 0..<document.count { #expect(Self.check(Array(document[..<length])) == length) }
        #expect(Self.check(document) == nil)
    }

    /// Foundation takes a comma before a closing bracket, and no number over a double's range; nothing else may differ.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the verdict on damaged documents is Foundation's`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("{}[],:\"\\u0123456789abcdefntr-+.eE é\u{1}".utf8)
        var bad = 0
        for _ in 0..<5_000 {
            var document = Array(Self.good[Int(random.below(UInt64(Self.good.count)))].utf8)
            for _ in 0...random.below(2) { Self.damage(&document, alphabet: alphabet, &random) }
            let ours = Self.check(document)
            let theirs = (try? JSONSerialization.jsonObject(with: Data(document), options: .fragmentsAllowed)) != nil
            bad += ours == nil ? 0 : 1
            if let offset = ours, theirs {
                let before = document[..<offset].last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
                #expect(
                    before == UInt8(ascii: ",") && [0x5D, 0x7D].contains(document[offset]),
                    "seed \(seed) offset \(offset): \(String(decoding: document, as: UTF8.self))")
            } else if ours != nil || !Self.hasLongExponent(document) {
                #expect(
                    (ours == nil) == theirs, "seed \(seed): \(String(decoding: document, as: UTF8.self)) \(document)")
            }
        }
        #expect((1_000...4_900).contains(bad), "seed \(seed): damage must make both kinds")
    }

    static func hasLongExponent(_ document: [UInt8]) -> Bool {
        String(decoding: document, as: UTF8.self).contains(/[eE][+]?[0-9]{3}/)
    }

    static func damage(_ document: inout [UInt8], alphabet: [UInt8], _ random: inout SeededRandom) {
        let byte = alphabet[Int(random.below(UInt64(alphabet.count)))]
        let place = Int(random.below(UInt64(max(1, document.count))))
        switch random.below(3) {
        case 0 where !document.isEmpty: document.remove(at: place)
        case 1 where !document.isEmpty: document[place] = byte
        default: document.insert(byte, at: min(place, document.count))
        }
    }
}
