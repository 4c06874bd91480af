import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// What each wrong part of a request about a device is answered.
struct RequestJudgeTests {
    private let bench = JudgeBench()

    @Test
    func `a good request is accepted`() {
        #expect(bench.answer(Request()) == .accepted)
    }

    @Test(arguments: PushType.allCases)
    func `every push type is known by its name, and good with its own topic and a priority that it may have`(
        type: PushType
    ) {
        #expect(Array(type.rawValue.utf8).withUnsafeBytes { PushType($0) } == type)
        let topic = JudgeBench.topic + type.topicSuffix.description
        let priority = type == .background ? "5" : "10"
        let fields = ["apns-push-type": type.rawValue, "apns-topic": topic, "apns-priority": priority]
        #expect(bench.answer(Request(fields.mapValues { $0 })) == .accepted)
        let other = type.topicSuffix.utf8CodeUnitCount == 0 ? ".voip" : ""
        #expect(bench.answer(Request(fields.merging(["apns-topic": JudgeBench.topic + other]) { $1 })) != .accepted)
    }

    /// A request, and the reason that it must earn.
    struct Row: CustomTestStringConvertible, Sendable {
        var reason: RefusalReason?
        var changes: [String: String?]
        var testDescription: String { "\(reason.map { "\($0)" } ?? "good") \(changes)" }

        init(_ reason: RefusalReason?, _ changes: [String: String?]) {
            self.reason = reason
            self.changes = changes
        }
    }

    private static let zeros = String(repeating: "0", count: 64)
    private static let collapse = String(repeating: "é", count: 32)

    @Test(
        arguments: [
            Row(.methodNotAllowed, [":method": "GET"]),
            Row(.methodNotAllowed, [":method": "GET", ":path": "/status/1"]),
            Row(.badPath, [":path": "/"]),
            Row(.badPath, [":path": "/2/device/00"]),
            Row(.missingDeviceToken, [":path": "/3/device/"]),
            Row(.missingDeviceToken, [":path": "/3/device"]),
            Row(.badMessageID, ["apns-id": "not-a-uuid"]),
            Row(.badMessageID, ["apns-id": "123e4567-e89b-12d3-a456-4266554400000"]),
            Row(.badMessageID, ["apns-id": ""]),
            Row(nil, ["apns-id": "123e4567-e89b-12d3-a456-426655440000"]),
            Row(nil, ["apns-id": "123E4567-E89B-12D3-A456-426655440000"]),
            Row(.missingTopic, ["apns-topic": nil]),
            Row(.missingTopic, ["apns-topic": ""]),
            Row(.badTopic, ["apns-topic": "com example"]),
            Row(.badTopic, ["apns-topic": String(repeating: "a", count: 256)]),
            Row(.invalidPushType, ["apns-push-type": "Alert"]),
            Row(.invalidPushType, ["apns-push-type": "alarm"]),
            Row(.invalidPushType, ["apns-push-type": ""]),
            Row(nil, ["apns-push-type": "alert"]),
            Row(.badTopic, ["apns-push-type": "voip"]),
            Row(nil, ["apns-push-type": "voip", "apns-topic": "com.example.app.voip"]),
            Row(.badTopic, ["apns-push-type": "alert", "apns-topic": "com.example.app.voip"]),
            Row(.badTopic, ["apns-push-type": "voip", "apns-topic": ".voip"]),
            Row(nil, ["apns-push-type": "liveactivity", "apns-topic": "com.example.app.push-type.liveactivity"]),
            Row(.badPriority, ["apns-priority": "7"]),
            Row(.badPriority, ["apns-priority": ""]),
            Row(.badPriority, ["apns-priority": "99999999999999999999"]),
            Row(.badPriority, ["apns-priority": "010"]),
            Row(.badPriority, ["apns-priority": "05"]),
            Row(.badPriority, ["apns-priority": "+5"]),
            Row(.badPriority, ["apns-priority": "5.0"]),
            Row(.badPriority, ["apns-priority": "0"]),
            Row(nil, ["apns-priority": "1"]),
            Row(.badPriority, ["apns-push-type": "background", "apns-priority": "10"]),
            Row(nil, ["apns-push-type": "background", "apns-priority": "5"]),
            Row(nil, ["apns-push-type": "background"]),
            Row(
                .badPriority,
                [
                    "apns-push-type": "liveactivity", "apns-topic": "com.example.app.push-type.liveactivity",
                    "apns-priority": "1",
                ]),
            Row(.badExpirationDate, ["apns-expiration": "tomorrow"]),
            Row(.badExpirationDate, ["apns-expiration": "-1"]),
            Row(.badExpirationDate, ["apns-expiration": "+1700000000"]),
            Row(.badExpirationDate, ["apns-expiration": "01700000000"]),
            Row(.badExpirationDate, ["apns-expiration": "00"]),
            Row(.badExpirationDate, ["apns-expiration": "17 00"]),
            Row(.badExpirationDate, ["apns-expiration": "1700000000.5"]),
            Row(.badExpirationDate, ["apns-expiration": ""]),
            Row(nil, ["apns-expiration": "0"]),
            Row(nil, ["apns-collapse-id": collapse]),
            Row(.badCollapseID, ["apns-collapse-id": collapse + "x"]),
            Row(.badDeviceToken, [":path": "/3/device/xyz"]),
            Row(.badDeviceToken, [":path": "/3/device/\(zeros)"]),
            Row(.badDeviceToken, [":path": "/3/device/\(zeros)00"]),
            Row(.badDeviceToken, [":path": "/3/device/\(zeros.dropLast())"]),
            Row(.badDeviceToken, [":path": "/3/device/\(zeros.dropLast())o"]),
            Row(.badDeviceToken, [":path": "/3/device/\(JudgeBench.token(.badToken))"]),
            Row(.badDeviceToken, [":path": "/3/device/\(JudgeBench.token(environment: .production))"]),
            Row(.deviceTokenNotForTopic, [":path": "/3/device/\(JudgeBench.token(.otherTopic))"]),
            Row(.deviceTokenNotForTopic, [":path": "/3/device/\(JudgeBench.token(topic: 1))"]),
            Row(.unregistered, [":path": "/3/device/\(JudgeBench.token(.unregistered))"]),
            Row(nil, [":path": "/3/device/\(JudgeBench.token().uppercased())"]),
        ])
    func `each field is judged as documented`(_ row: Row) {
        #expect(bench.answer(Request(row.changes)).reason == row.reason)
    }

    @Test
    func `of several faults the first in the documented order counts`() {
        var request = Request(
            path: "/3/device/xyz", method: "GET",
            [
                "apns-id": "x", "apns-push-type": "x", "apns-topic": "a b", "apns-priority": "x",
                "apns-expiration": "x", "apns-collapse-id": String(repeating: "x", count: 65),
            ])
        request.fields.append(("apns-priority", "10"))
        request.body = []
        let expected: [(RefusalReason, (inout Request) -> Void)] = [
            (.duplicateHeaders, { _ = $0.fields.popLast() }),
            (.badMessageID, { $0.set("apns-id", nil) }),
            (.methodNotAllowed, { $0.set(":method", "POST") }),
            (.invalidPushType, { $0.set("apns-push-type", "alert") }),
            (.badTopic, { $0.set("apns-topic", JudgeBench.topic) }),
            (.badPriority, { $0.set("apns-priority", "10") }),
            (.badExpirationDate, { $0.set("apns-expiration", "0") }),
            (.badCollapseID, { $0.set("apns-collapse-id", "a") }),
            (.badDeviceToken, { $0.set(":path", "/3/device/\(JudgeBench.token())") }),
            (.payloadEmpty, { $0.body = Array("{}".utf8) }),
        ]
        for (reason, mend) in expected {
            #expect(bench.answer(request).reason == reason)
            mend(&request)
        }
        #expect(bench.answer(request) == .accepted)
    }

    @Test(arguments: [("alert", "", 4_096), ("voip", ".voip", 5_120), (nil, ".voip", 5_120), (nil, "", 4_096)])
    func `a body is as long as its push type allows`(_ type: String?, _ suffix: String, _ limit: Int) {
        var request = Request(["apns-push-type": type, "apns-topic": JudgeBench.topic + suffix])
        request.body = [UInt8](repeating: UInt8(ascii: " "), count: limit)
        #expect(bench.answer(request) == .accepted)
        request.body.append(UInt8(ascii: " "))
        #expect(bench.answer(request).reason == .payloadTooLarge)
    }

    @Test
    func `a body is judged as JSON only when that is switched on`() {
        var request = Request()
        request.body = Array("no JSON".utf8)
        #expect(bench.answer(request) == .accepted)
        var strict = bench
        strict.settings.judgesJSON = true
        #expect(strict.answer(request).reason == .badRequestPayload)
    }

    @Test
    func `410 tells in milliseconds when the device lost the app, always the same time`() throws {
        let request = Request(path: "/3/device/\(JudgeBench.token(.unregistered))")
        guard case .refused(.unregistered, let timestamp) = bench.answer(request) else {
            Issue.record("not refused")
            return
        }
        let time = try #require(timestamp)
        #expect(String(time).count == 13)
        #expect(time <= JudgeBench.epoch * 1_000 && time > (JudgeBench.epoch - 604_801) * 1_000)
        #expect(bench.answer(request, now: Instant.zero + .seconds(1_000)) == bench.answer(request))
        var fixed = bench
        fixed.api.unregisteredAt = 1_454_948_015_990
        #expect(fixed.answer(request) == .refused(.unregistered, timestamp: 1_454_948_015_990))
    }

    @Test
    func `tokens of other lengths are taken by the variable rule`() {
        var variable = bench
        variable.settings.tokenBytes = GatewaySettings.variableTokenBytes
        for count in [1, 31, 33, 100] {
            let path = "/3/device/" + String(repeating: "a1", count: count)
            #expect(variable.answer(Request(path: path)) == .accepted)
            #expect(bench.answer(Request(path: path)).reason == .badDeviceToken)
        }
        #expect(
            variable.answer(Request(path: "/3/device/" + String(repeating: "a1", count: 101))).reason == .badDeviceToken
        )
    }

    @Test
    func `foreign tokens are accepted or refused as the settings say`() {
        let request = Request(path: "/3/device/" + String(repeating: "5a", count: 32))
        #expect(bench.answer(request) == .accepted)
        var strict = bench
        strict.settings.foreignTokens = .reject
        #expect(strict.answer(request).reason == .badDeviceToken)
    }

    @Test
    func `each of the gateway's apps has its own devices, and others are disallowed`() {
        var several = bench
        several.api.topics = ["com.example.app", "com.example.other"]
        let second = "/3/device/\(JudgeBench.token(topic: 1))"
        #expect(several.answer(Request(path: second, ["apns-topic": "com.example.other"])) == .accepted)
        #expect(several.answer(Request(path: second)).reason == .deviceTokenNotForTopic)
        #expect(several.answer(Request(["apns-topic": "com.example.third"])).reason == .topicDisallowed)
    }

    @Test
    func `a repeated header is refused, one that nobody knows may come twice`() {
        var request = Request()
        request.fields += [("x-trace", "1"), ("x-trace", "2")]
        #expect(bench.answer(request) == .accepted)
        request.fields.append(("apns-topic", JudgeBench.topic))
        #expect(bench.answer(request).reason == .duplicateHeaders)
    }

    @Test
    func `the number in the run's identifiers is read, and others are echoed as they are`() {
        let judge = bench.judge()
        let fields = ReceivedFields()
        var text = [UInt8](repeating: 0, count: 36)
        for identifier in [1, 9, 0xABCD_EF01, UInt32.max] {
            text.withUnsafeMutableBytes { target in
                guard let base = target.baseAddress else { return }
                NotificationIDSpace(seed: JudgeBench.seed).write(sequence: UInt64(identifier) - 1, to: base)
            }
            Request(["apns-id": String(decoding: text, as: UTF8.self)]).fill(fields)
            let head = judge.judge(fields, on: ProviderConnection(), now: .zero)
            #expect(head.identifier == identifier && head.refusal == nil)
            #expect((0..<36).allSatisfy { head.messageID[$0] == text[$0] })
        }
        let foreign = "123E4567-E89B-12D3-A456-426655440000"
        Request(["apns-id": foreign]).fill(fields)
        let head = judge.judge(fields, on: ProviderConnection(), now: .zero)
        #expect(head.identifier == 0)
        #expect(Array(foreign.utf8) == (0..<36).map { head.messageID[$0] })
    }

    @Test
    func `a request without identifier gets one of its own`() {
        let judge = bench.judge()
        let fields = ReceivedFields()
        var seen: Set<[UInt8]> = []
        for _ in 0..<100 {
            Request().fill(fields)
            let head = judge.judge(fields, on: ProviderConnection(), now: .zero)
            let text = (0..<36).map { head.messageID[$0] }
            #expect(text.withUnsafeBytes { RequestText.isUUID($0) })
            seen.insert(text)
        }
        #expect(seen.count == 100)
    }
}
