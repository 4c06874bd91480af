import Foundation
import Harness
import RunRecords
import Testing
import Workload

extension EndToEndTests {
    /// The provider API over real TLS, both ends ours.
    @Suite struct HTTP2RunTests {
        @Test func `both books agree about requests that are refused by reason`() async throws {
            let run = try Run(
                """
                { protocol: "http2", sender: { connections: 3 },
                  workload: { notifications: 10_000, devices: 10_000, faults: { badToken: 0.002, unregistered: 0.003 } } }
                """)
            let record = try await run.record()
            #expect(record.ledger.unknown == 0 && record.ledger.lost == 0 && record.ledger.unsent == 0)
            #expect(record.ledger.proof.response == record.ledger.accepted)
            let counts = Dictionary(uniqueKeysWithValues: record.errors.map { ($0.name, $0) })
            #expect(counts["BadDeviceToken"]?.status == 400)
            #expect(counts["BadDeviceToken"]?.count == (try run.expectedCount(of: .badToken)))
            #expect(counts["Unregistered"]?.status == 410)
            #expect(counts.count == 2)
            #expect(record.latency["service"]?.count ?? 0 > 9_000)
            #expect(record.latency["serviceRefused"]?.count == record.ledger.rejected)
            #expect(record.connections.allSatisfy { $0.openings == 1 })
        }

        @Test func `the profile that is shipped loses and doubles nothing`() async throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../profiles/http2.json5")
            let text = try String(contentsOf: file, encoding: .utf8)
            var run = try Run(text)
            // Enough for a GOAWAY on each of two connections, and for what a debug build does in a few seconds.
            run.profile.workload.notifications = 50_000
            run.profile.sender.connections = 2
            let record = try await run.record()
            #expect(record.ledger.accepted == 50_000)
            #expect(record.ledger.lost == 0 && record.ledger.unknown == 0 && record.ledger.duplicates == 0)
            let http2 = try #require(record.simulatorLedger?.http2)
            #expect(http2.goAways >= 2, "every 10,000 streams")
            #expect(http2.resetStreams >= 490 && http2.resetStreams <= 520, "one in a hundred: \(http2.resetStreams)")
            // Some are behind a GOAWAY that the simulator does not even read.
            #expect(record.ledger.resent >= http2.resetStreams + http2.ignoredStreams)
        }

        @Test func `a share of streams that is refused by chance is sent again and accepted`() async throws {
            let record = try await Run(
                """
                { protocol: "http2", sender: { connections: 2, streams: 100 },
                  workload: { notifications: 10_000, devices: 10_000 },
                  target: { simulator: { faults: [{ fault: "resetStream", code: "refusedStream", share: 0.01 }] } } }
                """
            ).record()
            #expect(record.ledger.accepted == 10_000 && record.ledger.duplicates == 0)
            let refused = record.errors.first { $0.name == "stream reset REFUSED_STREAM" }?.count ?? 0
            #expect((50...160).contains(refused), "\(refused)")
        }

        // C44 and the like over real TLS
        @Test func `goaways and refused streams lose and double nothing`() async throws {
            let record = try await Run(
                """
                { protocol: "http2", sender: { connections: 2, streams: 200 },
                  workload: { notifications: 20_000, devices: 20_000 },
                  target: { simulator: { faults: [
                    { fault: "goAway", every: 3_000 }, { fault: "resetStream", code: "refusedStream", every: 100 } ] } } }
                """
            ).record()
            #expect(record.ledger.accepted == 20_000)
            #expect(record.ledger.duplicates == 0)
            #expect(record.reconnects.count >= 5)
            let names = record.errors.map(\.name)
            #expect(names.contains("goaway NO_ERROR") && names.contains("stream reset REFUSED_STREAM"), "\(names)")
        }

        // C48
        @Test(arguments: ["shared", "per-connection"], ["fleet", "connection"])
        func `C48 a token for each connection earns what the fleet rule says, and a shared one does not`(
            tokens: String, scope: String
        ) async throws {
            let record = try await Run(
                """
                { protocol: "http2", sender: { connections: 8, loops: 1, http2: { tokens: "\(tokens)" } },
                  workload: { notifications: 4_000, devices: 4_000 },
                  target: { simulator: { loops: 1, http2: { tokenUpdateScope: "\(scope)" } } } }
                """
            ).record()
            let updates = record.errors.first { $0.name == "TooManyProviderTokenUpdates" }?.count ?? 0
            #expect((updates > 0) == (tokens == "per-connection" && scope == "fleet"), "\(record.errors)")
            #expect(record.ledger.accepted + record.ledger.rejected == 4_000)
        }
    }
}
