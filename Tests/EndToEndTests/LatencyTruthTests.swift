import Histograms
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// What a run over TLS says of latencies that are known: never too little, and nothing left out.
    @Suite struct LatencyTruthTests {
        /// How many values of a series are longer than a time.
        private func count(_ series: LatencyRecord?, above bound: Int64) throws -> Int64 {
            try Histogram(base64: try #require(series).histogram).count(in: bound...3_600_000_000_000)
        }

        @Test(arguments: [("enhanced", "acceptanceDelay"), ("http2", "responseDelay")])
        func `no latency is shorter than the truth`(name: String, fault: String) async throws {
            let record = try await Run(
                """
                { protocol: "\(name)", workload: { notifications: 400 }, load: { loop: "open", rate: "1k/s" },
                  target: { simulator: { faults: [{ fault: "\(fault)", delay: "20ms" }] } },
                  sender: { connections: 4, batch: { notifications: 1, linger: 0 } } }
                """
            ).record()
            #expect(record.ledger.accepted == 400 && record.ledgerDifference == 0)
            #expect(record.brokenInvariants == [], "\(record.brokenInvariants ?? [])")
            for series in ["service", "response"] {
                let latency = try #require(record.latency[series])
                #expect(latency.count == 400 && latency.invalidCount == 0)
                #expect(try #require(latency.minNs) >= 20_000_000, "\(series)")
            }
        }

        @Test func `C59 with one in flight a freeze is one slow service time, and no response time`() async throws {
            let record = try await Run(
                """
                { protocol: "http2", workload: { notifications: 600 },
                  target: { simulator: { faults: [{ fault: "freeze", at: "50ms", for: "1s" }] } },
                  sender: { connections: 1, streams: 1 } }
                """
            ).record()
            #expect(record.ledger.accepted == 600)
            #expect(record.latency["response"] == nil && record.latency["service"]?.count == 600)
            #expect(try count(record.latency["service"], above: 700_000_000) == 1)
        }

        @Test func `requests that are never answered enter with the time-out, each of them`() async throws {
            let record = try await Run(
                """
                { protocol: "http2", workload: { notifications: 300 }, load: { loop: "open", rate: "3k/s" },
                  target: { simulator: { faults: [{ fault: "unanswered", after: 50, every: 1 }] } },
                  sender: { connections: 2, streams: 500, http2: { requestTimeout: "200ms" } } }
                """
            ).record()
            #expect(record.brokenInvariants == [], "\(record.brokenInvariants ?? [])")
            for series in ["service", "response"] {
                let latency = try #require(record.latency[series])
                #expect(latency.count == 300 && latency.censored == 251, "\(series): \(latency)")
                #expect(try count(latency, above: 199_900_000) >= 251, "\(series)")
            }
        }

        @Test func `what waited for a stream is late for that reason, and skipped for it`() async throws {
            let record = try await Run(
                """
                { protocol: "http2", workload: { notifications: 200 },
                  load: { loop: "open", rate: "400/s", skipAfter: "100ms" },
                  target: { simulator: { faults: [{ fault: "responseDelay", delay: "20ms" }] } },
                  sender: { connections: 2, streams: 1, batch: { notifications: 1, linger: 0 } } }
                """
            ).record()
            let schedule = try #require(record.schedule)
            #expect(schedule.isBalanced)
            #expect(schedule.late.streamsTaken > schedule.late.total / 2, "\(schedule.late)")
            #expect(schedule.skipped.streamsTaken > schedule.skipped.total / 2, "\(schedule.skipped)")
            #expect(record.brokenInvariants == [], "\(record.brokenInvariants ?? [])")
            let response = try #require(record.latency["response"])
            #expect(response.count == 200, "those that were skipped have waited, too")
            #expect(try #require(response.censored) >= schedule.skipped.total)
        }
    }
}
