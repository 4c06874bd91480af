import Primitives
import PushWire
import Testing

/// What the provider API adds to HTTP/2: requests, identifiers, responses, reasons.
@Suite struct ProviderAPITests {
    private static let ids = NotificationIDSpace(seed: 7)

    private static func template(_ change: (inout RequestFields) -> Void = { _ in }) -> RequestTemplate {
        var fields = RequestFields(authority: "a")
        fields.topic = "t"
        change(&fields)
        return RequestTemplate(fields: fields, ids: ids)
    }

    // MARK: - Requests

    @Test func `the first request fills the peer's table and the second one refers to it`() {
        var template = Self.template()
        let token = [UInt8](repeating: 0xAB, count: 32)
        let first = Request(&template, token: token, sequence: 0, stream: 1, payload: [1])
        let path = [0x04, 74] + Array("/3/device/".utf8) + Array(String(repeating: "ab", count: 32).utf8)
        let topic = [0x40, 10] + Array("apns-topic".utf8) + [1, 0x74]
        let name = [0x40, 7] + Array("apns-id".utf8) + [36]
        #expect(first.block == [0x83, 0x87, 0x41, 1, 0x61] + path + topic + name + idBytes(Self.ids, 0))
        let second = Request(&template, token: token, sequence: 1, stream: 3, payload: [1])
        #expect(second.block == [0x83, 0x87, 0xC0] + path + [0xBF] + [0x0F, 0x2F, 36] + idBytes(Self.ids, 1))
        #expect(second.flags == [4, 1])
    }

    @Test func `a request without a body ends with its headers`() {
        var template = Self.template()
        let request = Request(&template, token: [1, 2, 3], sequence: 0, stream: 1, payload: [])
        #expect(request.flags == [5])
        #expect(request.streams == [1])
    }

    @Test(arguments: [1, 32, 58, 59, 100, 122, 123, 256]) func `the body stands where the template says for any token`(
        count: Int
    ) {
        var template = Self.template()
        for sequence in 0..<3 as Range<UInt64> {
            let request = Request(
                &template, token: [UInt8](repeating: 1, count: count), sequence: sequence, stream: 1,
                payload: [9, 8, 7])
            #expect(request.body == [9, 8, 7])
        }
    }

    @Test func `a new authorization is one insertion, and the same one is none`() {
        var template = Self.template { $0.authorization = Array("bearer one".utf8) }
        func next() -> [UInt8] { Request(&template, token: [1], sequence: 0, stream: 1, payload: [1]).block }
        _ = next()
        let steady = next()
        template.setAuthorization(Array("bearer one".utf8))
        #expect(next() == steady)
        template.setAuthorization(Array("bearer two".utf8))
        let changed = next()
        #expect(changed.count == steady.count + 11, "1 byte of an index becomes 1 + 1 + 10 bytes")
        #expect(next().count == steady.count)
        // Authority and topic have moved by one, `apns-id` as well.
        #expect(steady[2] == 0xC1 && changed[2] == 0xC1 && next()[2] == 0xC2)
    }

    @Test func `a token that was replaced before it was ever sent leaves no trace`() {
        var template = Self.template { $0.authorization = Array("bearer one".utf8) }
        var other = Self.template { $0.authorization = Array("bearer two".utf8) }
        template.setAuthorization(Array("bearer zero".utf8))
        template.setAuthorization(Array("bearer two".utf8))
        for sequence in 0..<3 as Range<UInt64> {
            #expect(
                Request(&template, token: [1], sequence: sequence, stream: 1, payload: [1]).block
                    == Request(&other, token: [1], sequence: sequence, stream: 1, payload: [1]).block)
        }
    }

    @Test func `a peer without a table gets one announcement and literals only`() throws {
        var template = Self.template { $0.authorization = Array("bearer one".utf8) }
        template.setPeerTableSize(0)
        let first = Request(&template, token: [1], sequence: 0, stream: 1, payload: [1]).block
        let second = Request(&template, token: [1], sequence: 0, stream: 3, payload: [1]).block
        #expect(first == [0x20] + second)
        var decoder = HPACKDecoder(tableSizeLimit: 0)
        var forms: Set<HPACKForm> = []
        _ = try decode(second, with: &decoder) { forms.insert($0.form) }
        #expect(forms == [.indexed, .withoutIndexing])
        #expect(decoder.tableCount == 0)
    }

    // MARK: - Identifiers

    @Test(arguments: [0 as UInt64, 1, 41, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1234_5678_9ABC, NotificationIDSpace.count - 1])
    func `an identifier is a canonical UUID and gives its number back`(sequence: UInt64) throws {
        let text = String(decoding: idBytes(Self.ids, sequence), as: UTF8.self)
        #expect(
            text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil, "\(text)"
        )
        #expect(text.hasSuffix(String(sequence + 1, radix: 16)))
        for spelling in [text, text.uppercased()] {
            Array(spelling.utf8).withUnsafeBytes { #expect(Self.ids.sequence(of: $0) == sequence) }
        }
        Array(text.utf8).withUnsafeBytes { #expect(NotificationIDSpace(seed: 8).sequence(of: $0) == nil) }
    }

    @Test func `what is no identifier of the run has no number`() {
        let good = idBytes(Self.ids, 5)
        for place in good.indices {
            for byte in [0x00, 0x2F, 0x3A, 0x40, 0x47, 0x60, 0x67, 0x7F, 0xFF, 0x16] as [UInt8] {
                var bad = good
                bad[place] = byte
                bad.withUnsafeBytes { #expect(Self.ids.sequence(of: $0) == nil, "\(place) \(byte)") }
            }
        }
        Array(good.dropLast()).withUnsafeBytes { #expect(Self.ids.sequence(of: $0) == nil) }
        var zero = good
        zero[35] = UInt8(ascii: "0")
        zero.withUnsafeBytes { #expect(Self.ids.sequence(of: $0) == nil) }
    }

    // MARK: - Responses

    private static func head(_ block: [UInt8]) throws(HTTP2Violation) -> HTTP2ResponseHead {
        var assembler = HeaderBlockAssembler()
        var decoder = ResponseDecoder(ids: ids)
        let result = block.withUnsafeBytes { payload -> Result<HTTP2ResponseHead, HTTP2Violation> in
            do throws(HTTP2Violation) {
                let header = HTTP2FrameHeader(type: .headers, flags: .endHeaders, streamID: 9, length: payload.count)
                guard let block = try assembler.take(HTTP2Frame(header: header, payload: payload)) else {
                    return .failure(HTTP2Violation(.fieldTruncated))
                }
                return .success(try decoder.decode(block))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    @Test func `success is seen in the first byte, behind an announcement too`() {
        for (block, isSuccess) in [
            ([0x88], true), ([0x20, 0x88], true), ([0x88, 0x0F], true), ([0x20], false), ([], false), ([0x8C], false),
            ([0x21, 0x88], false), ([0x48], false),
        ] as [([UInt8], Bool)] {
            block.withUnsafeBytes { #expect(ResponseDecoder.isSuccess($0) == isSuccess) }
        }
    }

    @Test func `any other response is decoded, whatever way its status is written`() throws {
        let encoder = Nghttp2Encoder(tableSize: 0)
        let id = String(decoding: idBytes(Self.ids, 77), as: UTF8.self)
        for status in ["200", "400", "403", "410", "413", "429", "503"] {
            let block = encoder.encode([
                Field(":status", status), Field("apns-id", id.uppercased()), Field("content-type", "application/json"),
                Field("retry-after", "30"),
            ])
            let head = try Self.head(block)
            #expect(head.status == Int(status))
            #expect(head.sequence == 77)
            #expect(head.retryAfterSeconds == 30)
            #expect(!head.isInterim)
        }
    }

    @Test(arguments: [
        [Field("apns-id", "x")], [Field("apns-id", "x"), Field(":status", "400")],
        [Field(":status", "400"), Field(":status", "400")], [Field(":status", "40")], [Field(":status", "4000")],
        [Field(":status", "4x0")], [Field(":status", "099")], [Field(":status", "400"), Field(":path", "/")],
        [Field(":status", "400"), Field("connection", "close")], [Field(":status", "400"), Field("a", "b\nc")],
        [Field(":status", "400"), Field("UPPER", "x")],
    ])
    func `what is no response costs its stream`(fields: [Field]) {
        let block = Nghttp2Encoder(tableSize: 0).encode(fields)
        #expect(throws: HTTP2Violation(.malformedMessage, scope: .stream(9))) { try Self.head(block) }
    }

    // MARK: - Reasons

    private static func body(_ text: String) -> RefusalBody { Array(text.utf8).withUnsafeBytes { RefusalBody($0) } }

    @Test func `the timestamp of a device token that is gone is in milliseconds`() {
        let body = Self.body(#"{"reason":"Unregistered","timestamp":1454948015990}"#)
        #expect(body.reason == .known(.unregistered))
        // 8 February 2016, 16:13:35.990 UTC
        #expect(body.timestampMilliseconds == 1_454_948_015_990)
    }

    @Test(arguments: [
        (#"{"reason":"BadDeviceToken"}"#, RefusalBody(reason: .known(.badDeviceToken))),
        (" {\n \"reason\" : \"Shutdown\" }\n", RefusalBody(reason: .known(.shutdown))),
        (#"{"x":[1,{"y":"}"}],"z":null,"reason":"BadPath"}"#, RefusalBody(reason: .known(.badPath))),
        (#"{"reason":"Nobody knows"}"#, RefusalBody(reason: .unknown("Nobody knows"))),
        (#"{"reason":""}"#, RefusalBody(reason: .absent)), (#"{"reason":7}"#, RefusalBody(reason: .absent)),
        ("", RefusalBody(reason: .absent)), ("<html>", RefusalBody(reason: .absent)),
        ("{", RefusalBody(reason: .absent)),
        (#"{"reason":"Bad"#, RefusalBody(reason: .absent)), (#"{"reason":"a\"#, RefusalBody(reason: .absent)),
        (
            #"{"timestamp":17.5,"reason":"Unregistered"}"#,
            RefusalBody(reason: .known(.unregistered), timestampMilliseconds: 17)
        ),
        (
            #"{"timestamp":99999999999999999999,"reason":"Unregistered"}"#,
            RefusalBody(reason: .known(.unregistered))
        ),
        (#"{"timestamp":"1454948015990"}"#, RefusalBody(reason: .absent)),
    ])
    func `a body is read as far as it is one`(text: String, body: RefusalBody) {
        #expect(Self.body(text) == body)
    }

    @Test func `deep nesting and long reasons are cut`() {
        #expect(Self.body("{\"a\":" + String(repeating: "[", count: 100_000)).reason == .absent)
        let long = Self.body("{\"reason\":\"" + String(repeating: "x", count: 10_000) + "\"}")
        #expect(long.reason == .unknown(String(repeating: "x", count: 64)))
    }

    @Test(arguments: RefusalReason.allCases) func `every reason is found by its name and written as it is read`(
        reason: RefusalReason
    ) {
        let text = "\(reason.name)"
        Array(text.utf8).withUnsafeBytes { #expect(RefusalReason(name: $0) == reason) }
        for timestamp in [nil, 1_454_948_015_990] as [Int64?] {
            let body = RefusalBody(reason: .known(reason), timestampMilliseconds: timestamp)
            var buffer = [UInt8](repeating: 0, count: RefusalBody.maxByteCount)
            let count = buffer.withUnsafeMutableBytes { body.write(to: $0.baseAddress!) }
            #expect(Self.body(String(decoding: buffer[..<count], as: UTF8.self)) == body)
        }
        let statuses: Set = [400, 403, 404, 405, 410, 413, 429, 500, 503]
        #expect(statuses.contains(reason.status))
    }

    @Test func `the reasons that must never be tried again are those of the documents`() {
        // Protocol sheet, section 3.4, retry rules; a deleted channel is gone likewise.
        #expect(
            Set(RefusalReason.allCases.filter { $0.retry == .never && $0.sources.contains(.notifications) }) == [
                .badDeviceToken, .deviceTokenNotForTopic, .forbidden, .expiredToken, .unregistered, .payloadTooLarge,
            ])
        for reason in RefusalReason.allCases where reason.status >= 500 {
            #expect(reason.retry == (reason == .shutdown ? .otherConnection : .backoff))
        }
        #expect(RefusalReason.tooManyRequests.retry == .later)
        #expect(RefusalReason.allCases.filter { $0.sources.contains(.notifications) }.count == 32)
        #expect(RefusalReason.allCases.filter { $0.sources.contains(.broadcasts) }.count == 28)
    }
}
