import Foundation
import Harness
import Primitives
import Reports
import RunRecords
import Testing

extension PatientEndToEndTests {
    /// What holds a sender of the provider API back, over real TLS: limits of streams, windows, latencies, and the device itself.
    @Suite struct HTTP2LimitTests {
        private static func record(
            _ notifications: Int, _ sender: String, _ simulator: String, _ more: String = ""
        ) async throws -> RunRecord {
            try await Run(
                """
                { protocol: "http2", workload: { notifications: \(notifications), devices: \(notifications) },
                  sender: { connections: 1, \(sender) }, target: { simulator: { loops: 1, \(simulator) } }, \(more) }
                """
            ).record()
        }

        private static func expectAllAccepted(_ record: RunRecord, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(record.ledger.accepted == record.ledger.generated, sourceLocation: sourceLocation)
            #expect(record.ledger.duplicates == 0, sourceLocation: sourceLocation)
        }

        private static let delay40 = #"faults: [{ fault: "responseDelay", delay: "40ms" }]"#

        @Test func `C40 one stream until the first success, and then as many as the gateway allows`() async throws {
            let record = try await Self.record(
                1_000, "streams: 1_000", #"faults: [{ fault: "responseDelay", delay: "10ms" }]"#)
            Self.expectAllAccepted(record)
            // One after the other they would take ten seconds.
            #expect(record.durationNs < 6_000_000_000, "\(record.durationNs)")
            #expect(record.intervals.first?.streamLimitLow == 1)
            #expect(record.intervals.compactMap(\.streamLimitHigh).max() == 1_000)
            let http2 = try #require(record.simulatorLedger?.http2)
            #expect(http2.refusedStreams == 0 && http2.maxOpenStreams > 1)
            #expect(RunSummary(record, style: .plain).text.contains("1 to 1,000 requests at once on a connection"))
            #expect(IntervalCSV.text(record).contains("streamLimitLow,streamLimitHigh"))
        }

        @Test func `a gateway that refuses every stream holds a run no longer than it may drain`() async throws {
            let record = try await Self.record(
                200, "streams: 50", #"faults: [{ fault: "resetStream", code: "refusedStream", every: 1 }]"#,
                "phases: { measure: \"500ms\", drain: \"500ms\" }")
            #expect(record.durationNs < 20_000_000_000, "\(record.durationNs)")
            #expect(record.ledger.accepted == 0 && record.ledger.isBalanced, "\(record.ledger)")
        }

        // A round trip lies between the lowered limit and the sender's knowledge of it.
        @Test(arguments: ["refusedStream", "goAway"])
        func `C42 a lowered limit costs a sender nothing that obeys it from the moment at which it hears of it`(
            enforcement: String
        ) async throws {
            let record = try await Self.record(
                800, "streams: 50, reconnect: { base: \"10ms\" }",
                """
                roundTrip: "10ms", http2: { maxStreams: 50, streamEnforcement: "\(enforcement)" },
                faults: [{ fault: "responseDelay", delay: "20ms" }, { fault: "streamLimit", streams: 10, identifiers: [500] }]
                """)
            Self.expectAllAccepted(record)
            let http2 = try #require(record.simulatorLedger?.http2)
            #expect(http2.refusedStreams == 0 && http2.goAways == 0)
            #expect(record.errors.isEmpty && record.ledger.resent == 0)
            #expect(http2.maxOpenStreams > 10)
        }

        @Test func `C42 at the limit nothing is refused`() async throws {
            let record = try await Self.record(
                5_000, "streams: 1_000",
                #"faults: [{ fault: "responseDelay", delay: "2ms" }], http2: { maxStreams: 20 }"#)
            Self.expectAllAccepted(record)
            let http2 = try #require(record.simulatorLedger?.http2)
            #expect(http2.refusedStreams == 0 && http2.maxOpenStreams == 20)
        }

        @Test func `C43 resets and deadlines leave no stream open, and the gateway's limit is reached`() async throws {
            let record = try await Self.record(
                15_000, "streams: 1_000, http2: { requestTimeout: \"400ms\" }",
                """
                faults: [{ fault: "responseDelay", delay: "100ms" }, { fault: "resetStream", code: "cancel", every: 100 },
                         { fault: "unanswered", every: 97 }]
                """)
            let http2 = try #require(record.simulatorLedger?.http2)
            #expect(http2.maxOpenStreams == 1_000)
            #expect(http2.refusedStreams == 0, "who forgets to close one has one too many open")
            #expect(http2.cancelledStreams == http2.unanswered)
            // What was reset or not answered was not accepted, and is not sent again where nothing proves that.
            #expect(record.ledger.accepted + record.ledger.lost == 15_000)
            #expect(record.ledger.lost <= http2.resetStreams + http2.unanswered)
            #expect(record.intervals.last?.inFlight == 0)
            let counts = Dictionary(uniqueKeysWithValues: record.errors.map { ($0.name, $0.count) })
            #expect(counts["no answer in time"] == http2.unanswered)
            #expect(counts["stream reset CANCEL"] == http2.resetStreams)
        }

        @Test func `what had no answer is told apart by the simulator's book: accepted, refused, or never judged`()
            async throws
        {
            // By their identifiers: 11 is answered too late, 12 refused too late, 13 never answered, 14 reset.
            let record = try await Self.record(
                100, "streams: 100, http2: { requestTimeout: \"300ms\" }",
                """
                faults: [{ fault: "responseDelay", delay: "2s", identifiers: [11, 12] },
                         { fault: "response", reason: "InternalServerError", identifiers: [12] },
                         { fault: "unanswered", identifiers: [13] },
                         { fault: "resetStream", code: "enhanceYourCalm", identifiers: [14] }]
                """)
            #expect(record.ledger.accepted == 97 && record.ledger.proof.simulator == 1, "\(record.ledger)")
            #expect(record.ledger.rejected == 1 && record.ledger.proof.simulatorRejected == 1)
            #expect(record.ledger.lost == 2 && record.ledger.lostBy == ["book": 2])
            #expect(record.ledger.unknown == 0 && record.ledger.isBalanced)
            #expect(RunSummary(record, style: .plain).text.contains("2 lost never judged"))
            let counts = Dictionary(uniqueKeysWithValues: record.errors.map { ($0.name, $0.count) })
            #expect(counts == ["no answer in time": 3, "stream reset ENHANCE_YOUR_CALM": 1])
        }

        /// A way in which a gateway says goodbye.
        static let goodbyes = [
            #"every: 1_000"#, #"every: 1_000, behind: 100"#, #"every: 1_000, last: "none""#,
            #"every: 1_000, reason: "Shutdown""#, #"every: 1_000, announcement: "20ms""#,
            #"every: 1_000, behind: 50, closes: false"#,
        ]

        @Test(arguments: goodbyes)
        func `C44 exactly what a goaway gave up goes again`(goodbye: String) async throws {
            let record = try await Self.record(
                4_000, "streams: 200, reconnect: { base: \"10ms\" }",
                """
                faults: [{ fault: "responseDelay", delay: "5ms" }, { fault: "goAway", \(goodbye) }]
                """)
            #expect(record.ledger.accepted == 4_000)
            let http2 = try #require(record.simulatorLedger?.http2)
            #expect(http2.goAways >= 3)
            // The last ones may come behind the sender's last answer.
            let read = record.errors.filter { $0.name.hasPrefix("goaway") }.reduce(0) { $0 + $1.count }
            #expect(read >= 3 && read <= http2.goAways, "each frame counts once on either side")
            #expect(http2.violations == 0)
            #expect(record.reconnects.count >= 3, "each has its cost in the record")
            #expect(record.ledger.resent >= http2.ignoredStreams)
            // A gateway that gives up requests which it has judged before gets them twice.
            let isLying = goodbye.contains("behind") || goodbye.contains("none")
            #expect((record.ledger.duplicates > 0) == isLying, "\(record.ledger.duplicates)")
            #expect(record.ledger.duplicates <= http2.ignoredStreams)
        }

        @Test(arguments: [1, 10, 100, 1_000])
        func `C52 throughput is what is in flight by the latency, and the summary says so`(streams: Int) async throws {
            // Two seconds each, the first answer, before which one request is out, among them.
            let record = try await Self.record(
                min(streams * 50, 20_000), "streams: \(streams)", Self.delay40 + ", http2: { maxStreams: 1_000 }")
            Self.expectAllAccepted(record)
            let law = try #require(record.streams)
            #expect(law.allowed == Int64(streams))
            #expect(try #require(law.serviceMeanNs) >= 40_000_000)
            let deviation = try #require(law.deviation)
            #expect(deviation < 0.02, "more than is allowed cannot be in flight")
            // With a thousand in flight the machine itself is a limit, and starting and ending are a part of the time.
            if streams <= 100 { #expect(abs(deviation) <= 0.1, "\(law)") }
            if streams <= 100 { #expect(record.limit?.kind == .streams, "\(String(describing: record.limit))") }
            #expect(RunSummary(record, style: .plain).text.contains("by Little's law"))
        }

        @Test func `C57 one device is throttled at a rate at which many are not, and a run with few is warned of`()
            async throws
        {
            var throttled: [Int64] = []
            for devices in [1, 1_000_000] {
                let record = try await Run(
                    """
                    { protocol: "http2", workload: { notifications: 400, devices: \(devices) }, sender: { connections: 1 },
                      load: { loop: "open", rate: "400/s" },
                      target: { simulator: { loops: 1, faults: [{ fault: "tokenLimit", rate: "20/s" }] } } }
                    """
                ).record()
                throttled.append(record.errors.first { $0.name == "TooManyRequests" }?.count ?? 0)
                #expect(record.ledger.accepted + record.ledger.rejected == 400)
                #expect((record.warnings != nil) == (devices == 1), "\(record.warnings ?? [])")
            }
            #expect(throttled[0] > 200 && throttled[1] == 0, "\(throttled)")
        }
    }
}
