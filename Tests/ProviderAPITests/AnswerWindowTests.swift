import Primitives
import PushWire
import Testing

@testable import GatewaySimulator

/// Bodies of answers under flow control: as much as the windows allow, in pieces (RFC 9113 section 6.9).
struct AnswerWindowTests {
    private static let body = #"{"reason":"BadDeviceToken"}"#

    /// A client with a window of that size on each stream.
    private static func client(window: UInt32) throws -> ScriptedClient {
        let client = ScriptedClient()
        var settings = HTTP2Settings()
        settings.initialWindowSize = window
        try client.greet(settings)
        return client
    }

    @Test(arguments: [1, 3, 20, 26, 27] as [UInt32])
    func `a narrow window gets as much as it has room for, and the rest as it is widened`(window: UInt32) throws {
        let client = try Self.client(window: window)
        let id = try client.request(Request(path: "/3/device/xyz"))
        var expected = 0
        while expected < Self.body.utf8.count {
            expected = min(Self.body.utf8.count, expected + Int(window))
            #expect(client.responses[id]?.body == Array(Self.body.utf8.prefix(expected)))
            #expect(client.responses[id]?.isComplete == (expected == Self.body.utf8.count))
            if expected < Self.body.utf8.count { try client.send { $0.windowUpdate(streamID: id, increment: window) } }
        }
        #expect(client.session.openStreamCount == 0 && client.goAways.isEmpty && client.resets.isEmpty)
    }

    @Test
    func `a stream's window that was lowered below zero is paid back first`() throws {
        let client = try Self.client(window: 20)
        let id = try client.request(Request(path: "/3/device/xyz"))
        #expect(client.responses[id]?.body.count == 20)
        try client.send { outbox in
            var before = HTTP2Settings()
            before.initialWindowSize = 20
            var narrow = before
            narrow.initialWindowSize = 10
            outbox.settings(narrow, since: before)
            outbox.windowUpdate(streamID: id, increment: 10)
        }
        #expect(client.responses[id]?.body.count == 20)
        try client.send { $0.windowUpdate(streamID: id, increment: 5) }
        #expect(client.responses[id]?.body.count == 25)
        try client.send { $0.windowUpdate(streamID: id, increment: 5) }
        #expect(client.responses[id]?.reason == "BadDeviceToken")
    }

    @Test
    func `the connection's window is shared out to the last byte, and widening it lets the answers go on in order`()
        throws
    {
        let client = try Self.client(window: 65_535)
        let count = 65_535 / Self.body.utf8.count + 11
        for _ in 0..<count { try client.request(Request(path: "/3/device/xyz")) }
        #expect(client.responses.values.reduce(0) { $0 + $1.body.count } == 65_535)
        #expect(client.session.openStreamCount == 11)
        for _ in 0..<11 * Self.body.utf8.count { try client.send { $0.windowUpdate(streamID: 0, increment: 1) } }
        #expect(client.responses.values.allSatisfy { $0.reason == "BadDeviceToken" && $0.isComplete })
        #expect(client.session.openStreamCount == 0 && client.goAways.isEmpty)
    }

    @Test
    func `a client that widens a window of one byte after each frame is no flood`() throws {
        let client = try Self.client(window: 1)
        for _ in 0..<2_000 {
            let id = try client.request(Request(path: "/3/device/xyz"))
            while client.goAways.isEmpty, client.responses[id]?.isComplete == false {
                try client.send { outbox in
                    for stream in [0, id] { outbox.windowUpdate(streamID: stream, increment: 1) }
                }
            }
        }
        #expect(client.goAways.isEmpty && client.responses.count == 2_000)
    }
}
