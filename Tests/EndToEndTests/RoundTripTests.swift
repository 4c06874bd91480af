import Foundation
import Harness
import Primitives
import RunRecords
import Testing
import Transport

extension EndToEndTests {
    /// A simulator that is far away, or whose connections come to grief; ratios and counts, no wall times.
    @Suite struct RoundTripTests {
        private func run(_ simulator: String, _ sender: String, notifications: Int) async throws -> RunRecord {
            let record = try await Run(
                """
                { target: { simulator: { \(simulator) } }, workload: { notifications: \(notifications) },
                  sender: { connections: 2, \(sender) } }
                """
            ).record()
            expectClean(record)
            return record
        }

        @Test func `at 80 ms throughput follows window ÷ round trip, and the window is named as the limit`()
            async throws
        {
            var rates: [Double] = []
            for window in [500, 1_000, 2_000] {
                let record = try await run(
                    "roundTrip: \"80ms\"", "mode: \"windowed\", window: \(window)", notifications: window * 2 * 12)
                #expect(record.limit?.kind == .window, "\(String(describing: record.limit))")
                let rate = try #require(record.throughput.acceptedPerSecond)
                // A round trip of the first answer is in the time, and the measured silence holds some work, too.
                let expected = Double(window) * 2 / 0.08
                #expect((0.6...1.15).contains(rate / expected), "window \(window): \(rate) of \(expected)")
                rates.append(rate)
            }
            #expect((1.6...2.4).contains(rates[1] / rates[0]), "\(rates)")
            #expect((1.6...2.4).contains(rates[2] / rates[1]), "\(rates)")
        }

        @Test
        func `C07 a round trip of 50 ms takes less than a tenth from pipelining, and most from waiting for silence`()
            async throws
        {
            var rates: [Double] = []
            // At a rate, so that the machine's other work does not decide.
            for roundTrip in ["0s", "50ms"] {
                let record = try await Run(
                    """
                    { target: { simulator: { roundTrip: "\(roundTrip)" } }, workload: { notifications: 10_000 },
                      load: { loop: "open", rate: "5k/s" }, sender: { connections: 2 } }
                    """
                ).record()
                expectClean(record)
                #expect(record.ledger.accepted == 10_000)
                rates.append(try #require(record.throughput.acceptedPerSecond))
            }
            #expect(rates[1] >= 0.9 * rates[0], "\(rates)")
            let waiting = try await run(
                "roundTrip: \"50ms\"", "mode: \"wait-each\", wait: \"50ms\"", notifications: 30)
            let rate = try #require(waiting.throughput.acceptedPerSecond)
            // Two connections, each with one in 100 ms at best; the last ones are not waited for.
            #expect((6...23).contains(rate), "\(rate)")
        }

        @Test func `a narrow way is named as the limit, and a wide one costs no throughput`() async throws {
            let narrow = try await run(
                "roundTrip: \"40ms\", roundTripWindow: \"64KiB\"", "mode: \"pipelined\"", notifications: 10_000)
            #expect(narrow.limit?.kind == .window, "\(String(describing: narrow.limit))")
            #expect(narrow.limit?.evidence.contains("way to the simulator") == true)
            let wide = try await run("roundTrip: \"40ms\"", "mode: \"pipelined\"", notifications: 200_000)
            let (slow, fast) = (narrow.throughput.acceptedPerSecond ?? 0, wide.throughput.acceptedPerSecond ?? 0)
            #expect(fast > slow * 4, "\(slow) and \(fast)")
        }

        @Test func `reconnecting over 80 ms costs its round trips`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { roundTrip: "80ms" } },
                  workload: { notifications: 20_000, devices: 20_000, faults: { badToken: 0.001 } },
                  sender: { connections: 2, mode: "windowed", window: 2_000 } }
                """
            ).record()
            expectClean(record)
            // TCP's round trip and one of TLS 1.3.
            #expect(try #require(record.latency["reconnect"]?.minNs) >= 160_000_000)
            // From the moment at which the sender saw its write done, which may be late on a busy machine.
            #expect(try #require(record.latency["errorReply"]?.minNs) >= 60_000_000)
        }

        /// A run against a simulator in this process, whose connections come to grief as `faults` say.
        private func run(
            _ faults: ConnectionFaults, _ text: String
        ) async throws -> (record: RunRecord, counts: ConnectionFaultCounts, accepted: Int64) {
            let server = try await SimulatorServer(
                profile: try Profile.read(text: text, source: "test.json5"), settings: SimulatorSettings(),
                connectionFaults: faults)
            let caFile = NSTemporaryDirectory() + "linkfaults-\(server.port).pem"
            try server.authorityPEM.write(toFile: caFile, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: caFile) }
            var run = try Run(text)
            run.profile.target = .gateway(GatewaySettings(host: "127.0.0.1"))
            guard case .gateway(var gateway) = run.profile.target else { fatalError() }
            gateway.port = server.port
            gateway.tls.caFile = caFile
            run.profile.target = .gateway(gateway)
            let record = try await run.record()
            let counts = await server.connectionFaultCounts()
            let accepted = await server.result().ledger.accepted
            await server.shutDown()
            return (record, counts, accepted)
        }

        @Test func `C28 a connection that a firewall forgot is found out within the bound, and its load sent again`()
            async throws
        {
            var faults = ConnectionFaults()
            faults.blackHole = .init(.age(.milliseconds(1)), share: 0.5, seed: 3)
            let result = try await run(
                faults,
                """
                { workload: { notifications: 100 }, load: { loop: "open", rate: "1k/s" },
                  sender: { connections: 1, sentinelTimeout: "300ms", unproven: { policy: "resend", limit: 20 },
                            reconnect: { base: "1ms", cap: "5ms" } } }
                """)
            #expect(result.accepted == 100)
            #expect(result.record.ledger.accepted == 100, "\(result.record.ledger)")
            #expect(result.counts.swallowed > 0)
            #expect(result.record.ledger.resent >= 100 * Int64(result.counts.swallowed > 0 ? 1 : 0))
        }

        @Test func `C27 connections killed at a rate are replaced, and an outage is survived`() async throws {
            var faults = ConnectionFaults()
            faults.kill = .init(rate: Rate(perSecond: 20), closing: .reset, seed: 5)
            faults.outages = [.init(at: .milliseconds(600), length: .milliseconds(300))]
            let result = try await run(
                faults,
                """
                { workload: { notifications: 30_000 }, load: { loop: "open", rate: "20k/s" },
                  sender: { connections: 8, unproven: { policy: "resend", limit: 100 },
                            reconnect: { base: "10ms", cap: "50ms", attemptsPerSecond: "1k/s" } } }
                """)
            #expect(result.record.ledger.accepted == 30_000, "\(result.record.ledger)")
            #expect(result.accepted == 30_000)
            #expect(result.counts.outages == 1)
            #expect(result.counts.killed >= 10, "\(result.counts)")
            #expect(result.record.reconnects.failedAttempts["refused"] ?? 0 > 0)
        }

        @Test func `idle connections are closed and replaced`() async throws {
            var faults = ConnectionFaults()
            faults.idleClose = .init(after: .milliseconds(40))
            let result = try await run(
                faults,
                """
                { workload: { notifications: 10 }, load: { loop: "open", rate: "10/s" },
                  sender: { connections: 1, batch: { notifications: 1, linger: "0s" },
                            unproven: { policy: "resend", limit: 100 }, reconnect: { base: "1ms", cap: "5ms" } } }
                """)
            #expect(result.counts.closedIdle > 3, "\(result.counts)")
            #expect(result.accepted == 10)
        }
    }
}
