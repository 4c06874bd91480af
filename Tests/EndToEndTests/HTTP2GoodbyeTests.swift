import Harness
import Primitives
import PushWire
import RunRecords
import SimulatedTransport
import Testing

extension EndToEndTests {
    /// Refused streams and GOAWAY at exact numbers, by a scripted gateway over real TLS.
    @Suite struct HTTP2GoodbyeTests {
        private static let sender = #"http2: { authentication: "certificate" }, streams: "#

        /// What the gateways saw of a run, of which everything must have been accepted.
        private static func outcome(
            of gateway: ScriptedTLSGateway, _ notifications: Int, streams: Int, workload: String = ""
        ) async throws -> (record: RunRecord, seen: [ScriptedTLSGateway.Seen]) {
            let text = gateway.profile(notifications, sender: sender + "\(streams)", workload: workload)
            let record = try await Run(text).record()
            let seen = try await gateway.seen()
            await gateway.close()
            #expect(record.ledger.accepted == record.ledger.generated, "\(record.ledger)")
            #expect(seen.flatMap(\.breaches) == [])
            return (record, seen)
        }

        private static func count(_ record: RunRecord, _ name: String) -> Int64 {
            record.errors.first { $0.name == name }?.count ?? 0
        }

        // The gateway announces one stream more than it takes.
        @Test func `C42 the one stream beyond the limit is refused, sent again and accepted once`() async throws {
            let gateway = try await ScriptedTLSGateway { stage in
                let gateway = stage.gateway
                gateway.announce { $0.maxConcurrentStreams = 101 }
                var refusedCount = 0
                gateway.onOpen = { [unowned gateway] stream in
                    guard gateway.open.count == 100, refusedCount == 0 else { return true }
                    refusedCount += 1
                    gateway.reset(stream, .refusedStream)
                    gateway.announce { $0.maxConcurrentStreams = 100 }
                    return false
                }
                gateway.onRequest = { [unowned stage] request in
                    stage.after(.milliseconds(20)) { $0.gateway.accept(request.streamID) }
                }
            }
            let (record, seen) = try await Self.outcome(of: gateway, 1_000, streams: 500)
            #expect(Self.count(record, "stream reset REFUSED_STREAM") == 1)
            #expect(record.ledger.resent == 1)
            #expect(seen.count == 1)
            #expect(Set(seen[0].requests.map(\.sequence)).count == 1_000 && seen[0].requests.count == 1_000)
            #expect(seen[0].openCount == 0)
        }

        @Test func `C42 a limit that is enforced by goaway costs the connection, and what is above the last stream`()
            async throws
        {
            let gateway = try await ScriptedTLSGateway { stage in
                let gateway = stage.gateway
                gateway.announce { $0.maxConcurrentStreams = 101 }
                var last: UInt32?
                gateway.onOpen = { [unowned gateway, unowned stage] stream in
                    if let last { return stream <= last }
                    guard stage.number == 0, gateway.open.count == 100 else { return true }
                    last = stream - 2
                    gateway.goAway(last: stream - 2, code: .protocolError)
                    return false
                }
                gateway.onRequest = { [unowned stage] request in
                    stage.after(.milliseconds(20)) { stage in
                        stage.gateway.accept(request.streamID)
                        if last != nil, stage.gateway.open.isEmpty { stage.close() }
                    }
                }
            }
            let (record, seen) = try await Self.outcome(of: gateway, 1_000, streams: 101)
            #expect(Self.count(record, "goaway PROTOCOL_ERROR") == 1)
            #expect(record.reconnects.count == 1 && record.ledger.resent == 1)
            let all = seen.flatMap(\.requests).map(\.sequence)
            #expect(all.count == 1_000 && Set(all).count == 1_000, "what was answered is not sent again")
        }

        /// How the first connection ends once 1,200 streams are open on it, and which of them is the last to be answered.
        struct Goodbye: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var last: UInt32 = 1_999
            var closes = true
            var isAnnounced = false
            var debug = ""
        }

        private static let goodbyes = [
            Goodbye(testDescription: "the last stream is 1999, then close"),
            Goodbye(testDescription: "without close", closes: false),
            Goodbye(
                testDescription: "the last stream is 2^31 - 1, and then it is 2199", last: 2_199, isAnnounced: true),
            Goodbye(testDescription: "a reason in JSON", debug: #"{"reason":"Shutdown"}"#),
        ]

        @Test(arguments: goodbyes)
        func `C44 exactly the streams above the last one go again, once, on a new connection`(goodbye: Goodbye)
            async throws
        {
            let gateway = try await ScriptedTLSGateway { stage in
                let gateway = stage.gateway
                gateway.announce { $0.maxConcurrentStreams = 10_000 }
                gateway.widen(by: 1 << 24)
                gateway.onRequest = { [unowned gateway, unowned stage] request in
                    guard stage.number == 0 else { return gateway.accept(request.streamID) }
                    // Without a proof only one stream is open, so the first one is answered alone.
                    guard request.number == 1_199 else { return }
                    if goodbye.isAnnounced { gateway.goAway(last: HTTP2FrameHeader.lastStreamID) }
                    stage.after(.milliseconds(goodbye.isAnnounced ? 30 : 0)) { stage in
                        stage.gateway.goAway(last: goodbye.last, debug: goodbye.debug)
                        stage.after(.milliseconds(100)) { stage in
                            for stream in stage.gateway.open.sorted() where stream <= goodbye.last {
                                stage.gateway.accept(stream)
                            }
                            if goodbye.closes { stage.close() }
                        }
                    }
                }
            }
            let (record, seen) = try await Self.outcome(
                of: gateway, 3_000, streams: 1_200, workload: "payload: { bytes: 64 }")
            let givenUp = Int64(2_399 - goodbye.last) / 2
            #expect(record.ledger.resent == givenUp)
            try #require(seen.count == 2)
            #expect(seen[0].requests.count == 1_200, "no stream is opened after GOAWAY was read")
            let above = seen[0].requests.filter { $0.streamID > goodbye.last }.map(\.sequence)
            let again = seen[1].requests.prefix(Int(givenUp)).map(\.sequence)
            #expect(above.count == Int(givenUp) && Set(again) == Set(above), "they go first")
            #expect(seen[1].requests.count == 3_000 - 1_200 + Int(givenUp), "and nothing else goes again")
            #expect(record.reconnects.count == 1)
            #expect((record.latency["reconnect"]?.maxNs ?? 0) > 20_000_000, "its cost is in the record")
            let goAways = record.errors.filter { $0.name.hasPrefix("goaway") }
            #expect(goAways.map(\.count) == [goodbye.isAnnounced ? 2 : 1], "one frame is one count: \(goAways)")
            #expect(goAways.map(\.name) == ["goaway NO_ERROR" + (goodbye.debug.isEmpty ? "" : " Shutdown")])
        }

        @Test func `C44 a goodbye after every 10,000 streams loses and doubles nothing`() async throws {
            let gateway = try await ScriptedTLSGateway { stage in
                let gateway = stage.gateway
                gateway.announce { $0.maxConcurrentStreams = 1_000 }
                gateway.widen(by: 1 << 24)
                gateway.onOpen = { $0 <= 19_999 }
                gateway.onRequest = { [unowned gateway] request in
                    gateway.accept(request.streamID)
                    if request.number == 9_999 { gateway.goAway(last: 19_999) }
                }
            }
            let (record, seen) = try await Self.outcome(
                of: gateway, 21_000, streams: 1_000, workload: "payload: { bytes: 64 }")
            #expect(seen.map(\.requests.count) == [10_000, 10_000, 1_000])
            #expect(Set(seen.flatMap(\.requests).map(\.sequence)).count == 21_000)
            #expect(record.reconnects.count == 2)
        }

        // MARK: - A gateway that is of no use

        /// What a useless gateway does, and how the record calls it.
        struct Useless: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var name: String
            var prepare: @Sendable (ScriptedStage) -> Void
        }

        private static let useless = [
            Useless(testDescription: "refuses every stream", name: "stream reset REFUSED_STREAM") { stage in
                stage.gateway.onOpen = { [unowned stage] stream in
                    stage.gateway.reset(stream, .refusedStream)
                    return false
                }
            },
            Useless(testDescription: "says goodbye at once", name: "goaway NO_ERROR") { stage in
                stage.gateway.onOpen = { [unowned stage] _ in
                    stage.gateway.goAway(last: 0)
                    return false
                }
            },
            Useless(testDescription: "says goodbye late", name: "goaway NO_ERROR") { stage in
                stage.gateway.onOpen = { [unowned stage] _ in
                    stage.after(.milliseconds(150)) { $0.gateway.goAway(last: 0) }
                    return false
                }
            },
            Useless(testDescription: "answers nothing", name: "no answer in time") { _ in },
            Useless(testDescription: "allows nothing", name: "its limit of streams is 0") { stage in
                stage.gateway.announce { $0.maxConcurrentStreams = 0 }
            },
        ]

        @Test func `a target that answers no request ends the run, and is called what it is`() async throws {
            // All at once: each only waits.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for useless in Self.useless {
                    group.addTask { try await Self.expectEnd(useless) }
                }
                try await group.waitForAll()
            }
        }

        @Test func `a target that takes requests and disowns each of them ends the run, however busy it is`()
            async throws
        {
            var run = try Run(
                """
                { protocol: "http2", workload: { notifications: 100 },
                  sender: { connections: 2, reconnect: { base: "10ms", cap: "50ms" } },
                  target: { simulator: { faults: [{ fault: "goAway", every: 1, last: "none" }] } } }
                """, outageLimit: .seconds(1))
            // It accepts what it says that it did not see.
            run.isLiedTo = true
            let record = try await run.record()
            let reasons = record.verdict.reasons
            #expect(reasons.first == "for too long the target answered no request", "\(reasons)")
            #expect(record.ledger.accepted == 0 && record.ledger.unsent > 0)
        }

        private static func expectEnd(_ useless: Useless) async throws {
            let gateway = try await ScriptedTLSGateway(useless.prepare)
            let text = gateway.profile(
                1_000_000,
                sender: #"streams: 100, http2: { authentication: "certificate", requestTimeout: "150ms" }"#)
            let start = ContinuousClock.now
            let record = try await Run(text, outageLimit: .seconds(1)).record()
            #expect(ContinuousClock.now - start < .seconds(20), "\(useless.testDescription)")
            await gateway.close()
            let reasons = record.verdict.reasons
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8, "\(reasons)")
            #expect(
                reasons.first == "for too long the target answered no request", "\(useless.testDescription): \(reasons)"
            )
            #expect(reasons.contains { $0.contains(useless.name) }, "\(useless.testDescription): \(reasons)")
            #expect(record.ledger.accepted == 0 && record.ledger.unsent > 0)
        }
    }
}
