import Primitives
import PushWire
import Testing
import Workload

@testable import GatewaySimulator

/// How a gateway gives connections up (C44).
struct GoAwayTests {
    private func bench(_ trigger: FaultTrigger, _ change: (inout GoAwayOrder) -> Void = { _ in }) -> JudgeBench {
        var bench = JudgeBench()
        bench.api.maxStreams = 5_000
        var order = GoAwayOrder()
        change(&order)
        bench.settings.faults.add(.responseDelay(.constant(.milliseconds(50))))
        bench.settings.faults.add(.goAway(order), when: trigger)
        return bench
    }

    @Test
    func `streams up to the last are answered, those beyond are never looked at, and then the connection closes (C44)`()
        throws
    {
        let client = try ScriptedClient.greeted(bench(.after(1_000)))
        for _ in 0..<1_200 { try client.request() }
        #expect(client.goAways == [.init(last: 1_999, code: .noError, text: "")])
        #expect(client.closing == nil, "it has still to answer")
        try client.pass(.milliseconds(50))
        #expect(client.responses.count == 1_000 && client.responses.keys.max() == 1_999)
        #expect(client.closing == .graceful)
        #expect(client.ledger.counts.accepted == 1_000 && client.ledger.counts.api.ignoredStreams == 200)
    }

    @Test
    func `an announcement with the highest stream comes before the real one`() throws {
        let client = try ScriptedClient.greeted(bench(.after(3)) { $0.announcement = .milliseconds(100) })
        for _ in 0..<5 { try client.request() }
        #expect(client.goAways.map(\.last) == [HTTP2FrameHeader.lastStreamID])
        try client.pass(.milliseconds(99))
        for _ in 0..<2 { try client.request() }
        try client.pass(.milliseconds(1))
        #expect(client.goAways.map(\.last) == [HTTP2FrameHeader.lastStreamID, 13])
        try client.request()
        try client.pass(.milliseconds(60))
        #expect(client.responses.count == 7 && client.closing == .graceful)
        #expect(client.ledger.counts.api.goAways == 2, "each frame counts, as it does for who reads it")
    }

    @Test
    func `a connection that is told to go is not told again, and counts one strike`() throws {
        var bench = bench(.every(10, scope: .connection)) { $0.announcement = .milliseconds(100) }
        bench.settings.faults.add(.shutdown, when: .at(.milliseconds(50)))
        bench.settings.faults.add(.shutdown, when: .at(.milliseconds(120)))
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<35 { try client.request() }
        try client.pass(.milliseconds(60))
        for _ in 0..<10 { try client.request() }
        try client.pass(.milliseconds(40))
        try client.request()
        try client.pass(.milliseconds(100))
        #expect(client.goAways.count == 2 && client.closing == .graceful)
        #expect(client.ledger.counts.faults == [45, 1])
    }

    @Test
    func `an announced goaway that never comes, as the client is gone before, counts once`() throws {
        let order = bench(.after(10)) {
            $0.announcement = .milliseconds(100)
            $0.lastStream = .behind(3)
        }
        let client = try ScriptedClient.greeted(order)
        for _ in 0..<10 { try client.request() }
        client.session.connectionEnded()
        #expect(client.goAways.count == 1 && client.ledger.counts.api.goAways == 1)
    }

    @Test
    func `the reason stands in JSON, with a code`() throws {
        let client = try ScriptedClient.greeted(
            bench(.after(1)) {
                $0.reason = .shutdown
                $0.code = HTTP2ErrorCode.internalError.rawValue
                $0.lastStream = .none
            })
        try client.request()
        #expect(client.goAways == [.init(last: 0, code: .internalError, text: #"{"reason":"Shutdown"}"#)])
        #expect(client.responses.isEmpty && client.closing == .graceful)
        #expect(client.session.openStreamCount == 0)
    }

    @Test
    func `every so many streams of a connection, and some before the latest may be disclaimed`() throws {
        let every = bench(.every(10_000, scope: .connection))
        let client = try ScriptedClient.greeted(every)
        for _ in 0..<10 {
            for _ in 0..<1_000 { try client.request() }
            try client.pass(.milliseconds(50))
        }
        #expect(client.goAways.map(\.last) == [19_999] && client.responses.count == 10_000)
        let lying = try ScriptedClient.greeted(bench(.after(10)) { $0.lastStream = .behind(3) })
        for _ in 0..<10 { try lying.request() }
        #expect(lying.goAways.map(\.last) == [13])
        try lying.pass(.milliseconds(50))
        #expect(lying.responses.count == 7 && lying.ledger.counts.accepted == 10)
    }

    @Test
    func `a connection that is given up may stay open`() throws {
        let client = try ScriptedClient.greeted(bench(.after(1)) { $0.closes = false })
        try client.request()
        try client.pass(.seconds(10))
        #expect(client.goAways.count == 1 && client.closing == nil)
        #expect(client.responses.count == 1)
        try client.request()
        #expect(client.ledger.counts.api.ignoredStreams == 1)
    }

    @Test
    func `a certificate of the other environment is told before any request`() throws {
        let client = ScriptedClient(refusal: "BadCertificateEnvironment")
        try client.greet()
        #expect(
            client.goAways == [.init(last: 0, code: .noError, text: #"{"reason":"BadCertificateEnvironment"}"#)])
        #expect(client.closing == .graceful)
        #expect(client.ledger.counts.api.violations == 0)
    }

    @Test
    func `a connection without requests ends with its reason, one with requests does not`() throws {
        var bench = JudgeBench()
        bench.api.idleTimeout = .seconds(60)
        let client = try ScriptedClient.greeted(bench)
        for _ in 0..<5 {
            try client.request()
            try client.pass(.seconds(59))
        }
        #expect(client.goAways.isEmpty)
        try client.pass(.seconds(1))
        #expect(client.goAways == [.init(last: 9, code: .noError, text: #"{"reason":"IdleTimeout"}"#)])
        #expect(client.closing == .graceful)
    }

    @Test
    func `a client that says goodbye gets its answers`() throws {
        let client = try ScriptedClient.greeted(bench(.at(.seconds(100))))
        try client.request()
        try client.send { $0.goAway(lastStreamID: 0, code: .noError) }
        #expect(client.closing == nil)
        try client.pass(.milliseconds(50))
        #expect(client.responses[1]?.status == 200 && client.closing == .graceful)
    }
}
