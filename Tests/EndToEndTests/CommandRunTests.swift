import Foundation
import Harness
import PushWire
import RunRecords
import Testing
import Workload

extension EndToEndTests {
    /// The three commands of the binary interface over real TLS, and what the program says about each.
    @Suite struct CommandRunTests {
        @Test(arguments: ["enhanced", "framed"])
        func `with identifiers both books agree about bad tokens and long payloads`(name: String) async throws {
            let run = try Run(
                """
                { protocol: "\(name)", sender: { connections: 4 },
                  workload: { notifications: 20_000, devices: 20_000, expiry: "1h", faults: { badToken: 0.001, oversizedPayload: 0.0005 } } }
                """)
            let record = try await run.record()
            expectClean(record)
            #expect(record.errorCount(8) == (try run.expectedCount(of: .badToken)))
            #expect(record.errorCount(7) > 0)
            #expect(record.ledger.rejected == record.errorCount(8) + record.errorCount(7))
            let book = try #require(record.simulatorLedger)
            #expect(book.commands.framed == (name == "framed" ? book.accepted : 0))
            #expect(book.commands.enhanced == (name == "framed" ? 0 : book.accepted))
            #expect(book.acceptedWithoutIdentifier == 0 && book.rejectedWithoutIdentifier == 0)
        }

        @Test func `commands 1 and 2 mix on each connection, through errors and resends`() async throws {
            let run = try Run(
                """
                { protocol: "mixed", sender: { connections: 3, priority: 5 },
                  workload: { notifications: 20_000, devices: 20_000, faults: { badToken: 0.001 } } }
                """)
            let record = try await run.record()
            expectClean(record)
            #expect(record.ledger.rejected == (try run.expectedCount(of: .badToken)))
            let commands = try #require(record.simulatorLedger).commands
            #expect(commands.enhanced > 9_000 && commands.framed > 9_000)
            #expect(record.simulatorLedger?.powerSaving == commands.framed)
        }

        @Test
        func `simple notifications are unknown, the simulator's counts stand beside, and the run is inconclusive`()
            async throws
        {
            let record = try await Run(
                """
                { protocol: "simple", workload: { notifications: 5_000, devices: 5_000, faults: { badToken: 0.001 } },
                  sender: { connections: 2, watch: "200ms" } }
                """
            ).record()
            let book = try #require(record.simulatorLedger)
            #expect(record.ledger.unknown == 5_000)
            #expect(record.ledger.hasIdentifiers == false)
            #expect(record.errors.isEmpty, "a bad one is answered with nothing")
            #expect(book.accepted == 0, "nothing tells which ones they are")
            #expect(book.acceptedWithoutIdentifier > 0 && book.acceptedWithoutIdentifier < 5_000)
            #expect((1...10).contains(book.rejectedWithoutIdentifier))
            #expect(book.acceptedWithoutIdentifier + book.rejectedWithoutIdentifier + book.discarded <= record.written)
            #expect(book.commands.simple == book.acceptedWithoutIdentifier)
            #expect(record.ledgerDifference == 0)
            #expect(record.verdict.status == .inconclusive)
            #expect(record.verdict.exitCode == 4)
            #expect(
                record.verdict.reasons.contains {
                    $0.contains("the simulator counted \(book.acceptedWithoutIdentifier)")
                })
        }

        @Test func `without bad tokens the simulator counts every simple notification, and still none is proved`()
            async throws
        {
            let record = try await Run(
                """
                { protocol: "simple", workload: { notifications: 20_000 }, sender: { connections: 4, watch: "100ms" } }
                """
            ).record()
            #expect(record.simulatorLedger?.acceptedWithoutIdentifier == 20_000)
            #expect(record.ledger.unknown == 20_000 && record.ledger.accepted == 0)
            #expect(record.verdict.status == .inconclusive)
            #expect(record.reconnects.count == 0)
        }

        @Test func `C20 damaged notifications are refused, and both books agree about the rest`() async throws {
            let record = try await Run(
                """
                { workload: { notifications: 5_000, devices: 5_000 },
                  sender: { connections: 2, allowMalformed: true, malformed: { token: "missingByte", every: 500 } } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.rejected == 10)
            #expect(record.errorCount(7) == 10)
        }

        @Test func `C11 empty tokens are answered with identifier 0, and nothing is written more than twice`()
            async throws
        {
            let record = try await Run(
                """
                { protocol: "framed", workload: { notifications: 4_000, devices: 4_000 },
                  sender: { connections: 2, allowMalformed: true, malformed: { token: "empty", every: 1_000 },
                            unproven: { policy: "resend", limit: 3 }, reconnect: { base: "1ms", cap: "5ms" } } }
                """
            ).record()
            let book = try #require(record.simulatorLedger)
            #expect(record.ledgerDifference == 0)
            // Of what is on the way together, the first one earns the reply, and again when it is sent again.
            #expect(record.errorCount(2) >= 2)
            #expect(
                book.rejectedWithoutIdentifier == record.errorCount(2),
                "the gateway itself could not read the identifier")
            #expect(book.acceptedWithoutIdentifier == 0)
            #expect(record.written <= 2 * record.ledger.generated)
            #expect(record.ledger.lost >= 4, "the book has no name for what it refused")
            #expect(record.ledger.lostBy["cap"] == nil)
        }

        @Test func `the program refuses what cannot work before it sends anything`() async throws {
            let folder = try ScratchFolder()
            let profile = try folder.file(
                "p.json5", "{ workload: { notifications: 1000 }, sender: { connections: 1 } }")
            let fixed = try await Program.shell("", ["run", profile, "--set", "sender.identifiers.fixed=7"])
            #expect(fixed.status == 2)
            #expect(fixed.output.contains("identifiers not unique in the window"))
            let malformed = try await Program.shell("", ["run", profile, "--set", "sender.malformed.every=10"])
            #expect(malformed.status == 2)
            #expect(malformed.output.contains("allowMalformed"))
            let unknown = try await Program.shell("", ["generate", "frames", "--protocol", "framd"])
            #expect(unknown.status == 2)
            #expect(unknown.output.contains("did you mean framed?"))
        }

        @Test func `a threshold may tolerate what simple notifications leave unknown`() async throws {
            let folder = try ScratchFolder()
            let text = "workload: { notifications: 1000 }, sender: { connections: 1, watch: '50ms' }"
            let strict = try folder.file("strict.json5", "{ \(text) }")
            let plain = try await Program.shell("", ["run", strict, "--protocol", "simple", "--progress", "none"])
            #expect(plain.status == 4, "\(plain.output)")
            #expect(plain.output.contains("INCONCLUSIVE"))
            #expect(plain.output.contains("no identifiers, so no proof: the simulator counted 1,000 accepted"))
            let tolerant = try folder.file("tolerant.json5", "{ \(text), thresholds: ['unknown <= 1000'] }")
            let passed = try await Program.shell("", ["run", tolerant, "--protocol", "simple", "--progress", "none"])
            #expect(passed.status == 0, "\(passed.output)")
        }

        @Test(arguments: [
            ("simple", [30, 0, 0]), ("enhanced", [0, 30, 0]), ("framed", [0, 0, 30]), ("mixed", [10, 10, 10]),
        ])
        func `generated frames are those of the protocol asked for`(name: String, counts: [Int]) async throws {
            let folder = try ScratchFolder()
            let file = "\(folder.path)/frames"
            let result = try await Program.shell(
                "", ["generate", "frames", "--protocol", name, "-n", "30", "--first", "5", "-o", file])
            #expect(result.status == 0, "\(result.output)")
            let bytes = try Data(contentsOf: URL(filePath: file))
            var found = [0, 0, 0]
            var identifiers: [UInt32] = []
            var reader = NotificationReader(parser: NotificationParser())
            bytes.withUnsafeBytes {
                reader.read($0) { frame, _ in
                    guard case .notification(let notification) = frame else {
                        Issue.record("not a notification")
                        return
                    }
                    found[Int(notification.command)] += 1
                    if notification.hasIdentifier { identifiers.append(notification.identifier) }
                }
            }
            #expect(found == counts)
            #expect(!reader.hasUnfinished)
            #expect(
                identifiers
                    == (UInt32(6)...35).filter {
                        name != "mixed" && name != "simple" || name == "mixed" && ($0 - 1) % 3 != 0
                    })
        }
    }
}
