import Primitives
import Testing

@testable import Workload

@Suite struct NotificationSourceTests {
    static func synthetic(_ rates: FateRates = .allValid) throws -> TokenSource {
        .synthetic(try DevicePopulation(seed: 3, deviceCount: 500, rates: rates), TokenKey(seed: 3))
    }

    static func generated() throws -> PayloadSource {
        .generated(try PayloadGenerator(PayloadPlan(seed: 3, sizes: PayloadSizes(p50: 120, p99: 220, max: 256))))
    }

    static func token(_ source: NotificationSource, _ sequence: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: source.maxTokenBytes) { buffer, count in
            count = source.writeToken(sequence: sequence, into: UnsafeMutableRawPointer(buffer.baseAddress!))
        }
    }

    static func payload(_ source: NotificationSource, _ sequence: UInt64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: source.maxPayloadBytes) { buffer, count in
            count = source.writePayload(
                sequence: sequence, into: UnsafeMutableRawPointer(buffer.baseAddress!), capacity: buffer.count)
        }
    }

    @Test func `a synthetic token inverts to the device and fate that the source names`() throws {
        let source = NotificationSource(
            tokens: try Self.synthetic(FateRates(badToken: 0.2, unregistered: 0.2)), payloads: try Self.generated())
        for sequence in 0..<1_200 as Range<UInt64> {
            let device = try #require(TokenKeyTests.device(TokenKey(seed: 3), Self.token(source, sequence)))
            #expect(device.index == source.deviceIndex(sequence))
            #expect(device.fate == source.fate(sequence))
        }
        #expect(source.expectedCount(of: .badToken, notifications: 1_200) > 0)
    }

    @Test func `another source of the same seeds gives the same bytes after a skip-ahead`() throws {
        let left = NotificationSource(tokens: try Self.synthetic(), payloads: try Self.generated())
        let right = NotificationSource(tokens: try Self.synthetic(), payloads: try Self.generated())
        for sequence in 0..<1_000 as Range<UInt64> { _ = Self.token(left, sequence) }
        #expect(Self.token(left, 1_000) == Self.token(right, 1_000))
        #expect(Self.payload(left, 1_000) == Self.payload(right, 1_000))
    }

    private static func matches(_ source: NotificationSource, from start: UInt64, count: UInt64) -> Bool {
        var cursor = source.cursor(at: start)
        return (start..<start + count).allSatisfy { sequence in
            let token = [UInt8](unsafeUninitializedCapacity: source.maxTokenBytes) { buffer, count in
                count = source.writeToken(at: &cursor, into: UnsafeMutableRawPointer(buffer.baseAddress!))
            }
            return token == Self.token(source, sequence)
        }
    }

    @Test(arguments: [1, 2, 3, 500, 1_021] as [UInt64])
    func `a cursor gives the same tokens as single questions, round after round`(deviceCount: UInt64) throws {
        let population = try DevicePopulation(
            seed: 9, deviceCount: deviceCount, rates: FateRates(badToken: 0.1, otherTopic: 0.1))
        let source = NotificationSource(
            tokens: .synthetic(population, TokenKey(seed: 9)), payloads: try Self.generated())
        for start in [0, deviceCount - 1, 7 * deviceCount + 1] {
            #expect(Self.matches(source, from: start, count: 3 * deviceCount))
        }
    }

    @Test func `a cursor goes round a list of tokens`() throws {
        let list = try Self.list(["01", "0203", "040506"])
        let source = NotificationSource(tokens: .list(list, TokenKey(seed: 1)), payloads: try Self.generated())
        for start in 0..<7 as Range<UInt64> { #expect(Self.matches(source, from: start, count: 8)) }
    }

    static func list(_ lines: [String]) throws -> TokenList {
        try Array(lines.joined(separator: "\n").utf8).withUnsafeBytes {
            try TokenList(parsing: $0, fileName: "t", acceptedBytes: TokenList.documentedBytes)
        }
    }

    @Test func `a list's tokens come in its order over and over`() throws {
        let list = try Self.list(["01", "0203", "040506"])
        let source = NotificationSource(tokens: .list(list, TokenKey(seed: 1)), payloads: try Self.generated())
        #expect(source.maxTokenBytes == 3 && source.deviceCount == 3)
        let tokens = (0..<4 as Range<UInt64>).map { Self.token(source, $0) }
        #expect(tokens == [[1], [2, 3], [4, 5, 6], [1]])
        #expect(source.deviceIndex(4) == 1)
        #expect(source.fate(0) == .valid)
    }

    @Test func `a listed token that the key made keeps its fate`() throws {
        let key = TokenKey(seed: 6)
        let lines = [FateClass.badToken, .valid, .badToken].enumerated().map { index, fate in
            TokenKeyTests.token(key, SyntheticDevice(index: UInt64(index), environment: .sandbox, fate: fate))
                .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let source = NotificationSource(
            tokens: .list(try Self.list(lines + ["00"]), key), payloads: try Self.generated())
        #expect((0..<4 as Range<UInt64>).map { source.fate($0) } == [.badToken, .valid, .badToken, .valid])
        #expect(source.expectedCount(of: .badToken, notifications: 9) == 5)
        #expect(source.expectedCount(of: .valid, notifications: 9) == 4)
    }

    @Test func `a template is filled with the source's device`() throws {
        let template = try PayloadTemplateTests.parse(#"{"d":"{{device}}","n":{{sequence}}}"#)
        let source = NotificationSource(tokens: try Self.synthetic(), payloads: .template(template, limitBytes: 2_048))
        let text = String(decoding: Self.payload(source, 41), as: UTF8.self)
        #expect(text == #"{"d":""# + "\(source.deviceIndex(41))" + #"","n":41}"#)
        #expect(!source.isOversized(41))
    }

    @Test func `only the fillings of a template that are too long count as oversized`() throws {
        let template = try PayloadTemplateTests.parse(#"{"n":{{sequence}}}"#, limitBytes: 8, oversize: .wanted)
        let source = NotificationSource(tokens: try Self.synthetic(), payloads: .template(template, limitBytes: 8))
        #expect(!source.isOversized(99))
        #expect(source.isOversized(100))
    }

    static func fixed(_ text: String, limitBytes: Int = 256, oversize: OversizePolicy = .refused) throws
        -> PayloadGenerator
    {
        try Array(text.utf8).withUnsafeBytes {
            try PayloadGenerator(fixed: $0, name: "push.json", limitBytes: limitBytes, oversize: oversize)
        }
    }

    @Test func `a fixed payload is the same for every notification`() throws {
        let text = #"{"aps":{"alert":"hi"}}"#
        let source = NotificationSource(
            tokens: try Self.synthetic(), payloads: .generated(try Self.fixed(" \(text)\n")))
        for sequence in [0, 5, .max] as [UInt64] { #expect(Self.payload(source, sequence) == Array(text.utf8)) }
    }

    @Test func `a fixed payload that is no JSON object or too large is refused`() throws {
        #expect(throws: WorkloadError.invalidJSON(file: "push.json", offset: 10, line: 2, column: 9)) {
            try Self.fixed("{\n\"aps\":1,}")
        }
        let text = #"{"a":"\#(String(repeating: "é", count: 125))"}"#
        #expect(throws: WorkloadError.payloadTooLarge(bytes: 258, limit: 256)) { try Self.fixed(text) }
        #expect(try Self.fixed(text, oversize: .wanted).isOversized(0))
    }

    /// C57: a gateway throttles a token that it sees too often.
    @Test func `fewer devices than ten seconds of the rate are too few`() throws {
        let source = NotificationSource(tokens: try Self.synthetic(), payloads: try Self.generated())
        #expect(source.hasTooFewDevices(for: Rate(perSecond: 50.1)))
        #expect(!source.hasTooFewDevices(for: Rate(perSecond: 50)))
    }

    @Test func `several tasks read one source at once`() async throws {
        let source = NotificationSource(tokens: try Self.synthetic(), payloads: try Self.generated())
        let expected = (0..<100 as Range<UInt64>).map { Self.payload(source, $0) }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<100 as Range<UInt64>).map { Self.payload(source, $0) } == expected }
            }
            for await same in group { #expect(same) }
        }
    }
}
