import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// How many streams may be open, and what is done about more (C40, C42).
struct StreamLimitTests {
    /// A gateway that lets `limit` streams be open and answers after 10 ms.
    private func slow(_ limit: UInt32 = 1_000, delay: Interval = .milliseconds(10)) -> JudgeBench {
        var bench = JudgeBench()
        bench.api.maxStreams = limit
        bench.settings.faults.add(.responseDelay(.constant(delay)))
        return bench
    }

    @Test
    func `one stream until a provider token was good, and then the full limit (C40)`() throws {
        var bench = slow()
        bench.api.authentication = .required
        let client = try ScriptedClient.greeted(bench)
        #expect(client.settings.maxConcurrentStreams == 1)
        let request = Request(["authorization": ProviderTokens.bearer()])
        try client.request(request)
        let extra = try client.request(request)
        #expect(client.resets == [extra: .refusedStream])
        #expect(client.settings.maxConcurrentStreams == 1, "nothing was answered yet")
        try client.pass(.milliseconds(10))
        #expect(client.responses[1]?.status == 200)
        #expect(client.settings.maxConcurrentStreams == 1_000)
        for _ in 0..<1_000 { try client.request(request) }
        #expect(client.session.openStreamCount == 1_000)
        try client.pass(.milliseconds(10))
        #expect(client.responses.count == 1_001 && client.resets.count == 1)
        #expect(client.session.openStreamCount == 0)
        #expect(client.ledger.counts.api.maxOpenStreams == 1_000)
    }

    @Test
    func `a bad provider token leaves the limit at one`() throws {
        var bench = JudgeBench()
        bench.api.authentication = .required
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<3 { try client.request() }
        #expect(client.responses[5]?.reason == "MissingProviderToken")
        #expect(client.settings.maxConcurrentStreams == 1)
    }

    @Test
    func `a certificate opens all streams at once`() throws {
        var bench = JudgeBench()
        bench.api.authentication = .required
        let client = try ScriptedClient.greeted(bench, connection: ProviderConnection(certificateTopics: []))
        #expect(client.settings.maxConcurrentStreams == 1_000)
    }

    @Test
    func `the stream beyond the limit is refused, and may be tried again (C42)`() throws {
        let client = try ScriptedClient.greeted(slow(10))
        for _ in 0..<11 { try client.request() }
        #expect(client.resets == [21: .refusedStream])
        #expect(client.ledger.counts.api.refusedStreams == 1)
        try client.pass(.milliseconds(10))
        #expect(client.responses.count == 10 && client.closing == nil)
        let again = try client.request()
        try client.pass(.milliseconds(10))
        #expect(client.responses[again]?.status == 200)
        #expect(client.ledger.counts.accepted == 11)
    }

    @Test
    func `or the connection is given up, once the client knows the limit (C42)`() throws {
        var bench = slow(10)
        bench.api.streamEnforcement = .goAway
        let early = ScriptedClient(bench)
        try early.send {
            $0.preface()
            $0.settings(HTTP2Settings())
        }
        for _ in 0..<11 { try early.request() }
        #expect(early.resets == [21: .refusedStream] && early.goAways.isEmpty, "it has not seen the limit")
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<13 { try client.request() }
        #expect(client.goAways == [.init(last: 19, code: .protocolError, text: "")])
        try client.pass(.milliseconds(10))
        #expect(client.responses.keys.max() == 19 && client.responses.count == 10)
        #expect(client.closing == .graceful)
        #expect(client.ledger.counts.accepted == 10)
    }

    @Test(arguments: [true, false])
    func `before a good provider token the same holds for the limit of one`(knowsLimit: Bool) throws {
        var bench = slow()
        bench.api.authentication = .required
        bench.api.streamEnforcement = .goAway
        let client = ScriptedClient(bench)
        try client.send {
            $0.preface()
            $0.settings(HTTP2Settings())
            if knowsLimit { $0.settingsAcknowledgement() }
        }
        for _ in 0..<2 { try client.request(Request(["authorization": ProviderTokens.bearer()])) }
        #expect(client.goAways == (knowsLimit ? [.init(last: 1, code: .protocolError, text: "")] : []))
        #expect(client.resets == (knowsLimit ? [:] : [3: .refusedStream]))
        try client.pass(.milliseconds(10))
        #expect(client.responses.mapValues(\.status) == [1: 200], "the first one is answered")
    }

    @Test
    func `a run at the limit is never refused (C42)`() throws {
        let client = try ScriptedClient.greeted(slow(10))
        for _ in 0..<50 {
            for _ in 0..<10 { try client.request() }
            try client.pass(.milliseconds(10))
        }
        #expect(client.responses.count == 500 && client.resets.isEmpty && client.goAways.isEmpty)
    }

    @Test
    func `a schedule of limits is told by settings, and enforced`() throws {
        var bench = slow(100, delay: .milliseconds(1))
        bench.settings.faults.add(.streamLimit(2), when: .at(.seconds(1)))
        bench.settings.faults.add(.streamLimit(50), when: .at(.seconds(2)))
        bench.settings.faults.add(.streamLimit(0), when: .after(60))
        let client = try ScriptedClient.greeted(bench)
        #expect(client.settings.maxConcurrentStreams == 100)
        try client.pass(.seconds(1))
        #expect(client.settings.maxConcurrentStreams == 2)
        try client.send { $0.settingsAcknowledgement() }
        for _ in 0..<3 { try client.request() }
        #expect(client.resets.count == 1)
        try client.pass(.seconds(1))
        #expect(client.settings.maxConcurrentStreams == 50)
        for _ in 0..<58 {
            try client.request()
            try client.pass(.milliseconds(1))
        }
        #expect(client.settings.maxConcurrentStreams == 0)
        #expect(client.ledger.counts.faults == [60, 1, 1, 1])
    }

    @Test(arguments: [ProviderAPISettings.StreamEnforcement.refusedStream, .goAway])
    func `a lower limit holds from its acknowledgement on, and not for streams that were opened before`(
        enforcement: ProviderAPISettings.StreamEnforcement
    ) throws {
        var bench = slow(100, delay: .milliseconds(50))
        bench.api.streamEnforcement = enforcement
        bench.settings.faults.add(.streamLimit(10), when: .at(.seconds(1)))
        let client = try ScriptedClient.greeted(bench)
        try client.pass(.milliseconds(999))
        for _ in 0..<60 { try client.request() }
        try client.pass(.milliseconds(1))
        #expect(client.settings.maxConcurrentStreams == 10)
        for _ in 0..<40 { try client.request() }
        #expect(client.session.openStreamCount == 100 && client.resets.isEmpty && client.goAways.isEmpty)
        try client.send { $0.settingsAcknowledgement() }
        try client.pass(.milliseconds(50))
        #expect(client.responses.count == 100 && client.resets.isEmpty && client.goAways.isEmpty)
        for _ in 0..<10 { try client.request() }
        #expect(client.resets.isEmpty && client.goAways.isEmpty)
        try client.request()
        #expect(client.resets.count == (enforcement == .refusedStream ? 1 : 0))
        #expect(client.goAways.count == (enforcement == .goAway ? 1 : 0))
    }

    @Test
    func `limits that are changed and changed back are acknowledged one by one`() throws {
        var limits = AnnouncedLimits(streamLimit: 100)
        #expect(!limits.isKnown && limits.streamLimit == 100)
        limits.add(streamLimit: 10)
        limits.add(streamLimit: 10)
        limits.add(streamLimit: 50)
        for expected in [100, 50, 50, 50] as [UInt32] {
            let isAwaited = limits.acknowledge()
            #expect(isAwaited && limits.isKnown && limits.streamLimit == expected)
        }
        let isUnasked = limits.acknowledge()
        #expect(!isUnasked)
        limits.add(streamLimit: 5)
        #expect(limits.streamLimit == 50, "until it is acknowledged")
        for round in 0..<1_000 as Range<UInt32> { limits.add(streamLimit: 20 + round % 2) }
        #expect(limits.streamLimit == 50)
        for _ in 0..<1_001 { _ = limits.acknowledge() }
        #expect(limits.streamLimit == 21, "the last one")
    }

    @Test
    func `streams end in any order, and slow ones hold no others up`() throws {
        var bench = JudgeBench()
        bench.api.maxStreams = 5_000
        bench.settings.faults.add(
            .responseDelay(.distribution(p50: .milliseconds(5), p99: .milliseconds(500), max: .seconds(2))))
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<5_000 { try client.request() }
        #expect(client.session.openStreamCount + client.responses.count == 5_000)
        try client.pass(.seconds(2))
        #expect(client.responses.count == 5_000 && client.session.openStreamCount == 0)
        for _ in 0..<20_000 { try client.request() }
        try client.pass(.seconds(2))
        #expect(client.session.openStreamCount == 0)
        #expect(client.responses.count + client.resets.count == 25_000)
        #expect(client.ledger.counts.accepted == UInt64(client.responses.count))
    }
}
