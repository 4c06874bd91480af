import Analysis
import Glibc
import Harness
import Histograms
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// Runs that are short, or were cut short: what they tell is no less true.
    @Suite struct CutShortTests {
        @Test func `a short run that sent little of its schedule has missed it, whatever is tolerated`() async throws {
            let record = try await Run(
                """
                { protocol: "http2", load: { loop: "open", rate: "5M/s" }, phases: { measure: "200ms" },
                  sender: { connections: 4 }, thresholds: ["unsent <= 100M"] }
                """
            ).record()
            #expect(record.schedule?.planned == 1_000_000)
            #expect(record.verdict.exitCode == 7, "\(record.verdict.reasons)")
            #expect(record.throughput.acceptedPerSecond == nil && record.limit?.kind != .rate)
        }

        @Test func `interrupted in the warm-up, phases, intervals and totals still agree`() async throws {
            for name in ["http2", "enhanced"] {
                var run = try Run(
                    """
                    { protocol: "\(name)", phases: { warmup: "1200ms", measure: "2s", drain: "3s" },
                      target: { simulator: { faults: [{ fault: "freeze", at: "900ms", for: "700ms" }] } },
                      sender: { connections: 4 } }
                    """)
                run.keepsIntervalHistograms = true
                let interrupts = run.interrupts
                run.onInterval = { _ in interrupts.add() }
                let record = try await run.record()
                #expect(record.verdict.exitCode == 130, "\(name): \(record.verdict.reasons)")
                #expect(record.brokenInvariants == [], "\(name)")
                let phases = try #require(record.phases)
                #expect(!phases.contains { $0.name == "measure" }, "\(name): it was never reached")
                let written = record.intervals.reduce(0) { $0 + $1.written }
                #expect(written > 0 && phases.reduce(0) { $0 + $1.written } == written, "\(name)")
                #expect(record.latency["connectTCP"]?.count == 4, "\(name)")
                #expect(record.latency["connectTLS"]?.count == 4, "\(name)")
            }
        }

        @Test func `of a simulator that was killed, answers tell what it accepted, and silence tells nothing`()
            async throws
        {
            for name in ["http2", "enhanced"] {
                var run = try Run(
                    """
                    { protocol: "\(name)", workload: { notifications: 1_000_000 }, sender: { connections: 4 },
                      target: { simulator: { faults: [{ fault: "throttle", rate: "50k/s" }] } } }
                    """)
                run.onInterval = { [program = run.program] _ in
                    for child in program.simulators() { kill(child, SIGKILL) }
                }
                let record = try await run.record()
                #expect(record.verdict.exitCode == 8, "\(name): \(record.verdict.reasons)")
                #expect(record.brokenInvariants == [], "\(name)")
                let accepted = record.intervals.map(\.accepted)
                if name == "http2" {
                    #expect(
                        record.ledger.accepted > 0 && accepted.reduce(0) { $0 + ($1 ?? 0) } == record.ledger.accepted)
                } else {
                    #expect(accepted.allSatisfy { $0 == nil }, "\(accepted)")
                }
            }
        }
    }
}
