import Harness
import Primitives
import RunRecords
import Testing
import Workload

extension EndToEndTests {
    /// The simulator misbehaves as real gateways have; numbers are those of the field cases.
    @Suite struct FaultTests {
        @Test func `C04 closed in order, every reply arrives while the client writes at full speed`() async throws {
            let run = try Run(
                """
                { workload: { notifications: 60_000, devices: 60_000, faults: { badToken: 0.005 } },
                  sender: { connections: 4 } }
                """)
            let record = try await run.record()
            expectClean(record)
            #expect(record.ledger.rejected > 250)
            #expect(record.ledger.rejected == (try run.expectedCount(of: .badToken)))
            #expect(record.reconnects.failedAttempts.isEmpty, "no connection ends without its reply")
        }

        @Test(arguments: ["abrupt", "reset"])
        func `C04 what a destroyed reply leaves open is settled by the simulator's book alone`(mode: String)
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "replyClose", mode: "\(mode)" }] } },
                  workload: { notifications: 30_000, devices: 30_000, faults: { badToken: 0.003 } },
                  sender: { connections: 4, reconnect: { base: "1ms", cap: "5ms" } } }
                """
            ).record()
            let book = try #require(record.simulatorLedger)
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.unknown == 0, "the book knows")
            #expect(record.ledger.duplicates == 0, "what is unproved is not written again")
            #expect(record.ledger.rejected == book.rejected, "a refusal whose reply is gone is still a refusal")
            let lostReplies = try #require(record.ledger.proof.simulatorRejected)
            #expect(record.errorCount(8) + lostReplies == book.rejected)
            if mode == "reset" {
                #expect(lostReplies > 0, "a reset overtakes replies")
                #expect(record.ledger.proof.simulator > 0)
                #expect(record.verdict.status == .failed)
            }
        }

        @Test func `a slow gateway is waited for as long as it accepts`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "throttle", rate: "5k/s" }] } }, phases: { drain: "600ms" },
                  workload: { notifications: 12_000 }, sender: { connections: 2, sentinelTimeout: "600ms" } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 12_000)
            #expect(record.ledger.proof.simulator == 0, "the sender has its own proof of all of them")
        }

        @Test func `C09 a gateway that closes in silence proves nothing`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "close", after: 5_000, scope: "connection" }] } },
                  workload: { notifications: 20_000 },
                  sender: { connections: 1, reconnect: { base: "1ms", cap: "5ms" } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.accepted >= 5_000)
            #expect(record.ledger.proof.simulator >= 5_000, "only the book knows of those before the close")
            #expect(record.ledger.lost > 0)
            #expect(record.verdict.status == .failed)
            #expect(record.verdict.exitCode == 3)
        }

        @Test func `C27 connections that are killed are replaced, and what is written again is counted`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "replyClose", mode: "reset" },
                                                  { fault: "close", after: 2_000, scope: "connection" }] } },
                  workload: { notifications: 50_000, devices: 50_000, faults: { badToken: 0.001 } },
                  sender: { connections: 16, unproven: { policy: "resend", limit: 2 },
                            reconnect: { base: "1ms", cap: "5ms" } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.unsent == 0)
            #expect(record.ledger.resent > 0)
            #expect(record.connections.count == 16)
            #expect(record.connections.allSatisfy { $0.openings > 1 })
        }

        @Test(arguments: ["after: '20k'", "at: '100ms'"])
        func `C19 while the simulator reads nothing, writing goes on at first, and no reply is missed`(
            start: String
        ) async throws {
            let run = try Run(
                """
                { target: { simulator: { receiveBuffer: "4MiB",
                                         faults: [{ fault: "replyDelay", delay: "10ms" },
                                                  { fault: "stall", \(start), for: "2200ms" }] } },
                  workload: { notifications: 200_000, devices: 200_000, faults: { badToken: 0.0001 } },
                  sender: { connections: 8, unsentLimit: "4MiB" }, load: { loop: "open", rate: "100k/s" } }
                """)
            let record = try await run.record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.rejected == (try run.expectedCount(of: .badToken)), "no reply is missed")
            #expect([record.ledger.lost, record.ledger.unknown, record.ledger.unsent] == [0, 0, 0])
            let silent = record.intervals.filter { $0.accepted == 0 }
            #expect(silent.count >= 1, "\(record.intervals.map { ($0.written, $0.accepted ?? -1) })")
            #expect(silent.contains { $0.written > 0 }, "\(record.intervals.map { ($0.written, $0.accepted ?? -1) })")
        }

        @Test func `a frozen simulator does nothing, and all is well afterwards`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "freeze", at: "200ms", for: "2500ms" }] } },
                  workload: { notifications: 60_000 },
                  sender: { connections: 4 }, load: { loop: "open", rate: "100k/s" } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.accepted == 60_000)
            #expect(record.intervals.contains { $0.accepted == 0 })
        }

        @Test func `C29 refused from the start, attempts are few and all connections come`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "refuse", for: "2s" }] } },
                  workload: { notifications: 10_000 },
                  sender: { connections: 4, reconnect: { base: "100ms", cap: "1s", jitter: 0.2 } } }
                """
            ).record()
            expectClean(record)
            let attempts = record.reconnects.failedAttempts
            #expect(attempts.keys.sorted() == ["refused"])
            // 100, 200, 400, 800 ms, then 1 s: at most 7 attempts in 2 s with a jitter of a fifth.
            #expect((8...28).contains(attempts["refused"] ?? 0), "\(attempts)")
            #expect(record.simulatorLedger?.connectionsAccepted == 4)
        }

        @Test func `C29 refused in the middle, connections that are left go on and the others come back`() async throws
        {
            let run = try Run(
                """
                { target: { simulator: { faults: [{ fault: "throttle", rate: "20k/s" },
                                                  { fault: "refuse", at: "200ms", for: "1500ms" }] } },
                  workload: { notifications: 40_000, devices: 40_000, faults: { badToken: 0.001 } },
                  sender: { connections: 8, reconnect: { base: "100ms", cap: "500ms" } } }
                """)
            let record = try await run.record()
            expectClean(record)
            #expect(record.ledger.rejected == (try run.expectedCount(of: .badToken)))
            let refused = record.reconnects.failedAttempts["refused"] ?? 0
            #expect((1...80).contains(refused), "\(record.reconnects.failedAttempts)")
        }

        @Test func `C36 a burst of rejections shows in time, and the rate stands with and without it`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "status", status: 8, share: 0.00032, for: "900ms" }] } },
                  workload: { notifications: 140_000, devices: 20_000 }, load: { loop: "open", rate: "40k/s" },
                  sender: { connections: 4 } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect((1...45).contains(record.ledger.rejected), "32 of 100,000 for most of a second")
            #expect(record.ledger.rejected == record.simulatorLedger?.rejected)
            #expect(record.ledger.accepted == 140_000 - record.ledger.rejected, "what was hit was hit once")
            #expect(record.intervals.first?.rejected == record.ledger.rejected, "only in the first second")
            let undisturbed = try #require(record.throughput.undisturbedPerSecond)
            #expect(try #require(record.throughput.acceptedPerSecond) > 0)
            #expect((20_000...60_000).contains(undisturbed), "\(undisturbed)")
        }

        @Test func `a simulator that is full turns connections away, and the others carry the run`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { maxConnections: 4 } }, workload: { notifications: 20_000 },
                  sender: { connections: 8, connectTimeout: "300ms", handshakeTimeout: "500ms",
                            reconnect: { base: "50ms", cap: "200ms" } } }
                """
            ).record()
            expectClean(record)
            #expect(try #require(record.simulatorLedger?.connectionsRefused) >= 4)
            #expect(record.reconnects.failedAttempts.keys.sorted() == ["handshakeFailed"])
        }

        @Test func `attempts of all connections together keep to their rate`() async throws {
            let start = ContinuousClock.now
            let record = try await Run(
                """
                { workload: { notifications: 1_000 },
                  sender: { connections: 11, reconnect: { attemptsPerSecond: "20/s" } } }
                """
            ).record()
            expectClean(record)
            #expect(record.simulatorLedger?.connectionsAccepted == 11)
            #expect(ContinuousClock.now - start >= .milliseconds(490), "the eleventh waits for ten spaces of 50 ms")
        }

        @Test(arguments: [true, false])
        func `tokens of the other environment are refused unless nobody looks`(judges: Bool) async throws {
            let record = try await Run(
                """
                { target: { simulator: { environment: "production", judge: { environment: \(judges) } } },
                  workload: { notifications: 200 }, sender: { connections: 2, reconnect: { base: "1ms" } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.rejected == (judges ? 200 : 0))
            #expect(record.verdict.status == (judges ? .failed : .passed), "a run that accepts nothing has not passed")
        }

        @Test(arguments: [true, false])
        func `C22 small writes leave at once or as the kernel likes, and the record says which`(noDelay: Bool)
            async throws
        {
            let record = try await Run(
                """
                { workload: { notifications: 200 }, load: { loop: "open", rate: "200/s" },
                  sender: { connections: 1, noDelay: \(noDelay), batch: { notifications: 1 } } }
                """
            ).record()
            expectClean(record)
            #expect(record.latency["residence"]?.count == 200)
            #expect(record.profile.canonicalText.contains(#""noDelay":\#(noDelay)"#))
        }
    }
}
