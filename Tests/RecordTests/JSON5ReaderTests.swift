import Foundation
import Primitives
import Testing

@testable import RunRecords

/// The reader against Foundation's, which has no positions but the same grammar.
@Suite struct JSON5ReaderTests {
    @Test(arguments: [
        "{}", "[]", "{a:1,}", "[1,2,]", "{ /*c*/ 'b' : true, // x\n c: null }",
        "{\"a\":\"\\u00e9\\n\\x41\\ud83d\\ude00\"}",
        "{a:+1,b:-2,c:.5,d:5.,e:1e3,f:-1.5E-3,g:0x1F}", "{$a_1:'\"',\"b\":\"'\"}", "{ä:1}",
        "\u{FEFF}{a:1}", "{a:{b:[{c:1},[],{}]}}", "true", "\"x\"", " \t\r\n12 ",
    ])
    func `what Foundation accepts reads as the same value`(_ text: String) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let expected = try decoder.decode(JSONValue.self, from: Data(text.utf8))
        #expect(try JSON5Reader.read(text, source: "t").plain == expected)
    }

    @Test(arguments: [("'x\\\ny'", "xy"), ("'x\\\r\ny'", "xy"), ("'\\0\\v'", "\0\u{B}")])
    func `escapes that Foundation reads otherwise follow json5.org`(_ text: String, _ expected: String) throws {
        #expect(try JSON5Reader.read(text, source: "t").content == .string(expected))
    }

    @Test(arguments: [
        "{a:1 b:2}", "{a 1}", "{1a:1}", "[1 2]", "{,}", "[,]", "{a:}", "{a:1]", "\"\u{1}", "{a:01}", "{a:1__0}",
        "{a:_1}",
        "{a:1_}", "{a:--1}", "{a:0x}", "{a:1e}", "{a:.}", "{a:tru}", "{a:\"\\u12\"}", "/", "{a:1}}", "nul",
        "{a:'\\x4'}",
    ])
    func `what is not JSON5 is refused`(_ text: String) {
        #expect(throws: JSON5SyntaxError.self) { try JSON5Reader.read(text, source: "t") }
    }

    @Test func `positions count lines and characters`() throws {
        let value = try JSON5Reader.read("{\n  'ä': 1, /* ä\n */ b: [2,\n 3] }", source: "f")
        let members = try #require(value.members)
        #expect(members.map(\.origin.description) == ["f:2:3", "f:3:5"])
        #expect(members.map(\.value.origin.description) == ["f:2:8", "f:3:8"])
        guard case .array(let items) = members[1].value.content else {
            Issue.record("not a list")
            return
        }
        #expect(items.map(\.origin.description) == ["f:3:9", "f:4:2"])
    }

    @Test func `nesting is bounded`() throws {
        let allowed = JSON5Reader.depthMax
        let text = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(throws: Never.self) { try JSON5Reader.read(text(allowed), source: "t") }
        #expect(throws: JSON5SyntaxError.self) { try JSON5Reader.read(text(allowed + 1), source: "t") }
        #expect(throws: JSON5SyntaxError.self) {
            try JSON5Reader.read(String(repeating: "[", count: 1_000_000), source: "t")
        }
    }

    @Test func `a text cut at any byte is an error within the text`() throws {
        let bytes = Array(ProfileTests.fullText.utf8)
        for length in 0..<bytes.count {
            let text = String(decoding: bytes[..<length], as: UTF8.self)
            let error = #expect(throws: JSON5SyntaxError.self, "cut at \(length)") {
                try JSON5Reader.read(text, source: "t")
            }
            #expect((error?.offset ?? .max) <= length)
        }
    }

    @Test func `random bytes never trap`() {
        let seed: UInt64 = 20_240_601
        var random = SeededRandom(seed: seed)
        let alphabet = Array("{}[]:,'\"\\/*-+._0123456789abcdefuxENI \n\u{e4}".utf8)
        var acceptedCount = 0
        for _ in 0..<20_000 {
            let length = Int(random.below(24))
            let bytes = (0..<length).map { _ in alphabet[Int(random.below(UInt64(alphabet.count)))] }
            if (try? JSON5Reader.read(String(decoding: bytes, as: UTF8.self), source: "t")) != nil {
                acceptedCount += 1
            }
        }
        #expect(acceptedCount > 0 && acceptedCount < 10_000, "seed \(seed)")
    }
}

extension LocatedValue {
    /// The value without its places.
    fileprivate var plain: JSONValue {
        switch content {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let text): JSONValue(Double(text) ?? .nan)
        case .string(let text): .string(text)
        case .array(let values): .array(values.map(\.plain))
        case .object(let members):
            .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.plain) }))
        }
    }
}
