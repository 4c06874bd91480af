import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// Peers that break the protocol or flood: the gateway neither crashes, hangs nor grows.
struct HostilePeerTests {
    private static func frame(
        _ type: HTTP2FrameType, _ flags: HTTP2Flags = [], _ id: UInt32 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] { ScriptedClient.frame(type, flags, id, payload) }

    /// What a peer sends after its greeting, and the code with which the connection ends.
    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var bytes: [UInt8]
        var code: HTTP2ErrorCode
    }

    @Test(arguments: [
        Row(testDescription: "DATA on stream 0", bytes: frame(.data, [], 0, [1]), code: .protocolError),
        Row(testDescription: "DATA on an idle stream", bytes: frame(.data, [], 1, [1]), code: .protocolError),
        Row(testDescription: "HEADERS on stream 0", bytes: frame(.headers, .endHeaders), code: .protocolError),
        Row(
            testDescription: "HEADERS on an even stream", bytes: frame(.headers, .endHeaders, 2, [0x82]),
            code: .protocolError),
        Row(testDescription: "CONTINUATION alone", bytes: frame(.continuation, [], 1), code: .protocolError),
        Row(
            testDescription: "a frame inside a header block", bytes: frame(.headers, [], 1, [0x82]) + frame(.ping),
            code: .frameSizeError),
        Row(
            testDescription: "PING inside a header block",
            bytes: frame(.headers, [], 1, [0x82]) + frame(.ping, [], 0, [UInt8](repeating: 0, count: 8)),
            code: .protocolError),
        Row(
            testDescription: "an index of nothing", bytes: frame(.headers, .endHeaders, 1, [0xFF, 0x20]),
            code: .compressionError),
        Row(
            testDescription: "a cut-off block", bytes: frame(.headers, .endHeaders, 1, [0x40, 0x05]),
            code: .compressionError),
        Row(
            testDescription: "a table that is too large",
            bytes: frame(.headers, .endHeaders, 1, [0x3F, 0xFF, 0xFF, 0x03]),
            code: .compressionError),
        Row(
            testDescription: "SETTINGS of 5 bytes", bytes: frame(.settings, [], 0, [0, 1, 0, 0, 0]),
            code: .frameSizeError),
        Row(
            testDescription: "SETTINGS with a window over 2³¹", bytes: frame(.settings, [], 0, [0, 4, 0xFF, 0, 0, 0]),
            code: .flowControlError),
        Row(testDescription: "PUSH_PROMISE", bytes: frame(.pushPromise, [], 1, [0, 0, 0, 2]), code: .protocolError),
        Row(
            testDescription: "RST_STREAM on an idle stream", bytes: frame(.resetStream, [], 1, [0, 0, 0, 8]),
            code: .protocolError),
        Row(
            testDescription: "WINDOW_UPDATE by 0", bytes: frame(.windowUpdate, [], 0, [0, 0, 0, 0]),
            code: .protocolError),
        Row(
            testDescription: "WINDOW_UPDATE beyond the largest window",
            bytes: frame(.windowUpdate, [], 0, [0x7F, 0xFF, 0xFF, 0xFF]), code: .flowControlError),
        Row(
            testDescription: "a frame of 16 MiB",
            bytes: [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 1_000), code: .frameSizeError),
        Row(
            testDescription: "SETTINGS of 16 MiB",
            bytes: [0xFF, 0xFF, 0xFC, 4, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 100_000), code: .frameSizeError),
    ])
    func `a broken rule ends the connection with its code`(_ row: Row) throws {
        let client = try ScriptedClient.greeted()
        try client.send(row.bytes)
        #expect(client.goAways.map(\.code) == [row.code])
        #expect(client.closing == .graceful)
        #expect(client.ledger.counts.api.violations == 1)
        #expect(client.session.openStreamCount == 0)
    }

    @Test
    func `after a broken rule nothing is read until the last word is out, for a minute at most`() throws {
        let client = try ScriptedClient.greeted()
        client.reads = false
        try client.send(Self.frame(.data, [], 0, [1]))
        try client.drain()
        #expect(client.isHeld && client.closing == nil)
        try client.pass(.seconds(61))
        #expect(client.closing == .abrupt && client.goAways.isEmpty)
    }

    @Test
    func `a connection without preface, or with another protocol, ends at once`() throws {
        for text in [
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nX",
        ] {
            let client = ScriptedClient()
            try client.send(Array(text.utf8) + [UInt8](repeating: 0, count: 64))
            #expect(client.closing == .graceful && client.goAways.count == 1, "\(text)")
            let isOther = !text.hasPrefix("PRI ")
            #expect(client.goAways[0].text.contains("only HTTP/2") == isOther, "\(text)")
            #expect(client.ledger.counts.api.otherProtocols == (isOther ? 1 : 0))
        }
    }

    @Test
    func `a client that does not finish its preface is not waited for`() throws {
        let client = ScriptedClient()
        try client.send(Array("PRI * HTTP/2.0\r\n".utf8))
        try client.pass(.seconds(9))
        #expect(client.closing == nil)
        try client.pass(.seconds(1))
        #expect(client.closing == .graceful)
        let slow = ScriptedClient()
        try slow.greet()
        try slow.pass(.seconds(3_600))
        #expect(slow.closing == nil, "one that has greeted may stay as long as it likes")
    }

    @Test
    func `malformed requests cost their stream only`() throws {
        let client = try ScriptedClient.greeted()
        let rows: [[(String, String)]] = [
            [(":method", "POST"), (":scheme", "https")],
            [(":method", "POST"), (":method", "POST"), (":scheme", "https"), (":path", "/")],
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), (":status", "200")],
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), (":unknown", "1")],
            [(":method", "POST"), (":scheme", "https"), ("a", "b"), (":path", "/")],
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), ("Upper", "b")],
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), ("connection", "close")],
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), ("te", "gzip")],
            [(":method", "POST"), (":scheme", "https"), (":path", "/"), ("a", "b\nc")],
        ]
        for (index, fields) in rows.enumerated() {
            let id = UInt32(2 * index + 1)
            let block = ScriptedClient.block(of: fields.map { (name: $0.0, value: $0.1) })
            try client.send(Self.frame(.headers, [.endHeaders, .endStream], id, block))
            #expect(client.resets[id] == .protocolError, "\(fields)")
        }
        client.nextStreamID = 101
        let good = try client.request()
        #expect(client.responses[good]?.status == 200 && client.goAways.isEmpty)
        #expect(client.ledger.counts.api.streamViolations == UInt64(rows.count))
    }

    @Test
    func `a header list over the limit costs its stream, and the table stays right`() throws {
        let client = try ScriptedClient.greeted()
        var request = Request()
        for index in 0..<20 { request.fields.append(("x-\(index)", String(repeating: "x", count: 1_000))) }
        let block = ScriptedClient.block(of: request.fields)
        try client.send(Self.frame(.headers, [], 1, Array(block.prefix(16_000))))
        try client.send(Self.frame(.continuation, [.endHeaders], 1, Array(block.dropFirst(16_000))))
        #expect(client.resets[1] == .enhanceYourCalm && client.goAways.isEmpty)
        client.nextStreamID = 3
        let good = try client.request()
        #expect(client.responses[good]?.status == 200)
    }

    @Test
    func `what is announced as the longest header list is taken, and a byte more is not`() throws {
        let client = try ScriptedClient.greeted()
        let limit = Int(try #require(client.settings.maxHeaderListSize))
        let used = Request().fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        for excess in [0, 1] {
            var request = Request()
            request.fields.append(("x-long", String(repeating: "x", count: limit - used - 32 - 6 + excess)))
            let id = try client.request(request)
            #expect(client.responses[id]?.status == (excess == 0 ? 200 : nil))
            #expect(client.resets[id] == (excess == 0 ? nil : .enhanceYourCalm))
        }
        #expect(client.settings.maxHeaderListSize == 8_000 && client.goAways.isEmpty)
    }

    @Test
    func `floods of each kind end in bounded time and memory`() throws {
        let ping = Self.frame(.ping, [], 0, [UInt8](repeating: 1, count: 8))
        let kinds: [(name: String, bytes: [UInt8])] = [
            ("SETTINGS", Self.frame(.settings)), ("PING", ping),
            ("PRIORITY", Self.frame(.priority, [], 1, [0, 0, 0, 0, 1])),
            ("unknown", Self.frame(.unknown, [], 1, [1])),
            ("SETTINGS acknowledgement", Self.frame(.settings, .acknowledgement)),
            ("PING acknowledgement", Self.frame(.ping, .acknowledgement, 0, [UInt8](repeating: 1, count: 8))),
            ("GOAWAY", Self.frame(.goAway, [], 0, [UInt8](repeating: 0, count: 8))),
            ("WINDOW_UPDATE", Self.frame(.windowUpdate, [], 0, [0, 0, 0, 1])),
            ("WINDOW_UPDATE of a stream", Self.frame(.windowUpdate, [], 1, [0, 0, 0, 1])),
            ("empty DATA", Self.frame(.data, [], 1)),
            ("DATA for a stream that is over", Self.frame(.data, [], 3, [1])),
        ]
        for kind in kinds {
            let client = try ScriptedClient.greeted()
            try client.request(endsStream: false)
            try client.request()
            client.reads = false
            var count = 0
            while count < 100_000, client.ledger.counts.api.violations == 0 {
                try client.send(kind.bytes)
                count += 1
            }
            #expect(count < 11_000, "\(kind.name)")
            #expect(client.session.waitingByteCount < 300_000, "\(kind.name)")
            client.reads = true
            try client.drain()
            #expect(client.goAways.last?.code == .enhanceYourCalm, "\(kind.name)")
            #expect(client.closing == .graceful, "\(kind.name)")
        }
    }

    @Test
    func `a client that sends such frames with every request is no flood, however long it goes on`() throws {
        let client = try ScriptedClient.greeted()
        for _ in 0..<20_000 {
            let id = client.nextStreamID
            try client.send(Self.frame(.priority, [], id, [0, 0, 0, 0, 1]))
            try client.send(Self.frame(.ping, [], 0, [UInt8](repeating: 1, count: 8)))
            try client.request()
            for stream in [0, id] { try client.send { $0.windowUpdate(streamID: stream, increment: 100) } }
        }
        #expect(client.goAways.isEmpty && client.responses.count == 20_000)
        #expect(client.ledger.counts.api.violations == 0)
    }

    @Test
    func `time gives an idle client its frames back, at the rate that is allowed for ever`() throws {
        let client = try ScriptedClient.greeted()
        let ping = Self.frame(.ping, [], 0, [UInt8](repeating: 1, count: 8))
        for _ in 0..<10_000 {
            try client.send(ping)
            try client.pass(.milliseconds(50))
        }
        #expect(client.goAways.isEmpty && client.pings.count == 10_000)
        for _ in 0..<101 { try client.send(ping) }
        #expect(client.goAways.map(\.code) == [.enhanceYourCalm])
    }

    @Test
    func `a flood of CONTINUATION ends after a few`() throws {
        let client = try ScriptedClient.greeted()
        try client.send(Self.frame(.headers, [], 1, [0x82]))
        var count = 0
        while count < 10_000, client.goAways.isEmpty {
            try client.send(Self.frame(.continuation, [], 1, []))
            count += 1
        }
        #expect(count < 20 && client.goAways.last?.code == .enhanceYourCalm)
    }

    @Test
    func `rapid reset ends the connection, a client that cancels some requests goes on`() throws {
        let client = try ScriptedClient.greeted()
        var count = 0
        while count < 100_000, client.goAways.isEmpty {
            let id = try client.request(endsStream: false)
            try client.send { $0.reset(streamID: id, code: .cancel) }
            count += 1
        }
        #expect(count < 2_000 && client.goAways.last?.code == .enhanceYourCalm)
        let honest = try ScriptedClient.greeted()
        for number in 0..<20_000 {
            let isCancelled = number.isMultiple(of: 4)
            let id = try honest.request(endsStream: !isCancelled)
            if isCancelled { try honest.send { $0.reset(streamID: id, code: .cancel) } }
        }
        #expect(honest.goAways.isEmpty && honest.session.openStreamCount == 0)
    }

    @Test
    func `requests whose answers nobody reads hold the reading, and then end the connection`() throws {
        let client = try ScriptedClient.greeted()
        client.reads = false
        var count = 0
        while count < 100_000, !client.isHeld {
            try client.request()
            count += 1
        }
        #expect(client.isHeld && client.session.waitingByteCount < 400_000)
        try client.pass(.seconds(59))
        #expect(client.closing == nil)
        let slow = client.session.waitingByteCount
        client.reads = true
        try client.drain()
        #expect(!client.isHeld && slow > 200_000 && client.responses.count == count)
        client.reads = false
        while count < 200_000, !client.isHeld {
            try client.request()
            count += 1
        }
        try client.pass(.seconds(61))
        client.session.timerFired(now: client.now)
        #expect(client.session.takeAction() == .close(.abrupt) || client.closing == .abrupt)
    }

    @Test
    func `answers wait for a window of zero, and leave when it opens`() throws {
        let client = ScriptedClient()
        var settings = HTTP2Settings()
        settings.initialWindowSize = 0
        try client.greet(settings)
        for _ in 0..<100 { try client.request(Request(path: "/3/device/xyz")) }
        #expect(client.responses.count == 100 && client.responses.values.allSatisfy { !$0.isComplete })
        #expect(client.session.openStreamCount == 100)
        let good = try client.request()
        #expect(client.responses[good]?.isComplete == true, "what has no body needs no window")
        try client.send { $0.windowUpdate(streamID: 3, increment: 100) }
        #expect(client.responses[3]?.reason == "BadDeviceToken")
        try client.send { outbox in
            var wide = HTTP2Settings()
            wide.initialWindowSize = 1_000
            outbox.settings(wide, since: settings)
        }
        #expect(client.responses.values.allSatisfy(\.isComplete) && client.session.openStreamCount == 0)
    }

    @Test
    func `a window of zero for ever fills the limit of streams, and nothing more`() throws {
        var bench = JudgeBench()
        bench.api.maxStreams = 100
        let client = ScriptedClient(bench)
        var settings = HTTP2Settings()
        settings.initialWindowSize = 0
        try client.greet(settings)
        for _ in 0..<1_000 { try client.request(Request(path: "/3/device/xyz")) }
        #expect(client.session.openStreamCount == 100 && client.resets.count == 900)
        #expect(client.session.waitingByteCount == 0)
    }

    @Test
    func `more than a window has room for is no more read`() throws {
        var bench = JudgeBench()
        bench.api.connectionWindowBytes = 65_535
        bench.settings.faults.add(.windowHeld, when: .at(.zero, for: .seconds(100)))
        let client = try ScriptedClient.greeted(bench)
        try client.pass(.seconds(1))
        let piece = [UInt8](repeating: UInt8(ascii: " "), count: 4_096)
        var count = 0
        while count < 1_000, client.goAways.isEmpty {
            var request = Request()
            request.body = piece
            try client.request(request)
            count += 1
        }
        #expect(count == 16 && client.goAways.last?.code == .flowControlError)
    }

    @Test
    func `any bytes end in a value`() throws {
        for seed in UInt64(0)..<200 {
            var random = SeededRandom(seed: seed)
            let client = try ScriptedClient.greeted()
            for _ in 0..<20 {
                var bytes = ScriptedClient.bytes(of: Request(), on: client.nextStreamID)
                client.nextStreamID += 2
                for _ in 0..<random.below(4) {
                    bytes[Int(random.below(UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
                }
                try client.send(bytes)
            }
            let counts = client.ledger.counts.api
            #expect(counts.violations <= 1, "seed \(seed)")
            #expect(counts.accepted + counts.refused <= counts.requests, "seed \(seed)")
            #expect(client.session.openStreamCount <= 20, "seed \(seed)")
            if counts.violations == 1 { #expect(client.goAways.count == 1 && client.closing != nil, "seed \(seed)") }
        }
    }
}
