import Primitives
import PushWire
import Testing

@Suite struct ErrorReplyTests {
    private static func encode(_ reply: ErrorReply) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: ErrorReply.byteCount + 2)
        bytes.withUnsafeMutableBytes { reply.write(into: $0) }
        #expect(bytes[6...] == [0xEE, 0xEE], "six bytes are written and no more")
        return Array(bytes[..<6])
    }

    private static func receive(_ bytes: ArraySlice<UInt8>, _ decoder: inout ErrorReplyDecoder)
        -> ErrorReplyDecoder.Outcome
    {
        Array(bytes).withUnsafeBytes { decoder.receive($0) }
    }

    @Test func `the worked example is encoded to its six bytes`() {
        let reply = ErrorReply(status: .invalidToken, identifier: 0x0102_0304)
        #expect(Self.encode(reply) == [0x08, 0x08, 0x01, 0x02, 0x03, 0x04])
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `whatever is encoded is decoded, cut anywhere`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let reply = ErrorReply(
            status: ErrorStatus(rawValue: UInt8(random.below(256))),
            identifier: UInt32(truncatingIfNeeded: random.next()))
        let bytes = Self.encode(reply)
        for cut in 0..<6 {
            var decoder = ErrorReplyDecoder()
            #expect(Self.receive(bytes[..<cut], &decoder) == .incomplete, "seed \(seed), cut \(cut)")
            #expect(decoder.pendingByteCount == cut)
            #expect(Self.receive(bytes[cut...], &decoder) == .reply(reply), "seed \(seed), cut \(cut)")
            #expect(decoder.pendingByteCount == 0)
        }
        var drip = ErrorReplyDecoder()
        for byte in bytes.indices {
            let expected: ErrorReplyDecoder.Outcome = byte == 5 ? .reply(reply) : .incomplete
            #expect(Self.receive(bytes[byte...byte], &drip) == expected, "seed \(seed)")
        }
    }

    @Test func `every status is decoded as the unsigned byte that it is`() {
        for value in UInt8.min...UInt8.max {
            var decoder = ErrorReplyDecoder()
            #expect(
                Self.receive([8, value, 0, 0, 0, 9], &decoder)
                    == .reply(ErrorReply(status: ErrorStatus(rawValue: value), identifier: 9)))
        }
    }

    @Test(arguments: (0...255).filter { $0 != 8 })
    func `a stream that begins with another byte is a violation`(first: Int) {
        var decoder = ErrorReplyDecoder()
        let bytes: [UInt8] = [UInt8(first), 8, 0, 0, 0, 1]
        #expect(Self.receive(bytes[...], &decoder) == .violation(LeadingBytes(bytes)))
    }

    @Test func `bytes behind a reply are left alone, and a second reply is decoded after it`() {
        var decoder = ErrorReplyDecoder()
        #expect(
            Self.receive([8, 7, 0, 0, 0, 1, 99, 99], &decoder)
                == .reply(ErrorReply(status: .invalidPayloadSize, identifier: 1)))
        #expect(decoder.pendingByteCount == 0)
        #expect(
            Self.receive([8, 10, 0xFF, 0xFF, 0xFF, 0xFF], &decoder)
                == .reply(ErrorReply(status: .shutdown, identifier: .max)))
    }

    @Test func `no bytes are no reply`() {
        var decoder = ErrorReplyDecoder()
        #expect(Self.receive([], &decoder) == .incomplete)
        #expect(decoder.pendingByteCount == 0)
    }
}

@Suite struct ErrorStatusTests {
    private static let documented: [UInt8: String] = [
        0: "no error", 1: "processing error", 2: "missing device token", 3: "missing topic", 4: "missing payload",
        5: "invalid token size", 6: "invalid topic size", 7: "invalid payload size", 8: "invalid token",
        10: "shutdown", 128: "protocol error", 255: "unknown",
    ]

    @Test func `every status has a name, undocumented ones by their number`() {
        for value in UInt8.min...UInt8.max {
            let name = ErrorStatus(rawValue: value).description
            #expect(name == Self.documented[value] ?? "undocumented \(value)")
        }
    }

    @Test func `the named constants are the documented values`() {
        let constants: [ErrorStatus] = [
            .noError, .processingError, .missingDeviceToken, .missingTopic, .missingPayload, .invalidTokenSize,
            .invalidTopicSize, .invalidPayloadSize, .invalidToken, .shutdown, .protocolError, .unknown,
        ]
        #expect(constants.map(\.rawValue) == Self.documented.keys.sorted())
        #expect(constants == constants.sorted())
    }
}
