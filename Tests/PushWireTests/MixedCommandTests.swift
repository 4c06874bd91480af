import Primitives
import PushWire
import Testing

/// Commands 0, 1 and 2 on one stream; what each form of a command 2 earns.
@Suite struct MixedCommandTests {
    private static let token: [UInt8] = Array(0x00...0x1F)
    private static let payload = Array(#"{"aps":{"alert":"hi"}}"#.utf8)
    private static let vector = Parts(
        identifier: 0x0102_0304, expiry: 0x6600_0000, token: token, payload: payload)

    private static func vector(_ command: UInt8) -> Parts {
        var parts = vector
        parts.command = command
        if command == 0 { (parts.identifier, parts.hasIdentifier, parts.expiry) = (0, false, 0) }
        return parts
    }

    /// The worked vectors of `protocol.md` 1.4, written out.
    private static let vectorBytes: [[UInt8]] = [
        [0x00, 0x00, 0x20] + token + [0x00, 0x16] + payload,
        [0x01, 0x01, 0x02, 0x03, 0x04, 0x66, 0x00, 0x00, 0x00, 0x00, 0x20] + token + [0x00, 0x16] + payload,
        [0x02, 0x00, 0x00, 0x00, 0x4E, 0x01, 0x00, 0x20] + token + [0x02, 0x00, 0x16] + payload
            + [
                0x03, 0x00, 0x04, 0x01, 0x02, 0x03, 0x04, 0x04, 0x00, 0x04, 0x66, 0x00, 0x00, 0x00, 0x05, 0x00, 0x01,
                0x0A,
            ],
    ]

    @Test(arguments: [(UInt8(0), 59), (1, 67), (2, 83)])
    func `the worked examples are encoded to their bytes and read back`(command: UInt8, byteCount: Int) {
        let bytes = Self.vectorBytes[Int(command)]
        #expect(bytes.count == byteCount)
        #expect(Self.vector(command).frame == bytes)
        #expect(read([bytes[...]]).seen == [.notification(Self.vector(command))])
    }

    @Test func `C55 three commands back to back are three notifications, however they are cut`() {
        let stream = Self.vectorBytes.flatMap { $0 }
        let expected = (UInt8(0)...2).map { Seen.notification(Self.vector($0)) }
        for cut in 0...stream.count {
            #expect(read([stream[..<cut], stream[cut...]]).seen == expected, "cut at \(cut)")
        }
        #expect(read(stream.indices.map { stream[$0...$0] }).seen == expected)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `mixed streams in random pieces are what was encoded`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = (0..<60).map { _ in Parts.drawnMixed(from: &random, payloadLimit: 256) }
        let pieces = randomPieces(of: parts.flatMap(\.frame), longest: 1 + random.below(900), random: &random)
        #expect(read(pieces).seen == parts.map { .notification($0) }, "seed \(seed)")
    }

    @Test(arguments: [AfterRefusal.nothing, .acceptAnyLength], [UInt64(1), 2, 3])
    func `a mutation of any byte of a mixed stream is judged as a plain reading judges it`(
        after: AfterRefusal, seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        let stream = (0..<6).flatMap { _ in Parts.drawnMixed(from: &random, payloadLimit: 12).frame }
        for index in stream.indices {
            for change in [0x01, 0x02, 0x03, 0x04, 0x80, 0xFF] as [UInt8] {
                var mutant = stream
                mutant[index] ^= change
                let expected = plainReading(of: mutant, after, payloadLimit: 256)
                #expect(read([mutant[...]], after).seen == expected, "seed \(seed), byte \(index) ^ \(change)")
                let drip = mutant.indices.map { mutant[$0...$0] }
                #expect(read(drip, after).seen == expected, "seed \(seed), byte \(index) ^ \(change), in single bytes")
            }
        }
    }

    /// Items drawn with every kind of fault, in any order.
    private static func drawnItems(_ random: inout SeededRandom) -> [(id: UInt8, data: [UInt8])] {
        var items: [(id: UInt8, data: [UInt8])] = [
            (1, Parts.bytes(32, from: &random)), (2, Parts.bytes(1 + Int(random.below(200)), from: &random)),
            (3, Parts.bytes(4, from: &random)), (4, Parts.bytes(4, from: &random)),
            (5, [random.below(2) == 0 ? 5 : 10]),
        ]
        for index in items.indices where random.below(12) == 0 {
            let lengths = [0, 1, 4, 31, 33, 100, 257, 3_000, 20_000]
            items[index].data = Parts.bytes(lengths[Int(random.below(9))], from: &random)
        }
        if random.below(4) == 0 { items.remove(at: Int(random.below(UInt64(items.count)))) }
        if random.below(8) == 0 { items.append(items[Int(random.below(UInt64(items.count)))]) }
        if random.below(8) == 0 {
            items.append((UInt8(random.below(256)), Parts.bytes(Int(random.below(5)), from: &random)))
        }
        for index in items.indices.dropFirst() { items.swapAt(index, Int(random.below(UInt64(index + 1)))) }
        return items
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `any items in any order and any pieces are judged as a plain reading judges them`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var stream: [UInt8] = []
        for _ in 0..<12 {
            stream += random.below(3) == 0 ? Parts.drawnMixed(from: &random).frame : framed(Self.drawnItems(&random))
        }
        for after in [AfterRefusal.nothing, .acceptAnyLength] {
            let pieces = randomPieces(of: stream, longest: 1 + random.below(5_000), random: &random)
            let result = read(pieces, after)
            #expect(result.seen == plainReading(of: stream, after, payloadLimit: 256), "seed \(seed)")
            #expect(result.reader.unfinishedByteCount <= 131_099, "seed \(seed)")
        }
    }

    @Test func `all orders of the five items are one notification`() {
        let items: [(id: UInt8, data: [UInt8])] = [
            (1, Self.token), (2, Self.payload), (3, [1, 2, 3, 4]), (4, [0x66, 0, 0, 0]), (5, [10]),
        ]
        var orders: [[Int]] = [[]]
        for _ in items {
            orders = orders.flatMap { order in items.indices.filter { !order.contains($0) }.map { order + [$0] } }
        }
        #expect(orders.count == 120)
        for order in orders {
            #expect(read([framed(order.map { items[$0] })[...]]).seen == [.notification(Self.vector(2))], "\(order)")
        }
    }

    @Test func `what is optional may be missing`() {
        var parts = Self.vector(2)
        (parts.identifier, parts.hasIdentifier, parts.expiry) = (0, false, 0)
        #expect(read([framed([(2, Self.payload), (1, Self.token)])[...]]).seen == [.notification(parts)])
    }

    /// Items, and what they earn.
    struct Form: CustomTestStringConvertible {
        var testDescription: String
        var items: [(id: UInt8, data: [UInt8])]
        var status: ErrorStatus
        var identifier: UInt32 = 0
    }

    private static let id: (id: UInt8, data: [UInt8]) = (3, [0, 0, 0, 9])
    private static let good: [(id: UInt8, data: [UInt8])] = [(1, token), (2, payload)]

    @Test(arguments: [
        Form(testDescription: "no token", items: [(2, payload), id], status: .missingDeviceToken, identifier: 9),
        Form(testDescription: "no payload", items: [id, (1, token)], status: .missingPayload, identifier: 9),
        Form(testDescription: "nothing at all", items: [], status: .missingDeviceToken),
        Form(testDescription: "identifier alone", items: [id], status: .missingDeviceToken, identifier: 9),
        Form(
            testDescription: "C11: empty token before the identifier", items: [(1, []), (2, payload), id],
            status: .missingDeviceToken),
        Form(
            testDescription: "empty token behind the identifier", items: [id, (1, []), (2, payload)],
            status: .missingDeviceToken, identifier: 9),
        Form(
            testDescription: "empty payload before the identifier", items: [(1, token), (2, []), id],
            status: .missingPayload, identifier: 9),
        Form(
            testDescription: "short token", items: [(1, Array(token.dropLast())), (2, payload), id],
            status: .invalidTokenSize, identifier: 9),
        Form(
            testDescription: "long payload before the identifier",
            items: [(1, token), (2, Array(repeating: 0x20, count: 257)), id], status: .invalidPayloadSize, identifier: 9
        ),
        Form(
            testDescription: "payload of 65,535 bytes before the identifier, longer than a frame that is kept",
            items: [(1, token), (2, Array(repeating: 0x20, count: 65_535)), id], status: .invalidPayloadSize),
        Form(
            testDescription: "payload of 65,535 bytes behind the identifier",
            items: [id, (1, token), (2, Array(repeating: 0x20, count: 65_535))], status: .invalidPayloadSize,
            identifier: 9),
        Form(testDescription: "two tokens", items: good + [(1, token), id], status: .protocolError, identifier: 9),
        Form(testDescription: "two payloads", items: good + [(2, payload), id], status: .protocolError, identifier: 9),
        Form(
            testDescription: "two identifiers: the first one is named", items: good + [id, (3, [0, 0, 0, 8])],
            status: .protocolError, identifier: 9),
        Form(
            testDescription: "two expiries", items: good + [id, (4, [0, 0, 0, 0]), (4, [0, 0, 0, 0])],
            status: .protocolError, identifier: 9),
        Form(
            testDescription: "two priorities", items: good + [id, (5, [10]), (5, [10])], status: .protocolError,
            identifier: 9),
        Form(testDescription: "item 0", items: good + [(0, []), id], status: .protocolError, identifier: 9),
        Form(testDescription: "item 6", items: good + [id, (6, [1])], status: .protocolError, identifier: 9),
        Form(testDescription: "identifier of 3 bytes", items: good + [(3, [0, 0, 9])], status: .protocolError),
        Form(testDescription: "identifier of 5 bytes", items: good + [(3, [0, 0, 0, 0, 9])], status: .protocolError),
        Form(
            testDescription: "expiry of 8 bytes", items: good + [(4, Array(repeating: 0, count: 8)), id],
            status: .protocolError, identifier: 9),
        Form(
            testDescription: "priority of 4 bytes", items: good + [id, (5, [0, 0, 0, 10])], status: .protocolError,
            identifier: 9),
        Form(testDescription: "priority 7", items: good + [(5, [7]), id], status: .protocolError, identifier: 9),
        Form(testDescription: "the first fault decides", items: [(9, []), (1, []), id], status: .protocolError),
    ])
    func `a wrong form earns its documented status`(form: Form) {
        let frame = framed(form.items)
        #expect(read([frame[...]]).seen == [.refused(form.status, form.identifier)])
        #expect(read(frame.indices.map { frame[$0...$0] }).seen == [.refused(form.status, form.identifier)])
        #expect(plainReading(of: frame, .nothing, payloadLimit: 256) == [.refused(form.status, form.identifier)])
    }

    @Test(arguments: [1, 2, 3, 10]) func `an item that does not fit into its frame is a protocol error`(missing: Int) {
        var frame = framed(Self.good + [Self.id])
        frame[4] -= UInt8(missing)
        #expect(read([frame[...]]).seen.first == .refused(.protocolError, 0))
        frame = framed([Self.id] + Self.good)
        frame[4] -= UInt8(missing)
        #expect(read([frame[...]]).seen.first == .refused(.protocolError, 9))
    }

    @Test func `a frame of four gigabytes is refused by its first fault and never kept`() {
        let frame: [UInt8] =
            [2, 0xFF, 0xFF, 0xFF, 0xFF] + [3, 0, 4, 0, 0, 0, 9] + [1, 0, 32] + Self.token + [2, 0, 1, 0x20] + [1]
        let early = read([frame[...]])
        #expect(early.seen.isEmpty, "an item's length may still make it another fault")
        #expect(early.reader.unfinishedByteCount == frame.count)
        #expect(read([frame[...], [0, 32]]).seen == [.refused(.protocolError, 9)])
        var late = read([frame[...], [0, 32]], .acceptAnyLength)
        for _ in 0..<100 {
            [UInt8](repeating: 1, count: 60_000).withUnsafeBytes { late.reader.read($0) { _, _ in } }
        }
        #expect(late.reader.unfinishedByteCount == 0, "what cannot hold a notification is not waited for")
    }

    @Test(arguments: [1, 31, 32, 33, 54, 80, 100], [UInt8(0), 1, 2])
    func `C37 a parser for variable tokens takes 1 to 100 bytes in all commands`(tokenBytes: Int, command: UInt8) {
        var parts = Self.vector(command)
        parts.token = Array(repeating: 0, count: tokenBytes)
        let variable = NotificationParser(payloadLimit: 256, tokenBytes: 1...100)
        #expect(read([parts.frame[...]], parser: variable).seen == [.notification(parts)])
        let strict = read([parts.frame[...]]).seen
        #expect(strict == (tokenBytes == 32 ? [.notification(parts)] : [.refused(.invalidTokenSize, parts.identifier)]))
    }

    @Test(arguments: [0, 101, 65_535], [UInt8(0), 1, 2])
    func `C37 a parser for variable tokens refuses no byte and 101`(tokenBytes: Int, command: UInt8) {
        var parts = Self.vector(command)
        parts.token = Array(repeating: 1, count: tokenBytes)
        let variable = NotificationParser(payloadLimit: 256, tokenBytes: 1...100)
        let status: ErrorStatus = tokenBytes == 0 ? .missingDeviceToken : .invalidTokenSize
        // In a command 2 the identifier stands behind the token, and is not looked for behind an empty one.
        let isNamed = command == 1 || command == 2 && tokenBytes == 101
        #expect(
            read([parts.frame[...]], parser: variable).seen == [.refused(status, isNamed ? parts.identifier : 0)])
    }

    @Test(arguments: [256, 2_048, 4_096, 5_120], [UInt8(0), 1, 2])
    func `C38 a payload of the limit is taken, and one byte more is not`(limit: Int, command: UInt8) {
        let parser = NotificationParser(payloadLimit: limit)
        var parts = Self.vector(command)
        parts.payload = Array(repeating: 0x20, count: limit)
        #expect(read([parts.frame[...]], parser: parser).seen == [.notification(parts)])
        parts.payload.append(0x20)
        #expect(read([parts.frame[...]], parser: parser).seen == [.refused(.invalidPayloadSize, parts.identifier)])
    }

    @Test func `the expiry is read as signed, and only a positive one stores`() {
        func isStored(_ frame: [UInt8]) -> [Bool] {
            var stored: [Bool] = []
            var reader = NotificationReader(parser: NotificationParser())
            frame.withUnsafeBytes {
                reader.read($0) { frame, _ in
                    guard case .notification(let view) = frame else { return }
                    stored.append(view.storedUntil(readingSigned: true) > 0)
                }
            }
            return stored
        }
        for command in [UInt8(1), 2] {
            for (expiry, expected) in [
                (UInt32(0), false), (1, true), (0x7FFF_FFFF, true), (0x8000_0000, false), (.max, false),
            ] {
                var parts = Self.vector(command)
                parts.expiry = expiry
                #expect(isStored(parts.frame) == [expected], "command \(command), expiry \(expiry)")
            }
        }
        #expect(isStored(Self.vector(0).frame) == [true], "command 0 is kept, however stale")
        #expect(isStored(framed(Self.good)) == [false], "clients leave the item out for 0")
    }

    @Test(arguments: MalformedToken.allCases, [UInt8(0), 1, 2])
    func `C20 a damaged token earns what a straight reading of its bytes gives`(
        damage: MalformedToken, command: UInt8
    ) {
        let parts = Self.vector(command)
        var frame = parts.frame
        let byteCount = frame.withUnsafeMutableBytes { bytes in
            let base = bytes.baseAddress!
            switch command {
            case 0: return damage.damage(base, of: SimpleNotification.self, tokenBytes: 32, byteCount: bytes.count)
            case 1: return damage.damage(base, of: EnhancedNotification.self, tokenBytes: 32, byteCount: bytes.count)
            default: return damage.damage(base, of: FramedNotification.self, tokenBytes: 32, byteCount: bytes.count)
            }
        }
        frame.removeSubrange(byteCount...)
        let real: Int =
            switch damage {
            case .missingByte: parts.frame.count - 1
            case .extraByte: parts.frame.count
            case .empty: parts.frame.count - 32
            }
        #expect(byteCount == real)
        // One byte short, the payload's length 0x0016 and its first byte 0x7B are read as 0x167B, or as an item's header.
        // One byte long, the declared 31 is no length of a token.
        let expected: ErrorStatus =
            switch (damage, command) {
            case (.extraByte, _): .invalidTokenSize
            case (.missingByte, 2): .protocolError
            case (.missingByte, _): .invalidPayloadSize
            case (.empty, _): .missingDeviceToken
            }
        let identifier: UInt32 = command == 0 ? 0 : command == 1 || damage == .extraByte ? 0x0102_0304 : 0
        let seen = read([frame[...]]).seen
        #expect(seen == plainReading(of: frame, .nothing, payloadLimit: 256))
        if case .refused(let status, _)? = seen.first {
            #expect(status == expected)
        } else {
            Issue.record("taken: \(seen)")
        }
        if damage == .extraByte, command == 2 {
            // Its last token byte 0x1F is read as an item that nobody knows; the fault before it decides.
            #expect(seen == [.refused(.invalidTokenSize, 0)])
        } else {
            #expect(seen == [.refused(expected, identifier)])
        }
    }
}
