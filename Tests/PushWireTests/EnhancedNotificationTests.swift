import Primitives
import PushWire
import Testing

@Suite struct EnhancedNotificationTests {
    /// The worked vector of `protocol.md` 1.4: 67 bytes.
    static let vector = Parts(
        identifier: 0x0102_0304, expiry: 0x6600_0000, token: Array(0x00...0x1F),
        payload: Array(#"{"aps":{"alert":"hi"}}"#.utf8))
    static let vectorBytes: [UInt8] =
        [0x01, 0x01, 0x02, 0x03, 0x04, 0x66, 0x00, 0x00, 0x00, 0x00, 0x20] + Array(0x00...0x1F) + [0x00, 0x16]
        + Array(#"{"aps":{"alert":"hi"}}"#.utf8)

    @Test func `the worked example is encoded to its 67 bytes`() {
        #expect(Self.vectorBytes.count == 67)
        #expect(Self.vector.frame == Self.vectorBytes)
    }

    @Test func `the worked example is read back`() {
        #expect(read([Self.vectorBytes[...]]).seen == [.notification(Self.vector)])
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `whatever is encoded is read back`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let tokenBytes = Int(random.below(101))
        let parts = (0..<20).map { _ in Parts.drawn(from: &random, tokenBytes: tokenBytes, payloadLimit: 2_048) }
        let stream = parts.flatMap(\.frame)
        let parser = NotificationParser(payloadLimit: 2_048, tokenBytes: tokenBytes...tokenBytes)
        #expect(read([stream[...]], parser: parser).seen == parts.map { .notification($0) }, "seed \(seed)")
    }

    @Test func `leading zero bytes of a token survive`() {
        var parts = Self.vector
        parts.token = Array(repeating: 0, count: 31) + [1]
        #expect(read([parts.frame[...]]).seen == [.notification(parts)])
    }

    @Test func `the longest lengths that the format can say are encoded and read`() {
        let parts = Parts(
            identifier: .max, expiry: .max, token: Array(repeating: 7, count: 65_535),
            payload: Array(repeating: 9, count: 65_535))
        let parser = NotificationParser(payloadLimit: 65_535, tokenBytes: 0...65_535)
        #expect(parts.frame.count == 131_083)
        #expect(parser.frameLimit == 131_099, "a command 2 has more beside token and payload")
        #expect(read([parts.frame[...]], parser: parser).seen == [.notification(parts)])
    }

    /// A declared length and what a straight reading makes of it.
    struct Length: CustomTestStringConvertible {
        var tokenBytes: Int
        var payloadBytes: Int
        var status: ErrorStatus?
        var testDescription: String { "token \(tokenBytes), payload \(payloadBytes)" }
    }

    @Test(arguments: [
        Length(tokenBytes: 0, payloadBytes: 10, status: .missingDeviceToken),
        Length(tokenBytes: 1, payloadBytes: 10, status: .invalidTokenSize),
        Length(tokenBytes: 31, payloadBytes: 10, status: .invalidTokenSize),
        Length(tokenBytes: 32, payloadBytes: 10, status: nil),
        Length(tokenBytes: 33, payloadBytes: 10, status: .invalidTokenSize),
        Length(tokenBytes: 54, payloadBytes: 10, status: .invalidTokenSize),
        Length(tokenBytes: 100, payloadBytes: 10, status: .invalidTokenSize),
        Length(tokenBytes: 65_535, payloadBytes: 10, status: .invalidTokenSize),
        Length(tokenBytes: 32, payloadBytes: 0, status: .missingPayload),
        Length(tokenBytes: 32, payloadBytes: 1, status: nil),
        Length(tokenBytes: 32, payloadBytes: 256, status: nil),
        Length(tokenBytes: 32, payloadBytes: 257, status: .invalidPayloadSize),
        Length(tokenBytes: 32, payloadBytes: 65_535, status: .invalidPayloadSize),
        Length(tokenBytes: 0, payloadBytes: 0, status: .missingDeviceToken),
    ])
    func `a length is taken or earns its status`(length: Length) {
        let parts = Parts(
            identifier: 77, expiry: 0, token: Array(repeating: 1, count: length.tokenBytes),
            payload: Array(repeating: 2, count: length.payloadBytes))
        let expected: [Seen] = length.status.map { [.refused($0, 77)] } ?? [.notification(parts)]
        #expect(read([parts.frame[...]]).seen == expected)
    }

    @Test(arguments: [1, 31, 32, 33, 54, 80, 100])
    func `a parser for variable tokens takes 1 to 100 bytes`(tokenBytes: Int) {
        var parts = Self.vector
        parts.token = Array(repeating: 3, count: tokenBytes)
        let parser = NotificationParser(payloadLimit: 256, tokenBytes: 1...100)
        #expect(read([parts.frame[...]], parser: parser).seen == [.notification(parts)])
    }

    /// C20: what follows from a declared token length that is not the real one, by a straight reading of the bytes.
    @Test func `a token that is one byte short shifts the payload's length`() {
        var frame = Self.vector.frame
        frame.remove(at: 42)
        // The payload's length is now read from 0x16 and the payload's first byte: 0x167B bytes, over the limit.
        #expect(read([frame[...]]).seen == [.refused(.invalidPayloadSize, 0x0102_0304)])
    }

    @Test func `a token that is one byte long leaves a payload without bytes`() {
        var frame = Self.vector.frame
        frame.insert(0, at: 43)
        // The payload's length is now read from two zeros.
        #expect(read([frame[...]]).seen == [.refused(.missingPayload, 0x0102_0304)])
    }

    @Test(arguments: 3...255)
    func `any other command is unknown and is told`(command: Int) {
        var frame = Self.vector.frame
        frame[0] = UInt8(command)
        #expect(read([frame[...]]).seen == [.unknownCommand(UInt8(command))])
    }
}
