import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// What a request does beyond its answer: offline devices keep it, the feedback service hears of it; and its body must be as announced.
struct RequestEffectTests {
    private static func client(offline: Double = 0) throws -> ScriptedClient {
        let store = NotificationStore(
            settings: StorageSettings(offlineShare: offline, seed: 9), tokenSeed: JudgeBench.seed)
        let client = ScriptedClient(ledger: GatewayLedger(store: store))
        try client.greet()
        return client
    }

    @Test
    func `an offline device keeps its last request, whatever the collapse identifiers, unless it expires`() throws {
        let client = try Self.client(offline: 1)
        let future = "\(JudgeBench.epoch + 3_600)"
        for changes in [
            [:], ["apns-expiration": future, "apns-collapse-id": "a"], ["apns-collapse-id": "b"],
            ["apns-expiration": "0"], ["apns-expiration": "300"],
        ] as [[String: String?]] {
            try client.request(Request(changes))
        }
        let counts = try #require(client.ledger.store?.snapshot.result)
        #expect(counts.stored == 1 && counts.replaced == 2)
        #expect(counts.notStored == 1 && counts.expired == 1)
    }

    @Test
    func `a device that lost the app is in the feedback list with the time of the push`() throws {
        let client = try Self.client()
        let id = try client.request(Request(path: "/3/device/\(JudgeBench.token(.unregistered))"))
        try client.request()
        #expect(client.responses[id]?.status == 410)
        #expect(client.ledger.counts.unregistered == 1)
        let entries = client.ledger.feedback.take(scope: .appUnderLoad)
        #expect(entries.count == 1)
    }

    @Test(arguments: [("21", false), ("22", true), ("23", false), ("x", false), ("", false)])
    func `a body of another length than announced is malformed, and costs its stream only`(
        length: String, isGood: Bool
    ) throws {
        let client = try Self.client()
        var request = Request(["content-length": length])
        request.body = Array(#"{"aps":{"alert":"hi"}}"#.utf8)
        let id = try client.request(request)
        #expect((client.responses[id]?.status == 200) == isGood)
        #expect((client.resets[id] == .protocolError) == !isGood)
        let next = try client.request()
        #expect(client.responses[next]?.status == 200 && client.goAways.isEmpty)
    }
}
