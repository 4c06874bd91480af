import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// The faults of the plan that strike requests, streams and windows.
struct RequestFaultTests {
    @Test
    func `a share of requests is refused by order, the same ones for the same seed`() throws {
        func refused(seed: UInt64) throws -> Set<UInt32> {
            var bench = JudgeBench()
            bench.settings.faults.seed = seed
            bench.settings.faults.add(.response(.internalServerError), when: .share(0.2))
            let client = try ScriptedClient.greeted(bench)
            for _ in 0..<1_000 { try client.request() }
            return Set(client.responses.filter { $0.value.status == 500 }.keys)
        }
        let first = try refused(seed: 1)
        #expect((150...250).contains(first.count))
        #expect(try refused(seed: 1) == first)
        #expect(try refused(seed: 2) != first)
    }

    @Test
    func `a burst of refusals lasts as long as it shall`() throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.response(.serviceUnavailable), when: .at(.seconds(1), for: .seconds(2)))
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<50 {
            try client.request()
            try client.pass(.milliseconds(100))
        }
        #expect(client.responses.values.count { $0.status == 503 } == 20)
        #expect(client.ledger.counts.api.accepted == 30)
    }

    @Test
    func `one device may be pushed to so often, others are not held back for it (C57)`() throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.tokenLimit(Rate(perSecond: 10)))
        let single = try ScriptedClient.greeted(bench)
        for _ in 0..<100 { try single.request() }
        #expect(single.responses.values.count { $0.status == 429 } == 90)
        #expect(single.responses.values.allSatisfy { $0.status == 200 || $0.reason == "TooManyRequests" })
        try single.pass(.seconds(1))
        let later = try single.request()
        #expect(single.responses[later]?.status == 200)
        let many = try ScriptedClient.greeted(bench)
        for index in 0..<100 {
            try many.request(Request(path: "/3/device/\(JudgeBench.token(index: UInt64(index)))"))
        }
        #expect(many.responses.values.allSatisfy { $0.status == 200 })
    }

    @Test
    func `a request may stay without answer, and its stream open`() throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.unanswered, when: .after(2))
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<3 { try client.request() }
        try client.pass(.seconds(1_000))
        #expect(Set(client.responses.keys) == [1, 5])
        #expect(client.session.openStreamCount == 1 && client.ledger.counts.api.unanswered == 1)
        #expect(client.ledger.counts.accepted == 2, "what is not answered was not accepted")
        try client.send { $0.reset(streamID: 3, code: .cancel) }
        #expect(client.session.openStreamCount == 0 && client.ledger.counts.api.cancelledStreams == 1)
    }

    @Test
    func `a stream may be reset instead of answered`() throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.resetStream(HTTP2ErrorCode.enhanceYourCalm.rawValue), when: .every(2))
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<4 { try client.request() }
        #expect(client.resets.count == 2 && client.resets.values.allSatisfy { $0 == .enhanceYourCalm })
        #expect(client.responses.count == 2 && client.session.openStreamCount == 0)
    }

    @Test
    func `a client that resets a stream gets no answer on it`() throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.responseDelay(.constant(.milliseconds(10))))
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<3 { try client.request() }
        try client.send { $0.reset(streamID: 3, code: .cancel) }
        try client.pass(.milliseconds(10))
        #expect(Set(client.responses.keys) == [1, 5] && client.session.openStreamCount == 0)
    }

    @Test
    func `a held window is widened when its time is over`() throws {
        var bench = JudgeBench()
        bench.api.connectionWindowBytes = 65_535
        bench.settings.faults.add(.windowHeld, when: .at(.seconds(1), for: .seconds(5)))
        let client = try ScriptedClient.greeted(bench)
        try client.pass(.seconds(1))
        var request = Request()
        request.body = [UInt8](repeating: UInt8(ascii: " "), count: 4_000)
        for _ in 0..<16 { try client.request(request) }
        #expect(client.windowUpdates.isEmpty)
        try client.pass(.seconds(5))
        #expect(client.windowUpdates.map(\.increment) == [64_000])
        for _ in 0..<16 { try client.request(request) }
        #expect(client.responses.count == 32 && client.goAways.isEmpty)
    }

    @Test
    func `the windows of streams may be changed while requests come`() throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.streamWindow(100), when: .at(.seconds(1)))
        bench.settings.faults.add(.streamWindow(65_535), when: .at(.seconds(2)))
        let client = try ScriptedClient.greeted(bench)
        try client.pass(.seconds(1))
        #expect(client.settings.initialWindowSize == 100)
        var request = Request()
        request.body = [UInt8](repeating: UInt8(ascii: " "), count: 100)
        let id = try client.request(request, endsStream: false)
        #expect(client.windowUpdates.last?.stream == id && client.windowUpdates.last?.increment == 100)
        try client.pass(.seconds(1))
        #expect(client.settings.initialWindowSize == 65_535)
    }

    @Test
    func `connections may stall, close, or fall silent`() throws {
        var bench = JudgeBench()
        bench.settings.faults.add(.stall, when: .at(.seconds(1), for: .seconds(3)))
        let stalling = try ScriptedClient.greeted(bench)
        try stalling.pass(.seconds(1))
        #expect(stalling.pausedUntil == .zero + .seconds(4))
        bench.settings.faults = FaultPlan()
        bench.settings.faults.add(.close(.reset), when: .after(2))
        let closing = try ScriptedClient.greeted(bench)
        for _ in 0..<3 { try closing.request() }
        #expect(closing.closing == .reset && closing.ledger.counts.accepted == 2)
        bench.settings.faults = FaultPlan()
        bench.settings.faults.add(.blackHole, when: .after(1))
        let silent = try ScriptedClient.greeted(bench)
        for _ in 0..<3 { try silent.request() }
        #expect(silent.isSwallowed && silent.ledger.counts.accepted == 1)
        bench.settings.faults = FaultPlan()
        bench.settings.faults.add(.throttle(Rate(perSecond: 10)))
        let throttled = try ScriptedClient.greeted(bench)
        try throttled.request()
        #expect(throttled.pausedUntil == .zero + .milliseconds(100))
    }
}
