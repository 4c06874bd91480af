import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// Requests and their responses over a scripted connection.
struct GatewayStreamTests {
    @Test
    func `the gateway greets with its settings and a wide window`() throws {
        let client = ScriptedClient()
        try client.drain()
        #expect(client.settings.maxConcurrentStreams == 1_000)
        #expect(client.settings.initialWindowSize == 65_535)
        #expect(client.settings.maxHeaderListSize == 8_000)
        #expect(client.windowUpdates.map(\.increment) == [1_048_576 - 65_535])
        try client.greet()
        #expect(client.acknowledgementCount == 1)
        #expect(client.closing == nil && client.goAways.isEmpty)
    }

    @Test
    func `a good request is answered 200 without a body, with its own identifier`() throws {
        let client = try ScriptedClient.greeted()
        let identifier = "123e4567-e89b-12d3-a456-426655440000"
        let id = try client.request(Request(["apns-id": identifier]))
        let response = try #require(client.responses[id])
        #expect(response.status == 200 && response.isComplete && response.body.isEmpty)
        #expect(response.fields["apns-id"] == identifier)
        #expect(response.fields["apns-unique-id"]?.count == 36, "in the sandbox")
        #expect(response.fields["content-type"] == nil)
        #expect(client.session.openStreamCount == 0)
        #expect(client.ledger.counts.accepted == 1 && client.ledger.counts.api.accepted == 1)
        #expect(client.ledger.counts.acceptedWithoutIdentifier == 1, "the identifier is not the run's")
    }

    @Test(arguments: [1, 8, 9, 10, 30, 60, 200])
    func `a response that a full buffer has cut is whole before anything else is written`(count: Int) throws {
        let client = try ScriptedClient.greeted()
        client.reads = false
        var ids: [UInt32] = []
        for round in 0..<5 as Range<UInt64> {
            ids.append(try client.request())
            ids.append(try client.request())
            client.readPiece(of: count)
            try client.send { $0.ping(round, isAnswer: false) }
            client.readPiece(of: count)
        }
        client.reads = true
        try client.drain()
        #expect(ids.allSatisfy { client.responses[$0]?.status == 200 && client.responses[$0]?.isComplete == true })
    }

    @Test
    func `unique identifiers are unique over all connections and event loops, and the same in the next run`() throws {
        func identifiers() throws -> [String] {
            let bench = JudgeBench()
            let totals = FaultTotals(of: bench.settings.faults)
            let loops = (0..<2).map { _ in GatewayPace(settings: bench.settings, totals: totals) }
            return try (0..<50).flatMap { number in
                let client = ScriptedClient(bench, pace: loops[number % 2])
                try client.greet()
                for _ in 0..<20 { try client.request() }
                return client.responses.sorted { $0.key < $1.key }.compactMap { $0.value.fields["apns-unique-id"] }
            }
        }
        let first = try identifiers()
        #expect(first.count == 1_000 && Set(first).count == 1_000)
        #expect(try identifiers() == first)
    }

    @Test
    func `production sends no unique identifier`() throws {
        var bench = JudgeBench()
        bench.settings.environment = .production
        let client = try ScriptedClient.greeted(bench)
        let path = "/3/device/\(JudgeBench.token(environment: .production))"
        let id = try client.request(Request(path: path))
        #expect(client.responses[id]?.status == 200)
        #expect(client.responses[id]?.fields["apns-unique-id"] == nil)
    }

    @Test(arguments: RefusalReason.allCases)
    func `each reason has its status, its headers and its body`(_ reason: RefusalReason) throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.response(reason))
        let client = try ScriptedClient.greeted(bench)
        let id = try client.request()
        let response = try #require(client.responses[id])
        #expect(response.status == reason.status && response.isComplete)
        #expect(response.fields["content-type"] == "application/json")
        #expect(response.fields["apns-id"]?.count == 36)
        #expect(response.reason == "\(reason.name)")
        #expect((response.timestamp != nil) == (reason.status == 410))
        if let time = response.timestamp { #expect(String(time).count == 13) }
        #expect(client.ledger.counts.api.refusals[Int(reason.rawValue)] == 1)
        #expect(client.ledger.counts.accepted == 0 && client.session.openStreamCount == 0)
    }

    @Test
    func `a device that lost the app is told with milliseconds`() throws {
        var bench = JudgeBench()
        bench.api.unregisteredAt = 1_454_948_015_990
        let client = try ScriptedClient.greeted(bench)
        let id = try client.request(Request(path: "/3/device/\(JudgeBench.token(.unregistered))"))
        #expect(client.responses[id]?.status == 410)
        #expect(client.responses[id]?.body == Array(#"{"reason":"Unregistered","timestamp":1454948015990}"#.utf8))
    }

    @Test
    func `a stream that comes byte by byte is read the same`() throws {
        let whole = try ScriptedClient.greeted()
        let dripping = try ScriptedClient.greeted()
        for number in 0..<20 {
            let path = number.isMultiple(of: 3) ? "/3/device/xyz" : nil
            let request = Request(path: path, ["apns-id": String(format(number))])
            let bytes = ScriptedClient.bytes(of: request, on: UInt32(2 * number + 1))
            try whole.send(bytes)
            for byte in bytes { try dripping.send([byte]) }
        }
        #expect(whole.responses.count == 20 && dripping.responses == whole.responses)
        #expect(whole.ledger.counts.api == dripping.ledger.counts.api)
    }

    private func format(_ number: Int) -> String {
        let digits = String(number)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    @Test
    func `the run's notifications are entered by their numbers, and a second time as duplicates`() throws {
        let client = try ScriptedClient.greeted()
        let ids = NotificationIDSpace(seed: JudgeBench.seed)
        var text = [UInt8](repeating: 0, count: 36)
        for sequence in [UInt64(0), 1, 2, 4, 4] {
            text.withUnsafeMutableBytes { if let base = $0.baseAddress { ids.write(sequence: sequence, to: base) } }
            try client.request(Request(["apns-id": String(decoding: text, as: UTF8.self)]))
        }
        #expect(client.ledger.counts.accepted == 5 && client.ledger.counts.duplicates == 1)
        #expect(client.ledger.acceptedStretches() == [0..<3, 4..<5])
    }

    @Test
    func `a body may come in pieces, padded, and with trailers behind it`() throws {
        var bench = JudgeBench()
        bench.settings.judgesJSON = true
        let client = try ScriptedClient.greeted(bench)
        var request = Request()
        let body = request.body
        request.body = Array(body.prefix(5))
        let id = try client.request(request, endsStream: false)
        try client.send(ScriptedClient.frame(.data, .padded, id, [3] + body[5..<9] + [0, 0, 0]))
        try client.send(ScriptedClient.frame(.data, [], id, Array(body[9...])))
        #expect(client.responses.isEmpty)
        let trailers = ScriptedClient.block(of: [("x-checksum", "1")])
        try client.send(ScriptedClient.frame(.headers, [.endHeaders, .endStream], id, trailers))
        #expect(client.responses[id]?.status == 200)
    }

    @Test
    func `a channel is made and told over the wire`() throws {
        let client = try ScriptedClient.greeted()
        var create = Request(path: "/1/apps/com.example.app/channels", ["apns-topic": nil])
        create.body = Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)
        let made = try client.request(create)
        #expect(client.responses[made]?.status == 201)
        #expect(client.responses[made]?.fields["apns-request-id"]?.count == 36)
        let channel = try #require(client.responses[made]?.fields["apns-channel-id"])
        var list = Request(path: "/1/apps/com.example.app/all-channels", method: "GET", ["apns-topic": nil])
        list.body = []
        let listed = try client.request(list)
        #expect(client.responses[listed]?.status == 200)
        #expect(client.responses[listed]?.body == Array(#"{"channels":["\#(channel)"]}"#.utf8))
        var delete = Request(
            path: "/1/apps/com.example.app/channels", method: "DELETE", ["apns-topic": nil, "apns-channel-id": channel])
        delete.body = []
        let deleted = try client.request(delete)
        #expect(client.responses[deleted]?.status == 204)
        #expect(client.ledger.counts.api.channelRequests == 3)
    }

    @Test(arguments: [
        ("POST", "/1/apps/com.example.app/channels", "zz", "BadMessageId"),
        ("POST", "/4/broadcasts/apps/com.example.app", "zz", "BadMessageId"),
        ("GET", "/1/apps/com.example.app/foo", nil, "BadPath"), ("POST", "/1/apps/com.example.app", nil, "BadPath"),
        ("PUT", "/4/broadcasts/foo", nil, "BadPath"),
        ("PUT", "/1/apps/com.example.app/channels", nil, "MethodNotAllowed"),
    ])
    func `whatever is wrong with a request about channels, its response has apns-request-id`(
        method: String, path: String, identifier: String?, reason: String
    ) throws {
        let client = try ScriptedClient.greeted()
        let fields = ["apns-topic": nil, "apns-request-id": identifier]
        let id = try client.request(Request(path: path, method: method, fields))
        let response = try #require(client.responses[id])
        #expect(response.reason == reason)
        #expect(response.status == (reason == "BadPath" ? 404 : reason == "BadMessageId" ? 400 : 405))
        #expect(response.fields["apns-request-id"]?.count == 36 && response.fields["apns-id"] == nil)
    }

    @Test
    func `what is long leaves in frames that every client must take`() throws {
        let client = try ScriptedClient.greeted()
        var create = Request(path: "/1/apps/com.example.app/channels", ["apns-topic": nil])
        create.body = Array(#"{"message-storage-policy":0,"push-type":"LiveActivity"}"#.utf8)
        for _ in 0..<1_500 { try client.request(create) }
        var list = Request(path: "/1/apps/com.example.app/all-channels", method: "GET", ["apns-topic": nil])
        list.body = []
        let id = try client.request(list)
        #expect(client.responses[id]?.isComplete == true)
        #expect(client.responses[id]?.body.count == 1_500 * 27 - 1 + 15)
    }

    @Test
    func `fast mode answers everything and judges nothing`() throws {
        var bench = JudgeBench()
        bench.api.authentication = .required
        bench.api.acceptsAll = true
        let client = try ScriptedClient.greeted(bench)
        let id = try client.request(Request(path: "/3/device/\(JudgeBench.token(.badToken))", ["apns-topic": nil]))
        #expect(client.responses[id]?.status == 200)
        #expect(client.ledger.counts.accepted == 1)
        #expect(client.settings.maxConcurrentStreams == 1_000)
    }
}
