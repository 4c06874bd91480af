import Glibc
import Harness
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// Runs that end before, or otherwise than, their plan says.
    @Suite struct EndingTests {
        /// A run that takes a minute if nobody ends it.
        private static let long = """
            target: { simulator: { faults: [{ fault: "throttle", rate: "20k/s" }] } }, load: { loop: "open", rate: "10k/s" }
            """

        @Test func `C32 a simulator that is killed ends the run with a balanced book and no signal`() async throws {
            var run = try Run(
                """
                { target: { simulator: { faults: [{ fault: "throttle", rate: "50k/s" }] } },
                  workload: { notifications: 1_000_000 }, sender: { connections: 32 } }
                """)
            run.onInterval = { [program = run.program] _ in for child in program.simulators() { kill(child, SIGKILL) } }
            let record = try await run.record()
            #expect(record.verdict.status == .unreachable)
            #expect(record.verdict.exitCode == 8)
            #expect(record.verdict.reasons.contains { $0.contains("simulator") }, "\(record.verdict.reasons)")
            #expect(record.simulatorLedger == nil)
            #expect(record.ledgerDifference == nil)
            #expect(record.ledger.unknown > 0)
            #expect(record.ledger.accepted == 0, "nothing proves an acceptance")
        }

        @Test func `a simulator that stops answering ends the run after the drain`() async throws {
            var run = try Run(
                """
                { target: { simulator: { faults: [{ fault: "throttle", rate: "4k/s" }] } }, phases: { drain: "1s" },
                  workload: { notifications: 10_000 }, sender: { connections: 4 } }
                """)
            run.outageLimit = .seconds(2)
            run.onInterval = { [program = run.program] _ in for child in program.simulators() { kill(child, SIGSTOP) } }
            let record = try await run.record()
            #expect(record.verdict.status == .internalError, "\(record.verdict.reasons)")
            #expect(record.verdict.exitCode == 1)
            #expect(record.simulatorLedger == nil)
            #expect(record.ledger.unknown > 0)
            #expect(record.ledger.accepted + record.ledger.unknown == 10_000)
        }

        @Test func `interrupted once, a run stops, drains and tells what it did`() async throws {
            var run = try Run("{ \(Self.long), workload: { notifications: 600_000 }, sender: { connections: 4 } }")
            let interrupts = run.interrupts
            run.onInterval = { _ in interrupts.add() }
            let record = try await run.record()
            #expect(record.verdict.status == .interrupted)
            #expect(record.verdict.exitCode == 130)
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.generated == 600_000)
            #expect(record.ledger.accepted > 0)
            #expect([record.ledger.lost, record.ledger.unknown] == [0, 0], "it drained")
            #expect(record.ledger.unsent == 600_000 - record.ledger.accepted)
        }

        @Test func `interrupted twice, a run ends at once and still tells what it knows`() async throws {
            var run = try Run(
                """
                { target: { simulator: { faults: [{ fault: "stall", at: "500ms", for: "60s" }] } },
                  workload: { notifications: 4_000_000 }, sender: { connections: 4 }, phases: { drain: "60s" } }
                """)
            let interrupts = run.interrupts
            run.onInterval = { _ in
                interrupts.add()
                interrupts.add()
            }
            let record = try await run.record()
            #expect(record.verdict.status == .interrupted)
            #expect(record.durationNs < 10_000_000_000)
            #expect(record.ledger.unsent > 0)
        }

        @Test func `an interruption while nobody answers ends the run at once`() async throws {
            let silent = try SilentListener()
            let run = try Run(
                """
                { target: { host: "127.0.0.1", port: \(silent.port), tls: { verify: false } },
                  workload: { notifications: 1_000 }, sender: { connections: 2, handshakeTimeout: "60s" } }
                """)
            run.interrupts.add()
            let record = try await run.record()
            #expect(record.verdict.exitCode == 130)
            #expect(record.ledger.unsent == 1_000)
            #expect(record.durationNs < 1_000_000_000)
        }

        @Test func `a run that time ends sends for its phases and leaves nothing open`() async throws {
            let record = try await Run(
                """
                { load: { loop: "open", rate: "20k/s" }, phases: { warmup: "500ms", measure: "2s" },
                  sender: { connections: 4 } }
                """
            ).record()
            expectClean(record)
            let sent = record.ledger.generated
            #expect((45_000...55_000).contains(sent), "20k/s for 2.5 s is \(sent)")
            #expect(record.ledger.accepted == sent)
            let measured = try #require(record.latency["residence"]).count
            #expect(measured < sent - 5_000, "the warm-up's notifications are in no series: \(measured) of \(sent)")
            let rate = try #require(record.throughput.writtenPerSecond)
            #expect((15_000...25_000).contains(rate))
            #expect(record.measuredNs >= 1_000_000_000)
            #expect(record.measuredNs <= 2_100_000_000)
        }

        @Test func `a run that time ends counts only what it generated when it is interrupted`() async throws {
            var run = try Run("{ \(Self.long), phases: { measure: \"60s\" }, sender: { connections: 2 } }")
            let interrupts = run.interrupts
            run.onInterval = { _ in interrupts.add() }
            let record = try await run.record()
            #expect(record.verdict.status == .interrupted)
            #expect(record.ledger.unsent == 0)
            #expect(record.ledger.generated == record.ledger.accepted)
            #expect(record.ledger.generated < 100_000)
        }

        @Test func `a number that is reached first ends a run with a time`() async throws {
            let record = try await Run(
                """
                { workload: { notifications: 5_000 }, phases: { measure: "30s" }, sender: { connections: 2 } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 5_000)
            #expect(record.durationNs < 10_000_000_000)
        }

        @Test func `a port that nobody listens on is unreachable, and leaves a record`() async throws {
            let closed = try SilentListener()
            let port = closed.port
            closed.close()
            try await Self.expectUnreachable(port: port, reason: "connection refused")
        }

        @Test func `a target that accepts and never speaks TLS is unreachable, and leaves a record`() async throws {
            let silent = try SilentListener()
            try await Self.expectUnreachable(port: silent.port, reason: "TLS handshake not done in time")
        }

        @Test func `a name without an address is unreachable, and leaves a record`() async throws {
            let record = try await Run(
                "{ target: { host: 'nowhere.invalid', tls: { verify: false } }, workload: { notifications: 70 } }"
            ).record()
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8)
            #expect(record.verdict.reasons.first?.contains("nowhere.invalid") == true, "\(record.verdict.reasons)")
            #expect(record.ledger.unsent == 70)
        }

        private static func expectUnreachable(port: UInt16, reason: String) async throws {
            let record = try await Run(
                """
                { target: { host: "127.0.0.1", port: \(port), tls: { verify: false } }, workload: { notifications: 70 },
                  sender: { connections: 2, connectTimeout: "300ms", handshakeTimeout: "300ms" } }
                """
            ).record()
            #expect(record.verdict.status == .unreachable && record.verdict.exitCode == 8)
            #expect(record.verdict.reasons.contains { $0.contains(reason) }, "\(record.verdict.reasons)")
            #expect(record.ledger.unsent == 70 && record.ledger.generated == 70)
            #expect(record.throughput.acceptedPerSecond == nil && record.durationNs > 0)
        }

        @Test func `a program that is no simulator is an error and not a hang`() async throws {
            let profile = try Profile.read(text: "{}", source: "test.json5")
            for program in ["/bin/true", "/bin/cat", "/nonexistent"] {
                let options = RunOptions(program: program, profileJSON: profile.effectiveJSON.canonicalText)
                await #expect(throws: HarnessError.self, "\(program)") {
                    _ = try await RunEngine(profile: profile, options: options).run()
                }
            }
        }
    }
}
