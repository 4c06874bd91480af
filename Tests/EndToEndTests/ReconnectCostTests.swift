import Foundation
import Harness
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// What reconnects cost, over real TLS; numbers are those of the field cases.
    @Suite struct ReconnectCostTests {
        /// A run in which the simulator ends each connection in order after so many notifications.
        private static func churn(_ count: Int, every: Int, simulator: String = "", sender: String = "") throws -> Run {
            try Run(
                """
                { target: { simulator: { \(simulator) faults: [{ fault: "shutdown", after: \(every), scope: "connection" }] } },
                  workload: { notifications: \(count) },
                  sender: { connections: 1, batch: { notifications: 20 }, \(sender) } }
                """)
        }

        @Test(arguments: [0, 1, 2, 4])
        func `C30 tickets decide which handshakes are resumed, and the kinds add up`(tickets: Int) async throws {
            let record = try await Self.churn(10_000, every: 20, simulator: "tickets: \(tickets),").record()
            expectClean(record)
            let reconnects = record.reconnects
            let full = try #require(reconnects.full)
            #expect((490...500).contains(reconnects.count), "the last end may leave nothing to do")
            #expect(full + reconnects.resumed == reconnects.count)
            #expect(tickets == 0 ? reconnects.resumed == 0 : full == 0, "each handshake issues new tickets")
            let sender = try #require(reconnects.senderHandshakes)
            let simulator = try #require(reconnects.simulatorHandshakes)
            #expect(sender.count == record.simulatorLedger?.connectionsAccepted)
            #expect(sender.full.count == simulator.full.count && sender.resumed.count == simulator.resumed.count)
            #expect(sender.full.count == (tickets == 0 ? sender.count : 1), "the first one is full")
            #expect(sender.cpuNs > 0 && simulator.cpuNs > 0)
            for part in ["reconnectTCP", "firstAcceptance"] { #expect(record.latency[part]?.count == reconnects.count) }
            #expect(record.latency["reconnectTLSFull"]?.count ?? 0 == full)
            #expect(record.latency["reconnectTLSResumed"]?.count ?? 0 == reconnects.resumed)
        }

        @Test func `C30 without resumption on the sender's side every handshake is full`() async throws {
            let record = try await Self.churn(400, every: 20, sender: "resume: false").record()
            expectClean(record)
            #expect(record.reconnects.resumed == 0)
            #expect(record.reconnects.full == record.reconnects.count)
        }

        @Test func `each reconnect is told in parts that add up, with the moment at which the simulator sent the end`()
            async throws
        {
            let record = try await Self.churn(1_000, every: 50).record()
            expectClean(record)
            let events = try #require(record.reconnects.events)
            #expect(events.count == Int(record.reconnects.count) && events.count > 10)
            #expect(record.reconnects.firstAcceptanceBy == .simulator)
            for event in events {
                #expect(event.costNs == event.waitNs + event.tcpNs + event.tlsNs + event.writeNs)
                #expect(min(event.waitNs, event.tcpNs, event.tlsNs, event.writeNs) >= 0)
                #expect(event.cause == "shutdown")
                #expect(try #require(event.detectNs) >= 0)
                #expect(try #require(event.firstAcceptanceNs) >= event.waitNs + event.tcpNs, "not before it stands")
            }
            #expect(events.reduce(0) { $0 + $1.resent } == record.ledger.resent)
            #expect(events.map(\.atNs) == events.map(\.atNs).sorted())
            #expect(record.latency["reconnectDetect"]?.count == record.reconnects.count)
            #expect(record.latency["firstAcceptance"]?.count == record.reconnects.count)
        }

        @Test func `a simulator whose replies wait shows the wait in the in-flight figure, not in the parts`()
            async throws
        {
            let record = try await Run(
                """
                { target: { simulator: { faults: [{ fault: "replyDelay", delay: "30ms" }] } }, load: { loop: "open", rate: "20k/s" },
                  workload: { notifications: 10_000, devices: 10_000, faults: { badToken: 0.001 } },
                  sender: { connections: 1 } }
                """
            ).record()
            expectClean(record)
            let events = try #require(record.reconnects.events)
            #expect(!events.isEmpty)
            #expect(events.allSatisfy { $0.cause == "invalid token" })
            #expect(events.contains { $0.inFlight > 100 }, "at 20,000 a second 30 ms hold 600")
            #expect(events.allSatisfy { $0.resent == $0.inFlight })
        }

        // In a process of its own: what other tests have open and in memory is none of it.
        @Test func `1,000 reconnects leave no descriptor and no memory behind`() async throws {
            let folder = try ScratchFolder()
            let file = "\(folder.path)/record.json"
            let profile = try folder.file(
                "reconnects.json5",
                """
                { target: { simulator: { faults: [{ fault: "shutdown", after: 50, scope: "connection" }] } },
                  workload: { notifications: 60_000 }, load: { loop: "open", rate: "10k/s" },
                  sender: { connections: 8, batch: { notifications: 50 } } }
                """)
            let result = try await Program.shell(
                "", ["run", profile, "-o", "json=\(file)", "--progress", "none"])
            try #require(result.status == 0, "\(result.output)")
            let record = try JSONDecoder().decode(RunRecord.self, from: Data(contentsOf: URL(filePath: file)))
            expectClean(record)
            #expect(record.reconnects.count >= 1_000)
            let whole = record.intervals.filter { $0.lengthNs > 900_000_000 }
            let (early, late) = (try #require(whole.dropFirst().first), try #require(whole.last))
            for (name, path) in [("sender", \IntervalRecord.senderDescriptors), ("simulator", \.simulatorDescriptors)] {
                // A connection on its way out and its successor exist side by side.
                if let before = early[keyPath: path], let after = late[keyPath: path] {
                    #expect(after <= before + 16, "\(name): \(record.intervals.map { $0[keyPath: path] ?? -1 })")
                }
            }
            for (name, path) in [("sender", \IntervalRecord.senderRSSBytes), ("simulator", \.simulatorRSSBytes)] {
                let (before, after) = (try #require(early[keyPath: path]), try #require(late[keyPath: path]))
                // Buffers grow to their bounds meanwhile; a thousand connections that stayed in memory would hold 30 MiB.
                #expect(after < before + (12 << 20), "\(name): \(record.intervals.map { $0[keyPath: path] ?? -1 })")
            }
        }
    }
}
