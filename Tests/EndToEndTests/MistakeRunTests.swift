import Harness
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// Mistakes that load testers are known for, one run each.
    @Suite struct MistakeRunTests {
        @Test func `a gateway that swallows everything leaves latencies that are lower bounds, and marked`()
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "blackHole", after: 1 }] } },
                  workload: { notifications: 1_000 }, load: { loop: "open", rate: "2k/s" },
                  sender: { connections: 1, stallLimit: "60s", sentinelTimeout: "60s" }, phases: { drain: "1s" } }
                """
            ).record()
            let response = try #require(record.latency["response"])
            #expect(response.count == 1_000)
            #expect(try #require(response.censored) == 1_000 - record.ledger.accepted)
            #expect(try #require(response.censored) > 900)
            // Each waited at least for the drain, and none is left out because it was never answered.
            #expect(try #require(response.value(atQuantile: 0.1)) >= 1_000_000_000)
            #expect(try #require(record.latency["service"]).censored == response.censored)
        }

        @Test func `a warm-up that is shorter than the setting up of connections warms up nevertheless`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "slowAccept", delay: "300ms" }] } },
                  workload: { notifications: 1_000_000 }, load: { loop: "open", rate: "2k/s" }, sender: { connections: 2 },
                  phases: { warmup: "100ms", measure: "400ms" } }
                """
            ).record()
            let phases = try #require(record.phases)
            let warmup = try #require(phases.first { $0.name == "warmup" })
            #expect(warmup.lengthNs == 100_000_000 && warmup.startNs == 0)
            // Connections stood before the first notification was due.
            #expect(warmup.sent + (record.schedule?.late.total ?? 0) >= 190)
            #expect(record.measuredNs == 400_000_000)
            #expect(record.schedule?.planned == 1_000)
            #expect(try #require(record.latency["connectTLS"]).count >= 2)
        }

        @Test func `a run that time ends stops although its gateway has stopped reading, and its book balances`()
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "freeze", at: "200ms", for: "20s" }] } },
                  workload: { notifications: 100_000_000 }, sender: { connections: 2, stallLimit: "30s" },
                  phases: { measure: "500ms", drain: "500ms" } }
                """, outageLimit: .seconds(2)
            ).record()
            #expect(record.durationNs < 15_000_000_000)
            #expect(record.ledger.isBalanced && record.ledger.unknown > 0)
            #expect(record.verdict.status != .passed)
        }

        @Test func `half of all refused at once leaves the accepted ones' count of latencies alone`() async throws {
            let record = try await Run(
                """
                { workload: { notifications: 300, faults: { badToken: 0.5 } }, load: { loop: "open", rate: "300/s" },
                  sender: { connections: 2, batch: { notifications: 1, linger: 0 } } }
                """
            ).record()
            let response = try #require(record.latency["response"])
            #expect(response.count == record.ledger.accepted)
            #expect(record.ledger.rejected > 100)
            #expect(try #require(record.latency["errorReply"]).count > 0)
        }

        /// The measured latency of each reply is its true delay and what the two loops were late; the loops' own idle timer says how much
        /// that is, so that a busy machine widens the bound and not the test.
        @Test func `over TLS, error replies that are delayed by a known time are measured with it`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "replyDelay", delay: "40ms" }] } },
                  workload: { notifications: 2_000, faults: { badToken: 0.1 } }, load: { loop: "open", rate: "1k/s" },
                  sender: { connections: 4 } }
                """
            ).record()
            expectClean(record)
            let replies = try #require(record.latency["errorReply"])
            #expect(replies.count >= 20)
            let late = try #require(record.latency["timerLag"])
            let truth: Int64 = 40_000_000
            // Two loops, four wake-ups: written, read, replied, read.
            let p50 = try #require(replies.value(atQuantile: 0.5))
            let slack = 4 * (try #require(late.value(atQuantile: 0.99)))
            // The gateway may have begun to wait before the sender's call that wrote had come back.
            #expect(p50 >= truth - truth / 100 - 50_000, "\(p50)")
            #expect(p50 <= truth + truth / 100 + 50_000 + slack, "\(p50), timers late by \(slack / 4)")
        }
    }
}
