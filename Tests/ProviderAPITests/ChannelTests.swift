import Primitives
import PushWire
import Testing

@testable import GatewaySimulator

/// Broadcast channels: made, read, listed, deleted, and published to.
struct ChannelTests {
    private static let channels = "/1/apps/com.example.app/channels"
    private static let list = "/1/apps/com.example.app/all-channels"
    private static let broadcasts = "/4/broadcasts/apps/com.example.app"
    private let bench = JudgeBench()

    private func request(_ method: String, _ path: String, _ fields: [String: String?] = [:], body: String = "")
        -> Request
    {
        var request = Request(path: path, method: method, fields.merging(["apns-topic": nil]) { own, _ in own })
        request.body = Array(body.utf8)
        return request
    }

    private func create(_ policy: Int = 0, by bench: JudgeBench? = nil) throws -> String {
        let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
        let answer = (bench ?? self.bench).answer(request("POST", Self.channels, body: body))
        guard case .channels(status: 201, let identifier, body: []) = answer else {
            Issue.record("\(answer)")
            return ""
        }
        try #require(!identifier.isEmpty)
        return String(decoding: identifier, as: UTF8.self)
    }

    private func text(_ answer: RequestAnswer) -> String {
        guard case .channels(status: 200, _, let body) = answer else { return "\(answer)" }
        return String(decoding: body, as: UTF8.self)
    }

    @Test
    func `a channel is made, read, listed and deleted`() throws {
        #expect(text(bench.answer(request("GET", Self.list))) == #"{"channels":[]}"#)
        let identifier = try create(1)
        let read = request("GET", Self.channels, ["apns-channel-id": identifier])
        #expect(text(bench.answer(read)) == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        #expect(text(bench.answer(request("GET", Self.list))) == #"{"channels":["\#(identifier)"]}"#)
        let delete = request("DELETE", Self.channels, ["apns-channel-id": identifier])
        #expect(bench.answer(delete) == .channels(status: 204))
        #expect(bench.answer(delete).reason == .channelNotRegistered)
        #expect(bench.answer(read).reason == .channelNotRegistered)
    }

    @Test
    func `a publication is accepted when everything that it needs is there`() throws {
        let good = [
            "apns-channel-id": try create(1), "apns-push-type": "liveactivity", "apns-expiration": "0",
            "apns-priority": "5",
        ]
        let body = #"{"aps":{"event":"update"}}"#
        func reason(_ changes: [String: String?], body: String = body) -> RefusalReason? {
            var fields: [String: String?] = good.mapValues { $0 }
            for (name, value) in changes { fields[name] = .some(value) }
            return bench.answer(request("POST", Self.broadcasts, fields, body: body)).reason
        }
        #expect(reason([:]) == nil)
        #expect(reason(["apns-channel-id": nil]) == .missingChannelID)
        #expect(reason(["apns-channel-id": "?"]) == .badChannelID)
        #expect(reason(["apns-channel-id": "AAAA"]) == .channelNotRegistered)
        #expect(reason(["apns-push-type": nil]) == .missingPushType)
        #expect(reason(["apns-push-type": "alert"]) == .invalidPushType)
        #expect(reason(["apns-expiration": nil]) == .badExpirationDate)
        #expect(reason(["apns-expiration": "x"]) == .badExpirationDate)
        #expect(reason(["apns-expiration": "1800000000"]) == nil)
        #expect(reason(["apns-priority": nil]) == .badPriority)
        #expect(reason(["apns-priority": "2"]) == .badPriority)
        #expect(reason(["apns-topic": JudgeBench.topic]) == .badRequestParams)
        #expect(reason(["apns-request-id": "x"]) == .badMessageID)
        #expect(reason([:], body: "") == .payloadEmpty)
        #expect(reason([:], body: "no JSON") == .badRequestPayload)
        let long = #"{"a":""# + String(repeating: "x", count: 5_112) + #""}"#
        #expect(long.utf8.count == 5_120)
        #expect(reason([:], body: long) == nil)
        #expect(reason([:], body: long + " ") == .payloadTooLarge)
    }

    @Test
    func `what a channel does not store must expire at once`() throws {
        let fields = [
            "apns-channel-id": try create(0), "apns-push-type": "liveactivity", "apns-expiration": "1800000000",
            "apns-priority": "10",
        ]
        #expect(bench.answer(request("POST", Self.broadcasts, fields, body: "{}")).reason == .badExpirationDate)
        let now = fields.merging(["apns-expiration": "0"]) { _, new in new }
        #expect(bench.answer(request("POST", Self.broadcasts, now, body: "{}")) == .accepted)
    }

    @Test
    func `a channel needs a policy and a push type`() {
        func reason(_ body: String) -> RefusalReason? {
            bench.answer(request("POST", Self.channels, body: body)).reason
        }
        #expect(reason("") == .payloadEmpty)
        #expect(reason("[]") == .badRequestPayload)
        #expect(reason(#"{"push-type":"LiveActivity"}"#) == .badRequestPayload)
        #expect(reason(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#) == .badRequestPayload)
        #expect(reason(#"{"message-storage-policy":1}"#) == .missingPushType)
        #expect(reason(#"{"message-storage-policy":1,"push-type":"alert"}"#) == .invalidPushType)
    }

    @Test
    func `an app has so many channels and no more`() throws {
        var small = bench
        small.api.channelLimit = 3
        for _ in 0..<3 { _ = try create(by: small) }
        let body = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
        #expect(small.answer(request("POST", Self.channels, body: body)).reason == .cannotCreateChannelConfig)
    }

    @Test
    func `paths and methods that do not exist are told`() {
        #expect(bench.answer(request("POST", Self.list)).reason == .methodNotAllowed)
        #expect(bench.answer(request("PUT", Self.channels)).reason == .methodNotAllowed)
        #expect(bench.answer(request("GET", Self.broadcasts)).reason == .methodNotAllowed)
        #expect(bench.answer(request("POST", "/1/apps//channels")).reason == .badPath)
        #expect(bench.answer(request("POST", "/1/apps/a/b/channels")).reason == .badPath)
        #expect(bench.answer(request("POST", "/4/broadcasts/apps/")).reason == .badPath)
        var none = bench
        none.api.hasBroadcasts = false
        #expect(none.answer(request("GET", Self.list)).reason == .featureNotEnabled)
    }

    @Test
    func `the app in the path must be the certificate's`() {
        let own = ProviderConnection(certificateTopics: ["com.example.app"])
        let other = ProviderConnection(certificateTopics: ["com.example.other"])
        #expect(text(bench.answer(request("GET", Self.list), on: own)) == #"{"channels":[]}"#)
        #expect(bench.answer(request("GET", Self.list), on: other).reason == .topicMismatch)
        var strict = bench
        strict.api.authentication = .required
        #expect(strict.answer(request("GET", Self.list)).reason == .missingProviderToken)
    }
}
