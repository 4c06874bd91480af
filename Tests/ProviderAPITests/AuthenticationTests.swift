import Primitives
import PushWire
import Synchronization
import Testing
import Workload

@testable import GatewaySimulator

/// What provider tokens and certificates are answered.
struct AuthenticationTests {
    private var bench: JudgeBench {
        var bench = JudgeBench()
        bench.api.authentication = .required
        bench.api.providerKeys = [
            ProviderKey(keyID: "ABC123DEFG", teamID: "TEAM123456"),
            ProviderKey(keyID: "SECONDKEY1", teamID: "TEAM123456"),
            ProviderKey(keyID: "OTHERTEAM1", teamID: "TEAM654321"),
            ProviderKey(keyID: "PRODUCTION", teamID: "TEAM123456", environment: .production),
            ProviderKey(keyID: "ONLYTOPIC1", teamID: "TEAM123456", topics: ["com.example.other"]),
        ]
        bench.verifier = { _, message, signature in message.count > 20 && signature.allSatisfy { $0 == 1 } }
        return bench
    }

    private func reason(_ authorization: String?, bench: JudgeBench? = nil) -> RefusalReason? {
        (bench ?? self.bench).answer(Request(["authorization": authorization])).reason
    }

    @Test
    func `a request needs a provider token`() {
        #expect(reason(nil) == .missingProviderToken)
        #expect(reason("") == .missingProviderToken)
        #expect(reason(ProviderTokens.bearer()) == nil)
        #expect(reason(ProviderTokens.bearer().replacing("bearer", with: "Bearer")) == nil)
    }

    @Test(arguments: [
        "bearer", "bearer x", "bearer a.b.c", "basic abc", ProviderTokens.bearer(algorithm: "HS256"),
        ProviderTokens.bearer(signature: 2), ProviderTokens.bearer(kid: "UNKNOWNKEY"),
        ProviderTokens.bearer(team: "TEAM654321"), ProviderTokens.bearer(kid: ""), ProviderTokens.bearer(team: ""),
        ProviderTokens.bearer(issuedAt: "\"soon\""), ProviderTokens.bearer(issuedAt: "-1"),
        ProviderTokens.bearer(issuedAt: "99999999999999999999"), ProviderTokens.bearer(issuedAt: "null"),
        ProviderTokens.bearer(issuedAt: "9000000000000000000"), ProviderTokens.bearer(extra: "x"),
        String(ProviderTokens.bearer().dropLast(2)), ProviderTokens.bearer() + ".x",
    ])
    func `a malformed token, or one that nobody signed, is invalid`(_ authorization: String) {
        #expect(reason(authorization) == .invalidProviderToken)
    }

    @Test(arguments: [
        "1700000000", "\"1700000000\"", "1700000000.5", "\"1700000000.25\"",
    ])
    func `the time of issue is a number, a fraction or a numeric string`(_ time: String) {
        #expect(reason(ProviderTokens.bearer(issuedAt: time)) == nil)
        #expect(reason(ProviderTokens.bearer(issuedAt: time, extra: #","kid":"ABC123DEFG","x":{"iat":[1]}"#)) == nil)
    }

    @Test
    func `a token is good for an hour and not before its time`() {
        let (bench, connection) = (bench, ProviderConnection())
        let judge = bench.judge()
        let request = Request(["authorization": ProviderTokens.bearer()])
        func reason(at seconds: Int64) -> RefusalReason? {
            bench.answer(request, on: connection, by: judge, now: .zero + .seconds(seconds)).reason
        }
        #expect(reason(at: -301) == .invalidProviderToken)
        #expect(reason(at: -300) == nil)
        #expect(reason(at: 3_600) == nil)
        #expect(reason(at: 3_601) == .expiredProviderToken)
        #expect(bench.answer(request, now: .zero + .seconds(3_601)).reason == .expiredProviderToken)
    }

    @Test
    func `a second token within twenty minutes is one too many, on one connection or over all`() {
        for scope in [ProviderAPISettings.TokenUpdateScope.connection, .fleet] {
            var bench = bench
            bench.api.tokenUpdateScope = scope
            let judge = bench.judge()
            let (first, second) = (ProviderConnection(), ProviderConnection())
            let old = Request(["authorization": ProviderTokens.bearer()])
            let new = Request(["authorization": ProviderTokens.bearer(issuedAt: "\(JudgeBench.epoch + 1)")])
            #expect(bench.answer(old, on: first, by: judge) == .accepted)
            let other = bench.answer(new, on: second, by: judge, now: .zero + .seconds(2))
            #expect(other.reason == (scope == .fleet ? .tooManyProviderTokenUpdates : nil))
            let early = Instant.zero + .seconds(1_199)
            #expect(bench.answer(new, on: first, by: judge, now: early).reason == .tooManyProviderTokenUpdates)
            #expect(bench.answer(old, on: first, by: judge, now: early) == .accepted)
            let due = Instant.zero + .seconds(1_200)
            #expect(bench.answer(new, on: first, by: judge, now: due) == .accepted)
            #expect(bench.answer(old, on: first, by: judge, now: due) == .accepted, "one on its way is not late")
        }
    }

    @Test
    func `a connection belongs to the team and the key that it began with`() {
        let (bench, connection) = (bench, ProviderConnection())
        let judge = bench.judge()
        func reason(_ authorization: String) -> RefusalReason? {
            bench.answer(Request(["authorization": authorization]), on: connection, by: judge).reason
        }
        #expect(reason(ProviderTokens.bearer()) == nil)
        #expect(reason(ProviderTokens.bearer(kid: "SECONDKEY1")) == .unrelatedKeyIDInToken)
        #expect(reason(ProviderTokens.bearer(kid: "OTHERTEAM1", team: "TEAM654321")) == .invalidProviderToken)
        #expect(reason(ProviderTokens.bearer()) == nil)
    }

    @Test
    func `a key of the other environment has its reason, spelled in one of two ways`() {
        let token = ProviderTokens.bearer(kid: "PRODUCTION")
        #expect(reason(token) == .badEnvironmentKeyInToken)
        var documented = bench
        documented.api.keyEnvironmentSpelling = .documented
        #expect(reason(token, bench: documented) == .badEnvironmentKeyIDInToken)
    }

    @Test
    func `a key that is for some topics reaches no others`() {
        let token = ProviderTokens.bearer(kid: "ONLYTOPIC1")
        #expect(reason(token) == .topicDisallowed)
        let allowed = Request(["authorization": token, "apns-topic": "com.example.other"])
        #expect(bench.answer(allowed) == .accepted)
    }

    @Test
    func `a known token costs no second verification`() {
        let calls = Mutex(0)
        var bench = bench
        bench.verifier = { _, _, _ in
            calls.withLock { $0 += 1 }
            return true
        }
        let judge = bench.judge()
        let request = Request(["authorization": ProviderTokens.bearer()])
        for _ in 0..<10 { #expect(bench.answer(request, by: judge) == .accepted) }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test
    func `a certificate reaches its topics, and needs no header when it has one`() {
        let single = ProviderConnection(certificateTopics: [JudgeBench.topic])
        let several = ProviderConnection(certificateTopics: [JudgeBench.topic, JudgeBench.topic + ".voip"])
        #expect(bench.answer(Request(), on: single) == .accepted)
        #expect(bench.answer(Request(["apns-topic": nil]), on: single) == .accepted)
        #expect(bench.answer(Request(["apns-topic": nil]), on: several).reason == .missingTopic)
        #expect(bench.answer(Request(["apns-topic": "com.example.other"]), on: single).reason == .topicDisallowed)
        let voice = Request(["apns-push-type": "voip", "apns-topic": JudgeBench.topic + ".voip"])
        #expect(bench.answer(voice, on: several) == .accepted)
        let place = Request(["apns-push-type": "location", "apns-topic": JudgeBench.topic + ".location-query"])
        #expect(bench.answer(place, on: single).reason == .forbidden)
    }

    @Test
    func `a provider token beside a certificate is ignored or forbidden`() {
        let connection = ProviderConnection(certificateTopics: [JudgeBench.topic])
        let request = Request(["authorization": "bearer nonsense"])
        #expect(bench.answer(request, on: connection) == .accepted)
        var strict = bench
        strict.api.mixedAuthentication = .forbidden
        #expect(strict.answer(request, on: connection).reason == .forbidden)
        #expect(strict.answer(Request(), on: connection) == .accepted)
    }

    @Test
    func `tokens without number fill no memory, and the oldest are forgotten`() {
        let judge = bench.judge()
        for number in 0..<1_000 {
            let token = ProviderTokens.bearer(issuedAt: "\(JudgeBench.epoch - Int64(number))")
            #expect(bench.answer(Request(["authorization": token]), by: judge) == .accepted)
        }
    }
}
