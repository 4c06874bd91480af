import Foundation
import Testing

@testable import Workload

@Suite struct PayloadTemplateTests {
    static let whole = """
        {"aps": {"alert": {"title": "{{title}}", "body": "{{body}}"}, "badge": {{badge}}, "sound": "{{sound}}"},
         "link": "{{link}}", "n": {{sequence}}, "device": "device {{device}}"}

        """

    static func parse(
        _ text: String, alphabet: TextAlphabet = .ascii, form: TextForm = .utf8, limitBytes: Int = 2_048,
        oversize: OversizePolicy = .refused
    ) throws -> PayloadTemplate {
        try Array(text.utf8).withUnsafeBytes {
            try PayloadTemplate(
                parsing: $0, name: "push.json", seed: 5, alphabet: alphabet, form: form, limitBytes: limitBytes,
                oversize: oversize)
        }
    }

    static func fill(_ template: PayloadTemplate, _ sequence: UInt64, _ device: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: template.maxBytes) { buffer, count in
            count = template.write(
                sequence: sequence, device: device, into: UnsafeMutableRawPointer(buffer.baseAddress!),
                capacity: buffer.count)
        }
    }

    @Test(arguments: TextAlphabet.allCases, TextForm.allCases)
    func `every filling is valid JSON with its fields in it`(alphabet: TextAlphabet, form: TextForm) throws {
        let template = try Self.parse(Self.whole, alphabet: alphabet, form: form)
        for sequence in Array(0..<200) + [99_999, .max] as [UInt64] {
            let payload = Self.fill(template, sequence, sequence / 2)
            #expect(payload.count <= template.maxBytes)
            let object = try PayloadGeneratorTests.object(payload)
            let aps = try #require(object["aps"] as? [String: Any])
            let alert = try #require(aps["alert"] as? [String: String])
            #expect(alert["title"]?.isEmpty == false && alert["body"]?.isEmpty == false)
            #expect((1...99).contains(aps["badge"] as? Int ?? 0))
            #expect(aps["sound"] as? String == "default")
            #expect((object["link"] as? String)?.hasPrefix("app://message/") == true)
            #expect((object["n"] as? NSNumber)?.uint64Value == sequence)
            #expect(object["device"] as? String == "device \(sequence / 2)")
        }
    }

    @Test func `titles and badges differ from one notification to the next and repeat for a resend`() throws {
        let template = try Self.parse(#"{"aps":{"alert":"{{title}}","badge":{{badge}}}}"#)
        let payloads = (0..<100 as Range<UInt64>).map { Self.fill(template, $0, 0) }
        #expect(Set(payloads).count > 90)
        #expect(payloads[7] == Self.fill(template, 7, 0))
    }

    @Test func `a template without fields is the file itself without the space around it`() throws {
        let template = try Self.parse("\n {\"aps\":{\"alert\":\"hi\"}}\r\n")
        #expect(Self.fill(template, 1, 1) == Array(#"{"aps":{"alert":"hi"}}"#.utf8))
    }

    @Test func `spaces inside the braces of a field do not matter`() throws {
        let template = try Self.parse(#"{"n":{{ sequence }}}"#)
        #expect(Self.fill(template, 12, 0) == Array(#"{"n":12}"#.utf8))
    }

    @Test func `braces of nested objects are no fields`() throws {
        let template = try Self.parse(#"{"a":{"b":{}},"c":{{badge}}}"#)
        #expect(try PayloadGeneratorTests.object(Self.fill(template, 1, 1)).count == 2)
    }

    struct Bad: Sendable, CustomStringConvertible {
        var description: String { text }
        let text: String
        let error: WorkloadError
        init(_ text: String, _ error: WorkloadError) {
            self.text = text
            self.error = error
        }
        static func json(_ text: String, _ offset: Int, _ line: Int, _ column: Int) -> Bad {
            Bad(text, .invalidJSON(file: "push.json", offset: offset, line: line, column: column))
        }
    }

    static let bad: [Bad] = [
        .json("", 0, 1, 1),
        .json("[]", 0, 1, 1),
        .json("{\"a\":1,\n \"b\":}", 13, 2, 6),
        .json(#"{"a":{{title}}}"#, 5, 1, 6),
        .json("{\n\"a\":{{sequence}}5}", 18, 2, 17),
        .json(#"{"a":0{{badge}}}"#, 6, 1, 7),
        .json(#"{"a":"\{{body}}"}"#, 7, 1, 8),
        .json(#"{"a":"\u{{body}}"}"#, 8, 1, 9),
        .json(#"{"a":"\u{{sound}}"}"#, 6, 1, 7),
        .json(#"{"a":"\u00{{badge}}"}"#, 19, 1, 20),
        .json(#"{"a":{{badge}}"#, 14, 1, 15),
        Bad(
            "{\"a\":\n  \"{{titel}}\"}",
            .unknownField(file: "push.json", name: "titel", offset: 9, line: 2, column: 4)),
        Bad(#"{"a":"{{title"}"#, .unterminatedField(file: "push.json", offset: 6, line: 1, column: 7)),
    ]

    @Test(arguments: bad)
    func `a bad template is refused with the place`(bad: Bad) {
        #expect(throws: bad.error) { try Self.parse(bad.text) }
    }

    @Test func `a template that can fill to more than the limit is refused unless that is wanted`() throws {
        let text = #"{"a":"{{body}}"}"#
        #expect(try Self.parse(text, limitBytes: 104).maxBytes == 104)
        #expect(throws: WorkloadError.payloadTooLarge(bytes: 104, limit: 103)) { try Self.parse(text, limitBytes: 103) }
        #expect(try Self.parse(text, limitBytes: 103, oversize: .wanted).maxBytes == 104)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 18_446_744_073_709_551_615, 9_999_999_999, 10_000_000_000] as [UInt64])
    func `decimal digits are those of the number`(value: UInt64) {
        let digits = [UInt8](unsafeUninitializedCapacity: 20) { buffer, count in
            count = DecimalDigits.write(value, to: UnsafeMutableRawPointer(buffer.baseAddress!))
        }
        #expect(String(decoding: digits, as: UTF8.self) == "\(value)")
    }
}
