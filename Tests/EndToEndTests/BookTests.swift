import Analysis
import Harness
import RunRecords
import Testing
import Workload

extension EndToEndTests {
    /// What became of every notification, when all goes well and when tokens are bad. Numbers are those of the field cases.
    @Suite struct BookTests {
        @Test func `the shape of the quickstart: both books agree about everything`() async throws {
            let run = try Run(
                """
                { workload: { notifications: 100_000, devices: 25_000, faults: { badToken: 0.001 } },
                  sender: { connections: 8 } }
                """)
            let record = try await run.record()
            expectClean(record)
            let bad = try run.expectedCount(of: .badToken)
            #expect(bad > 50)
            #expect(record.ledger.rejected == bad)
            #expect(record.errors == [ErrorCountRecord(status: 8, name: "invalid token", count: bad)])
            let reconnects = record.reconnects
            // A connection that has nothing more to write after its last error is not replaced.
            #expect((bad - 8...bad).contains(reconnects.count))
            #expect(record.simulatorLedger?.connectionsAccepted == 8 + reconnects.count)
            #expect(reconnects.resumed == reconnects.count, "each replacement resumes its TLS session")
            #expect(reconnects.inFlightAtError.count == bad)
            #expect(record.latency["errorReply"]?.count == bad)
            #expect(record.latency["reconnect"]?.count == reconnects.count)
            #expect(record.connections.reduce(0) { $0 + $1.accepted } == record.ledger.accepted)
            #expect(record.connections.reduce(0) { $0 + $1.resent } == record.ledger.resent)
            #expect((1...8).contains(record.simulatorLedger?.sentinels ?? 0), "sentinels are none of the run's")
        }

        @Test(arguments: [1, 16, 64])
        func `without a bad token one sentinel a connection proves all`(connections: Int) async throws {
            let record = try await Run(
                "{ workload: { notifications: 100_000 }, sender: { connections: \(connections) } }"
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 100_000)
            #expect(record.ledger.proof.sentinel == 100_000)
            #expect(record.ledger.resent == 0)
            #expect(record.simulatorLedger?.connectionsAccepted == Int64(connections))
            #expect(record.written == 100_000)
        }

        @Test func `many errors at the end of a run do not confuse sentinels with notifications`() async throws {
            let run = try Run(
                """
                { workload: { notifications: 3_000, devices: 3_000, faults: { badToken: 0.1 } },
                  sender: { connections: 4, reconnect: { base: "1ms" } } }
                """)
            let record = try await run.record()
            expectClean(record)
            #expect(record.ledger.rejected == (try run.expectedCount(of: .badToken)))
        }

        @Test func `C01 one bad token costs only itself`() async throws {
            let folder = try ScratchFolder()
            let record = try await Run(
                """
                { workload: { notifications: 1_000, tokensFile: "\(try folder.tokens(1_000, bad: [100]))" },
                  sender: { connections: 1, batch: { notifications: 10 } } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 999)
            #expect(record.ledger.resent <= 900)
            #expect(record.simulatorLedger?.connectionsAccepted == 2)
            #expect(record.errorCount(8) == 1)
        }

        @Test func `C02 a late error has what was in flight written again, exactly`() async throws {
            let folder = try ScratchFolder()
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "replyDelay", delay: "200ms" }] } },
                  workload: { notifications: 10_000, tokensFile: "\(try folder.tokens(10_000, bad: [10]))" },
                  sender: { connections: 1 } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 9_999)
            let inFlight = record.reconnects.inFlightAtError
            #expect(inFlight.max == record.ledger.resent && inFlight.p50 == inFlight.max, "a figure for each error")
            #expect(record.ledger.resent > 1_000, "the sender does not wait for silence")
            #expect(record.simulatorLedger?.discarded == record.ledger.resent + 1, "the sentinel was behind it, too")
            #expect(try #require(record.latency["errorReply"]?.minNs) >= 200_000_000)
        }

        @Test func `C10 early and late errors neither lose nor repeat anything`() async throws {
            let folder = try ScratchFolder()
            let record = try await Run(
                """
                { workload: { notifications: 1_000, tokensFile: "\(try folder.tokens(1_000, bad: [3, 300, 900]))" },
                  sender: { connections: 1, batch: { notifications: 1_000, bytes: 65_536 } } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 997)
            #expect(record.simulatorLedger?.connectionsAccepted == 4)
        }

        @Test func `C05 a window smaller than what is in flight loses a known number and says what was needed`()
            async throws
        {
            let folder = try ScratchFolder()
            let tokens = try folder.tokens(2_050, bad: [50])
            func run(window: Int) throws -> Run {
                try Run(
                    """
                    { target: { simulator: { faults: [{ fault: "replyDelay", delay: "1s" }] } },
                      workload: { notifications: 2_050, tokensFile: "\(tokens)" },
                      sender: { connections: 1, window: \(window) } }
                    """)
            }
            let small = try await run(window: 100).record()
            #expect(small.ledger.lost == 1_900)
            #expect(small.ledger.accepted == 149)
            #expect(small.windowOverruns.count == 1)
            #expect(small.windowOverruns.windowNeeded == 2_000)
            #expect(small.verdict.status == .failed)
            #expect(small.verdict.exitCode == 3)
            let large = try await run(window: 4_096).record()
            expectClean(large)
            #expect(large.ledger.accepted == 2_049)
            #expect(large.windowOverruns.count == 0)
        }

        @Test func `C14 a shutdown names the last good one, and only what follows is written again`() async throws {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "shutdown", after: 300, scope: "connection" }] } },
                  workload: { notifications: 1_000 }, sender: { connections: 1 } }
                """
            ).record()
            expectClean(record)
            #expect(record.ledger.accepted == 1_000)
            #expect(record.ledger.proof.shutdown == 900)
            #expect(record.errors == [ErrorCountRecord(status: 10, name: "shutdown", count: 3)])
            #expect(record.simulatorLedger?.connectionsAccepted == 4)
        }

        @Test func `C16 identifiers wrap in the middle of a window`() async throws {
            let folder = try ScratchFolder()
            let small = try await Run(
                """
                { workload: { notifications: 64, tokensFile: "\(try folder.tokens(64, bad: [21]))" },
                  sender: { connections: 1, firstIdentifier: 4294967280 } }
                """
            ).record()
            expectClean(small)
            #expect(small.ledger.accepted == 63)
            #expect(small.ledger.resent == 43)
            let run = try Run(
                """
                { workload: { notifications: 50_000, devices: 50_000, faults: { badToken: 0.002 } },
                  sender: { connections: 4, firstIdentifier: 4294942296 } }
                """)
            let large = try await run.record()
            expectClean(large)
            #expect(large.ledger.rejected == (try run.expectedCount(of: .badToken)))
        }

        @Test
        func `C24 every batch size with every connection count balances and has its figures, and one is the knee`()
            async throws
        {
            let grid = SweepGrid([
                SweepGrid.Axis(key: "sender.batch.notifications", values: ["1", "10", "100", "1000"]),
                SweepGrid.Axis(key: "sender.connections", values: ["1", "2", "4", "8", "16", "32"]),
            ])
            func cell(_ number: Int, faults: String = "") async throws -> SweepRunRecord {
                let values = grid.values(ofCell: number)
                let run = try Run(
                    """
                    { target: { simulator: { faults: [\(faults)] } },
                      workload: { notifications: 10_000, devices: 10_000, faults: { badToken: 0.001 } },
                      sender: { connections: \(values[1]), batch: { notifications: \(values[0]), bytes: 262144 } } }
                    """)
                let record = try await run.record()
                if faults.isEmpty {
                    expectClean(record)
                    #expect(record.ledger.rejected == (try run.expectedCount(of: .badToken)))
                }
                return SweepRunRecord(cell: number, record)
            }
            var sweep = SweepRecord(profileName: "", profileHash: "", grid: grid, plan: SweepRace.Plan())
            for number in 0..<grid.count { sweep.runs.append(try await cell(number)) }
            sweep.conclude()
            let findings = try #require(sweep.findings)
            for cell in findings.cells {
                #expect(try #require(cell.acceptedPerSecond) > 0, "\(cell)")
                #expect(try #require(cell.residenceP99Ns) > 0, "\(cell)")
                #expect(cell.senderPeakRSSBytes > 1 << 20, "\(cell)")
                #expect(try #require(cell.simulatorPeakRSSBytes) > 1 << 20, "\(cell)")
            }
            let recommended = findings.cells[try #require(findings.recommended)]
            let best = try #require(findings.cells.compactMap(\.acceptedPerSecond).max())
            #expect(try #require(recommended.acceptedPerSecond) >= 0.97 * best)
            // The end comes in the middle of a batch, whose rest is lost.
            let cut = try await cell(18, faults: #"{ fault: "close", after: 450, scope: "connection" }"#)
            #expect(cut.acceptedPerSecond == nil, "what was lost leaves the run incomplete")
        }
    }
}
