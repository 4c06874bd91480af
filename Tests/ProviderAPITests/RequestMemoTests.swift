import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// Requests that are like the one before them, and those that only look so.
struct RequestMemoTests {
    private static func identifier(_ sequence: UInt64, seed: UInt64 = JudgeBench.seed) -> String {
        var bytes = [UInt8](repeating: 0, count: NotificationIDSpace.byteCount)
        bytes.withUnsafeMutableBytes { target in
            if let base = target.baseAddress { NotificationIDSpace(seed: seed).write(sequence: sequence, to: base) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func request(
        _ sequence: UInt64, token: String? = nil, _ changes: [String: String?] = [:]
    ) -> Request {
        let token = token ?? JudgeBench.token(index: sequence)
        var request = Request(path: "/3/device/\(token)", ["apns-id": identifier(sequence), "apns-priority": "10"])
        for (name, value) in changes { request.set(name, value) }
        // The path stands in front of `apns-id` in all of them, and nothing else moves.
        request.fields.sort { ($0.name.hasPrefix(":") ? 0 : 1, $0.name) < ($1.name.hasPrefix(":") ? 0 : 1, $1.name) }
        return request
    }

    /// Whatever stands in the place of a good request, at the same length.
    private static var variants: [Request] {
        let good = JudgeBench.token(index: 3)
        return [
            request(5), request(6, token: good.uppercased()), request(7, token: "g" + good.dropFirst()),
            request(8, token: JudgeBench.token(.badToken, index: 8)),
            request(9, token: JudgeBench.token(.unregistered, index: 9)),
            request(10, token: JudgeBench.token(.otherTopic, index: 10)),
            request(11, token: JudgeBench.token(environment: .production, index: 11)),
            request(12, token: String(repeating: "0", count: 64)),
            request(13, ["apns-id": identifier(13, seed: 99)]), request(14, ["apns-id": identifier(14).uppercased()]),
            request(15, ["apns-id": String(repeating: "x", count: 36)]), request(16, ["apns-priority": "11"]),
            request(17, ["apns-priority": "1\0"]), request(18, ["apns-topic": "com.example.ap/"]),
            request(19, [":path": "/3/devicE/\(good)"]), request(20, [":method": "PUSH"]),
        ]
    }

    private struct Seen: Equatable {
        var response: ScriptedClient.Response?
        var reset: HTTP2ErrorCode?
    }

    private func see(_ request: Request, by client: ScriptedClient) throws -> Seen {
        let id = try client.request(request)
        return Seen(response: client.responses[id], reset: client.resets[id])
    }

    @Test
    func `a request behind a good one is answered as it would be alone`() throws {
        for acceptsAll in [false, true] {
            var bench = JudgeBench()
            bench.api.acceptsAll = acceptsAll
            let client = try ScriptedClient.greeted(bench)
            for (place, variant) in Self.variants.enumerated() {
                let good = try see(Self.request(UInt64(100 + 2 * place)), by: client)
                let again = try see(Self.request(UInt64(101 + 2 * place)), by: client)
                #expect(good.response?.status == 200 && again.response?.status == 200)
                #expect(again.response?.fields["apns-id"] == Self.identifier(UInt64(101 + 2 * place)))
                var seen = try see(variant, by: client)
                var alone = try see(variant, by: try ScriptedClient.greeted(bench))
                for key in ["apns-unique-id"] + (alone.response?.status == 200 ? [] : ["apns-id"]) {
                    seen.response?.fields[key] = nil
                    alone.response?.fields[key] = nil
                }
                #expect(seen == alone, "variant \(place), all accepted: \(acceptsAll)")
            }
        }
    }

    @Test
    func `each of many like requests is booked by its own number`() throws {
        let client = try ScriptedClient.greeted()
        for sequence in 0..<50 { try client.request(Self.request(UInt64(sequence))) }
        for sequence in 0..<5 { try client.request(Self.request(UInt64(sequence))) }
        #expect(client.ledger.counts.api.requests == 55)
        #expect(client.responses.values.allSatisfy { $0.status == 200 })
        #expect(client.ledger.counts.duplicates == 5)
    }

    @Test
    func `the same bytes mean something else when the table has changed`() throws {
        let client = try ScriptedClient.greeted()
        func send(_ last: [UInt8]) throws -> String? {
            let id = client.nextStreamID
            client.nextStreamID += 2
            let block = ScriptedClient.block(of: Self.request(3, ["apns-priority": nil]).fields) + last
            try client.send(
                ScriptedClient.frame(.headers, .endHeaders, id, block)
                    + ScriptedClient.frame(.data, .endStream, id, Array("{}".utf8)))
            return client.responses[id].map { $0.reason ?? "\($0.status)" }
        }
        func inserted(_ priority: String) -> [UInt8] {
            [0x40, 13] + Array("apns-priority".utf8) + [UInt8(priority.utf8.count)] + Array(priority.utf8)
        }
        let newest: [UInt8] = [0x80 | 62]
        #expect(try send(inserted("10")) == "200")
        #expect(try send(newest) == "200")
        #expect(try send(newest) == "200")
        #expect(try send(inserted("99")) == "BadPriority")
        #expect(try send(newest) == "BadPriority")
    }

    @Test
    func `a provider token that has grown too old is refused with a request like the one before`() throws {
        var bench = JudgeBench()
        bench.api.authentication = .required
        let client = try ScriptedClient.greeted(bench)
        let token = ["authorization": Optional(ProviderTokens.bearer())]
        #expect(try see(Self.request(1, token), by: client).response?.status == 200)
        #expect(try see(Self.request(2, token), by: client).response?.status == 200)
        try client.pass(bench.api.tokenLifetime + .seconds(1))
        #expect(try see(Self.request(3, token), by: client).response?.reason == "ExpiredProviderToken")
    }
}
