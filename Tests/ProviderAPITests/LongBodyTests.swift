import Primitives
import PushWire
import Testing

@testable import GatewaySimulator

/// Bodies that are longer than any request's may be, or never end: they are answered while they come, and their clients read the answer.
struct LongBodyTests {
    @Test
    func `a body without end is refused while it comes`() throws {
        let client = try ScriptedClient.greeted()
        let id = try client.request(endsStream: false)
        var sent = 0
        let piece = [UInt8](repeating: UInt8(ascii: " "), count: 16_384)
        while sent < 1_000_000, client.responses.isEmpty, client.goAways.isEmpty {
            try client.send(ScriptedClient.frame(.data, [], id, piece))
            sent += piece.count
        }
        #expect(client.responses[id]?.reason == "PayloadTooLarge" && sent < 200_000)
        try client.send(ScriptedClient.frame(.data, .endStream, id, []))
        #expect(client.session.openStreamCount == 0 && client.goAways.isEmpty)
        #expect(client.ledger.counts.api.refused == 1 && client.resets.isEmpty)
    }

    /// Sends as much of a body as the windows of stream and connection have room for, and says how much that was.
    private static func upload(
        _ count: Int, on id: UInt32, by client: ScriptedClient, ends: Bool = true
    ) throws -> Int {
        var sent = 0
        while sent < count, client.resets[id] == nil, client.goAways.isEmpty {
            let room = min(client.room(of: id), client.room(of: 0))
            guard room > 0 else { break }
            let piece = min(count - sent, room, 16_384)
            sent += piece
            let bytes = [UInt8](repeating: UInt8(ascii: " "), count: piece)
            try client.send(ScriptedClient.frame(.data, ends && sent == count ? .endStream : [], id, bytes))
        }
        return sent
    }

    @Test(arguments: ["/3/device/\(JudgeBench.token())", "/nowhere"])
    func `a refused body that is larger than the windows is taken to its end, so that its sender reads the answer`(
        path: String
    ) throws {
        let client = try ScriptedClient.greeted()
        for _ in 0..<30 {
            let id = try client.request(Request(path: path), endsStream: false)
            #expect(try Self.upload(200_000, on: id, by: client) == 200_000)
            #expect(client.responses[id]?.isComplete == true)
            #expect(client.responses[id]?.reason == (path == "/nowhere" ? "BadPath" : "PayloadTooLarge"))
        }
        #expect(client.session.openStreamCount == 0 && client.goAways.isEmpty && client.resets.isEmpty)
    }

    @Test
    func `a refused body without end is cut by a reset that is no error, and costs no other stream anything`() throws {
        let client = try ScriptedClient.greeted()
        let id = try client.request(endsStream: false)
        let sent = try Self.upload(100_000_000, on: id, by: client)
        #expect((1_000_000...1_200_000).contains(sent))
        #expect(client.responses[id]?.reason == "PayloadTooLarge" && client.responses[id]?.isComplete == true)
        #expect(client.resets == [id: .noError] && client.session.openStreamCount == 0)
        // What was on its way by then is no breach, and the connection's window comes back.
        for _ in 0..<4 { try client.send(ScriptedClient.frame(.data, [], id, [UInt8](repeating: 0, count: 16_384))) }
        let next = try client.request()
        #expect(client.responses[next]?.status == 200 && client.goAways.isEmpty)
    }

    @Test
    func `a client that stops at the answer is told that no more is wanted, one that goes on is not`() throws {
        let client = try ScriptedClient.greeted()
        let stopped = try client.request(endsStream: false)
        let slow = try client.request(endsStream: false)
        for id in [stopped, slow] { _ = try Self.upload(20_000, on: id, by: client, ends: false) }
        for _ in 0..<20 {
            try client.pass(.milliseconds(200))
            try client.send(ScriptedClient.frame(.data, [], slow, [UInt8](repeating: 0, count: 2_000)))
        }
        #expect(client.resets == [stopped: .noError] && client.session.openStreamCount == 1)
        try client.send(ScriptedClient.frame(.data, .endStream, slow, []))
        #expect(client.session.openStreamCount == 0)
        #expect(client.room(of: 0) == 1_048_576, "the connection has its room back")
        try client.pass(.seconds(10))
        #expect(client.resets.count == 1 && client.goAways.isEmpty)
        #expect(client.responses.values.allSatisfy { $0.reason == "PayloadTooLarge" && $0.isComplete })
    }

    @Test
    func `the answer to a body that is too long is read before the reset, however late it is read`() throws {
        let client = try ScriptedClient.greeted()
        let id = try client.request(endsStream: false)
        client.reads = false
        _ = try Self.upload(60_000, on: id, by: client, ends: false)
        try client.pass(.seconds(1))
        #expect(client.responses.isEmpty && client.session.openStreamCount == 0)
        client.reads = true
        try client.drain()
        #expect(client.responses[id]?.reason == "PayloadTooLarge" && client.responses[id]?.isComplete == true)
        #expect(client.resets == [id: .noError])
    }

    @Test
    func `a stream that gets nothing of the connection's window, as others have it, is not taken for stopped`() throws {
        let client = try ScriptedClient.greeted()
        let starved = try client.request(endsStream: false)
        _ = try Self.upload(20_000, on: starved, by: client, ends: false)
        for _ in 0..<10 {
            for _ in 0..<3 {
                let other = try client.request(endsStream: false)
                #expect(try Self.upload(200_000, on: other, by: client) == 200_000)
            }
            try client.pass(.milliseconds(249))
        }
        #expect(client.resets.isEmpty && client.session.openStreamCount == 1)
        try client.pass(.milliseconds(500))
        #expect(client.resets == [starved: .noError] && client.responses[starved]?.isComplete == true)
    }

    @Test
    func `where nothing is judged a long body is accepted, and one without end is not`() throws {
        var bench = JudgeBench()
        bench.api.acceptsAll = true
        let client = try ScriptedClient.greeted(bench)
        let good = try client.request(Request(["content-length": "900022"]), endsStream: false)
        #expect(try Self.upload(900_000, on: good, by: client) == 900_000)
        #expect(client.responses[good]?.status == 200 && client.resets.isEmpty)
        let endless = try client.request(endsStream: false)
        #expect(try Self.upload(100_000_000, on: endless, by: client) < 1_200_000)
        #expect(client.responses[endless]?.status == 413 && client.resets == [endless: .noError])
    }

    @Test
    func `an early answer that waits for a window is not forgotten when the request ends`() throws {
        let client = ScriptedClient()
        var settings = HTTP2Settings()
        settings.initialWindowSize = 0
        try client.greet(settings)
        let id = try client.request(endsStream: false)
        #expect(try Self.upload(200_000, on: id, by: client) == 200_000)
        #expect(client.responses[id]?.status == 413 && client.responses[id]?.isComplete == false)
        try client.send { $0.windowUpdate(streamID: id, increment: 1_000) }
        #expect(client.responses[id]?.reason == "PayloadTooLarge" && client.session.openStreamCount == 0)
    }

    @Test
    func `bodies that never end are kept no longer than they may be, on every stream`() throws {
        let client = try ScriptedClient.greeted()
        let piece = [UInt8](repeating: UInt8(ascii: " "), count: 1_000)
        let ids = try (0..<200).map { _ in try client.request(endsStream: false) }
        for _ in 0..<10 {
            for id in ids { try client.send(ScriptedClient.frame(.data, [], id, piece)) }
            #expect(client.session.bodies.values.reduce(0) { $0 + $1.count } <= 200 * 4_096)
        }
        #expect(client.session.bodies.isEmpty && client.responses.count == 200)
        #expect(client.responses.values.allSatisfy { $0.reason == "PayloadTooLarge" })
        for id in ids { try client.send { $0.reset(streamID: id, code: .noError) } }
        #expect(client.session.openStreamCount == 0 && client.goAways.isEmpty)
    }
}
