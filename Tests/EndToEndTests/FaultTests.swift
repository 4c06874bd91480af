import Harness
import Primitives
import Reports
import RunRecords
import Testing
import Workload

extension PatientEndToEndTests {
    /// The simulator misbehaves as real gateways have; numbers are those of the field cases.
    @Suite struct FaultTests {
        /// A thousand notifications, each refused once.
        private static let thousand = (1...1_000).map { "\($0 * 100)" }.joined(separator: ", ")

        @Test
        func `C04 closed in order, a thousand of a thousand replies arrive at a client that writes at full speed`()
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "status", status: 8, identifiers: [\(Self.thousand)] }] } },
                  workload: { notifications: 100_050 }, sender: { connections: 4 } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.rejected == 1_000)
            #expect(record.errorCount(8) == 1_000)
            let replies = try #require(record.replies)
            #expect(replies.receiptRate == 1 && replies.read == replies.sent, "\(replies)")
            #expect((1_001...1_004).contains(replies.read), "those to sentinels among them")
            #expect(record.reconnects.failedAttempts.isEmpty, "no connection ends without its reply")
        }

        /// The simulator leaves everything unread for 3 ms before it replies and closes, which is more than 64 KiB.
        @Test func `C04 closed abruptly, the share of replies that arrive is a figure, and each miss was unknown`()
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { payloadLimit: 2048, receiveBuffer: "128KiB", faults: [
                    { fault: "status", status: 8, every: 50, scope: "connection" },
                    { fault: "replyDelay", delay: "3ms", reads: false }, { fault: "replyClose", mode: "abrupt" }] } },
                  workload: { notifications: 260_000, payload: { bytes: 2000 } },
                  sender: { connections: 8, unsentLimit: "32KiB", sentinelTimeout: "500ms",
                            reconnect: { base: "1ms", cap: "5ms" } } }
                """
            ).record()
            let book = try #require(record.simulatorLedger)
            let replies = try #require(record.replies)
            let (sent, rate) = (try #require(replies.sent), try #require(replies.receiptRate))
            #expect(sent >= 1_000 && replies.read <= sent && (0...1).contains(rate), "\(replies)")
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.rejected == book.rejected)
            // What the join had to tell was unknown before it: refusals that nobody heard of are among that, and none was accepted.
            let proof = record.ledger.proof
            #expect(try #require(proof.simulatorRejected) == book.rejected - record.errorCount(8))
            #expect(try #require(replies.missed) >= book.rejected - record.errorCount(8))
            let inFlight = record.reconnects.inFlightAtError
            #expect(inFlight.count == 0 || (inFlight.p50 ?? 0) * 2_000 > 65_536, "more than 64 KiB behind the bad one")
            let summary = RunSummary(record, style: .plain).text
            #expect(summary.contains("of \(Count(sent).grouped) replies read"), "\(summary)")
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
                { target: { simulator: { faults: [{ fault: "throttle", rate: "2k/s" }] } }, phases: { drain: "1500ms" },
                  workload: { notifications: 12_000 }, sender: { connections: 2, sentinelTimeout: "1500ms" } }
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

        /// Every connection's first notification is refused, nothing is read for 5 s, and then the replies leave.
        @Test func `C19 replies reach 32 connections within a second while their writes are blocked`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { receiveBuffer: "64KiB",
                                         faults: [{ fault: "status", status: 8, for: "4s" },
                                                  { fault: "replyDelay", delay: "5s", reads: false }] } },
                  workload: { notifications: 120_000 }, sender: { connections: 32, unsentLimit: "32KiB" } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.rejected == 32 && record.errorCount(8) == 32)
            #expect(record.ledger.accepted == 119_968)
            #expect(record.reconnects.failedAttempts.isEmpty, "no watch-dog took the silence for a dead connection")
            let events = try #require(record.reconnects.events)
            #expect(events.count == 32)
            for event in events {
                #expect(try #require(event.detectNs) < 1_000_000_000, "from the reply's sending to its reading")
                #expect(event.inFlight * 145 > 65_536, "more than the simulator's buffer was written behind it")
            }
            #expect(try #require(record.latency["errorReply"]?.minNs) > 4_500_000_000)
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

        /// The case's 30 s, 0.5 s and 10 s, each divided by ten; in full in `ReconnectStormTests`.
        @Test(arguments: [
            (#"{ fault: "refuse", for: "3s" }"#, "refused"),
            (#"{ fault: "handshake", mode: "alert", for: "3s" }"#, "handshakeFailed"),
            (#"{ fault: "close", for: "3s" }"#, "lost: closedByPeer"),
        ])
        func `C29 refused in any way from the start, attempts are few, counted by kind, and all connections come back`(
            fault: String, kind: String
        ) async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [\(fault)] } }, workload: { notifications: 20_000 },
                  sender: { connections: 4, unproven: { policy: "resend", limit: 100 },
                            reconnect: { base: "50ms", cap: "1s", jitter: 0.2 } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.accepted == 20_000)
            let attempts = record.reconnects.failedAttempts
            #expect(attempts.keys.sorted() == [kind], "\(attempts)")
            #expect((4 * 4...8 * 4).contains(attempts[kind] ?? 0), "\(attempts)")
            #expect(record.connections.count == 4 && record.connections.allSatisfy { $0.openings > 0 }, "all came back")
            if kind != "lost: closedByPeer" { #expect(record.simulatorLedger?.connectionsAccepted == 4) }
        }

        @Test func `C29 a run that is refused for seconds leaves a few lines, with the sum of what failed`()
            async throws
        {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "refused.json5",
                """
                { target: { simulator: { faults: [{ fault: "refuse", at: "200ms", for: "3s" },
                                                  { fault: "kill", rate: 200, mode: "reset" }] } },
                  workload: { notifications: 60_000 }, load: { loop: "open", rate: "15k/s" },
                  sender: { connections: 32, unproven: { policy: "resend", limit: 100 },
                            reconnect: { base: "1ms", cap: "2ms", attemptsPerSecond: 100_000 } } }
                """)
            let plain = try await Program.shell("", ["run", profile, "--progress", "plain", "-q"])
            let lines = plain.output.split(separator: "\n")
            #expect(lines.count < 60, "\(lines.count) lines: \(plain.output.prefix(2_000))")
            #expect(plain.output.contains("connections failed"), "\(plain.output.prefix(2_000))")
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
