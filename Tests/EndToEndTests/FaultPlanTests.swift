import Harness
import Primitives
import RunRecords
import Testing
import Workload

extension PatientEndToEndTests {
    /// The fault plan over real TLS: cells of the matrix, and faults that only sockets can show.
    @Suite struct FaultPlanTests {
        struct Cell: CustomTestStringConvertible, Sendable {
            let refusal: String
            let reply: String
            let mode: String
            var mayLoseReplies: Bool { reply.contains("replyWithheld") || mode == "abrupt" || mode == "reset" }
            var testDescription: String { "\(refusal), \(reply), \(mode)" }

            init(_ refusal: String, _ reply: String, _ mode: String) {
                (self.refusal, self.reply, self.mode) = (refusal, reply, mode)
            }
        }

        private static let split = #"{ fault: "replySplit", pieces: [1, 2, 3], pause: "2ms" }"#
        private static let whole = #"{ fault: "replyDelay", delay: 0 }"#

        private static let cells = [
            Cell("{ fault: 'status', status: 7, share: 0.001 }", whole, "graceful"),
            Cell("{ fault: 'status', status: 255, every: 1500 }", split, "fin"),
            Cell("{ fault: 'status', status: 1, identifiers: [1, 777, 3000] }", split, "halfClose"),
            Cell(
                "{ fault: 'status', status: 128, after: 2000 }", "{ fault: 'replyDelay', until: 300, delay: '1s' }",
                "never"),
            Cell("{ fault: 'status', status: 2, share: 0.001 }", "{ fault: 'replyWithheld', share: 0.5 }", "graceful"),
            Cell("{ fault: 'status', status: 5, share: 0.002 }", split, "abrupt"),
            Cell("{ fault: 'status', status: 4, share: 0.002 }", whole, "reset"),
            Cell("{ fault: 'shutdown', every: 900, scope: 'connection' }", split, "graceful"),
            Cell("{ fault: 'shutdown', after: 1000 }", whole, "fin"),
            Cell("{ fault: 'status', status: 3, every: 1300 }", whole, "fin"),
            Cell("{ fault: 'status', status: 6, share: 0.001 }", split, "never"),
            Cell("{ fault: 'status', status: 8, identifiers: [2, 4000] }", split, "graceful"),
        ]

        @Test(arguments: cells, ["enhanced", "framed", "mixed"])
        func `a cell of the matrix over TLS leaves two books that agree`(cell: Cell, name: String) async throws {
            let record = try await Run(
                """
                { protocol: "\(name)",
                  target: { simulator: { faults: [\(cell.refusal), \(cell.reply),
                                                  { fault: "replyClose", mode: "\(cell.mode)" }] } },
                  workload: { notifications: 4_000, devices: 4_000 },
                  sender: { connections: 2, sentinelTimeout: "2s", reconnect: { base: "1ms", cap: "5ms" } } }
                """
            ).record()
            let book = try #require(record.simulatorLedger)
            #expect(record.ledger.isBalanced)
            #expect(record.ledgerDifference == 0)
            #expect(book.duplicates == 0)
            let counts = try #require(book.faults).map(\.count)
            #expect(counts[0] > 0 && counts[2] > 0, "\(counts)")
            guard !cell.mayLoseReplies else { return }
            #expect(record.ledger.rejected == book.rejected)
            #expect([record.ledger.lost, record.ledger.unknown, record.ledger.unsent] == [0, 0, 0])
            #expect(record.ledger.accepted + record.ledger.rejected == 4_000)
        }

        @Test(arguments: cells.filter { !$0.refusal.contains("identifiers") }, ["reply", "silentClose"])
        func `command 0 in a cell of the matrix over TLS claims nothing, and the simulator's counts add up`(
            cell: Cell, refusal: String
        ) async throws {
            let record = try await Run(
                """
                { protocol: "simple",
                  target: { simulator: { simpleRefusal: "\(refusal)",
                                         faults: [\(cell.refusal), \(cell.reply),
                                                  { fault: "replyClose", mode: "\(cell.mode)" }] } },
                  workload: { notifications: 4_000, devices: 4_000 },
                  sender: { connections: 2, watch: "300ms", reconnect: { base: "1ms", cap: "5ms" } } }
                """
            ).record()
            let book = try #require(record.simulatorLedger)
            #expect(record.ledger.isBalanced && record.ledgerDifference == 0)
            #expect(record.ledger.unknown == 4_000 && record.ledger.resent == 0)
            #expect(try #require(book.faults)[0].count > 0)
            let counted = book.acceptedWithoutIdentifier + book.rejectedWithoutIdentifier + book.discarded
            #expect(book.acceptedWithoutIdentifier > 0 && counted <= 4_000)
        }

        @Test func `replies that name others make the books disagree, which the verdict puts down to the plan`()
            async throws
        {
            var run = try Run(
                """
                { target: { simulator: { faults: [{ fault: "status", status: 8, every: 900 },
                                                  { fault: "replyIdentifier", shift: -3 }] } },
                  workload: { notifications: 4_000, devices: 4_000 }, sender: { connections: 1 } }
                """)
            run.isLiedTo = true
            let record = try await run.record()
            #expect(record.ledger.isBalanced)
            #expect(try #require(record.ledgerDifference) > 0)
            #expect(record.verdict.status == .failed && record.verdict.exitCode == 3)
            #expect(record.verdict.reasons.contains { $0.contains("by the fault plan") }, "\(record.verdict.reasons)")
        }

        @Test func `a half-closed connection is read on until the sender ends it`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "close", after: 500, mode: "halfClose" }] } },
                  workload: { notifications: 5_000 },
                  sender: { connections: 1, unproven: { policy: "resend", limit: 1 }, reconnect: { base: "1ms" } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.accepted == 5_000)
            #expect(record.simulatorLedger?.faults == [FaultCountRecord(fault: "close", count: 1)])
            #expect(try #require(record.simulatorLedger?.duplicates) >= 500, "what had been accepted came again")
        }

        @Test func `C28 a swallowed connection is given up, and its notifications come on another`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "blackHole", after: 1 }] } },
                  workload: { notifications: 100, devices: 100 },
                  sender: { connections: 1, sentinelTimeout: "500ms", unproven: { policy: "resend", limit: 1 },
                            reconnect: { base: "1ms" } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.accepted == 100)
            #expect(record.simulatorLedger?.faults?.first?.count == 1)
            #expect(record.reconnects.count == 1)
            #expect(record.ledger.resent == 100)
            let event = try #require(record.reconnects.events?.first)
            #expect(event.cause == "timedOut")
            #expect(try #require(event.detectNs) >= 500_000_000, "from the unanswered sentinel to its limit")
            #expect(try #require(event.firstAcceptanceNs) > 0)
            #expect(record.latency["reconnectDetect"]?.count == 1)
        }

        @Test func `C28 a hole that fills the buffers is found by the stalled write`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "blackHole", after: "5k" }] } },
                  workload: { notifications: 100_000, devices: 100_000 },
                  sender: { connections: 1, stallLimit: "400ms", unproven: { policy: "resend", limit: 1 },
                            reconnect: { base: "1ms" } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0 && record.ledger.accepted == 100_000)
            let event = try #require(record.reconnects.events?.first)
            #expect(try #require(event.detectNs) >= 400_000_000)
        }

        @Test(arguments: [
            "{ fault: 'refuse', share: 0.5 }", "{ fault: 'slowAccept', delay: '50ms' }",
            "{ fault: 'handshake', mode: 'alert', share: 0.5 }", "{ fault: 'handshake', mode: 'close', share: 0.5 }",
            "{ fault: 'handshake', mode: 'closeAfterHello', share: 0.5 }",
            "{ fault: 'kill', rate: '20/s', mode: 'reset' }", "{ fault: 'outage', at: '100ms', for: '300ms' }",
            "{ fault: 'throttle', bytes: '8MiB' }",
        ])
        func `a fault of connections is survived, and counted`(fault: String) async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "throttle", rate: "20k/s" }, \(fault)] } },
                  workload: { notifications: 10_000, devices: 10_000, faults: { badToken: 0.001 } },
                  sender: { connections: 4, unproven: { policy: "resend", limit: 100 },
                            reconnect: { base: "5ms", cap: "20ms" } } }
                """
            ).record()
            #expect(record.ledgerDifference == 0)
            #expect(record.ledger.isBalanced && record.ledger.unknown == 0 && record.ledger.unsent == 0)
            // A kill may take a reply with it, and then only the book knows of the rest.
            #expect(record.ledger.lost == 0 || fault.contains("kill"))
            let counts = try #require(record.simulatorLedger?.faults)
            #expect(counts[1].count > 0 || fault.contains("bytes"), "\(counts)")
        }
    }
}
