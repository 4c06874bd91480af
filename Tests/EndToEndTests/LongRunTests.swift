import Foundation
import Primitives
import RunRecords
import Testing

/// Runs of ten seconds and more, most of which they wait: one after the other, beside all other tests.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LongRunTests {
    /// Runs a profile as a user does; the record and what the terminal shows. `meanwhile` is done beside it, in the shell that becomes
    /// the program, once the record is there: after the first second of load.
    private static func run(
        _ profile: String, meanwhile: String? = nil, expecting status: Int32 = 0
    ) async throws -> (record: RunRecord, summary: String) {
        let folder = try ScratchFolder()
        let file = "\(folder.path)/record.json"
        let prelude =
            meanwhile.map { work in
                "(while kill -0 $$ && [ ! -s '\(file)' ]; do sleep 0.05; done; \(work)) >/dev/null 2>&1 &"
            } ?? ""
        let result = try await Program.shell(
            prelude,
            ["run", try folder.file("long.json5", profile), "-o", "json=\(file)", "--progress", "none"])
        try #require(result.status == status, "\(result.output)")
        let record = try JSONDecoder().decode(RunRecord.self, from: Data(contentsOf: URL(filePath: file)))
        #expect(record.ledger.isBalanced)
        #expect(record.ledgerDifference == 0)
        return (record, result.output)
    }

    @Test func `C26 while five million wait for a slow gateway, memory stays flat and none is generated ahead`()
        async throws
    {
        let (record, summary) = try await Self.run(
            """
            { target: { simulator: { faults: [{ fault: "throttle", rate: "220k/s" }] } },
              workload: { notifications: 5_000_000 }, sender: { connections: 4 } }
            """)
        #expect(record.ledger.accepted == 5_000_000)
        let intervals = record.intervals
        try #require(intervals.count >= 10, "the cap makes it take 22 seconds")
        let early = intervals[intervals.count / 5]
        let late = intervals[intervals.count * 9 / 10]
        for figure in [\IntervalRecord.senderRSSBytes, \.simulatorRSSBytes] {
            let (before, after) = (try #require(early[keyPath: figure]), try #require(late[keyPath: figure]))
            #expect(Double(after) <= 1.1 * Double(before), "\(before) bytes at 20 %, \(after) at 90 %")
        }
        // What is ahead lies in sockets and batches, 1 MiB a connection, or was accepted since the simulator's last word.
        var ahead: Int64 = 0
        for interval in intervals.dropLast() {
            ahead += interval.written - (try #require(interval.accepted))
            #expect(ahead <= 4 * 1_048_576 / 145 + 220_000 / 2, "\(ahead) at \(interval.startNs) ns")
        }
        let peak = record.resources.sender.peakRSSBytes
        #expect(peak >= early.senderRSSBytes ?? .max)
        #expect(summary.contains(ByteCount(bytes: peak).description), "\(peak) in \(summary)")
    }

    @Test func `C67 while nothing is read for ten seconds, nothing counts as accepted however much is written`()
        async throws
    {
        let (record, summary) = try await Self.run(
            """
            { target: { simulator: { receiveBuffer: "4MiB", faults: [{ fault: "stall", at: "1s", for: "12s" }] } },
              workload: { notifications: 30_000 }, load: { loop: "open", rate: "2k/s" },
              sender: { connections: 8, unsentLimit: "4MiB", batch: { linger: "50ms" } } }
            """)
        #expect(record.ledger.accepted == 30_000)
        let silent = record.intervals.split { $0.accepted != 0 }.max { $0.count < $1.count } ?? []
        let length = Double(silent.reduce(0) { $0 + $1.lengthNs }) / 1e9
        // The seconds at both ends of the stall have something, and the simulator's word may come a moment late.
        #expect(length >= 9.5, "\(record.intervals.map { ($0.written, $0.accepted ?? -1) })")
        #expect(silent.allSatisfy { $0.written > 0 })
        #expect(Double(silent.reduce(0) { $0 + $1.written }) >= 0.8 * 2_000 * length, "all that was due")
        let words = summary.split(whereSeparator: \.isWhitespace).drop { $0 != "result" }.joined(separator: " ")
        let headline = try Regex(#"result [0-9.]+ [kM]?/s accepted, .*[0-9.]+ [kM]?/s written \(proves nothing\),"#)
        #expect(words.prefixMatch(of: headline) != nil, "\(summary)")
    }

    @Test func `C27 while one of sixteen connections is replaced, the others carry their share`() async throws {
        let (record, _) = try await Self.run(
            """
            { target: { simulator: { roundTrip: "200ms", faults: [{ fault: "kill", rate: "1/s", mode: "reset" }] } },
              workload: { notifications: 96_000 }, load: { loop: "open", rate: "8k/s" },
              sender: { connections: 16, batch: { notifications: 10 },
                        unproven: { policy: "resend", limit: 100 } } }
            """)
        #expect(record.ledger.accepted == 96_000)
        // Each replacement takes the round trips of TCP and TLS, long enough to see what the others do.
        let kills = try #require(record.simulatorLedger?.faults?.first { $0.fault == "kill" }?.count)
        #expect(kills >= 10)
        #expect(record.reconnects.count >= 10)
        let others = try #require(record.reconnects.others)
        #expect(others.reconnects >= 10, "\(others)")
        // A pause for all would show each time; the machine's other work may hold the sender up at one or another.
        let shares = (record.reconnects.events ?? []).compactMap(\.othersShare)
        #expect(others.medianShare >= 0.9, "\(shares)")
        #expect(shares.count { $0 < 0.9 } <= shares.count / 4, "\(shares)")
        #expect(record.connections.count == 16)
        #expect(record.connections.reduce(0) { $0 + $1.written } == record.written)
        #expect(record.connections.reduce(0) { $0 + $1.openings } == 16 + record.reconnects.count)
    }

    @Test func `C64 descriptors that run out half-way are a local limit, and with new ones the run goes on`()
        async throws
    {
        let (record, _) = try await Self.run(
            """
            { target: { simulator: { faults: [{ fault: "kill", rate: "4/s", mode: "fin" }] } },
              workload: { notifications: 4_000 }, load: { loop: "open", rate: "1k/s" },
              sender: { connections: 8, unproven: { policy: "resend", limit: 100 },
                        reconnect: { base: "20ms", cap: "50ms" } } }
            """,
            meanwhile: "prlimit --nofile=10: --pid $$; sleep 1.5; prlimit --nofile=4096: --pid $$")
        #expect(record.ledger.accepted == 4_000)
        #expect(record.reconnects.failedAttempts["localLimit"] ?? 0 > 0, "\(record.reconnects.failedAttempts)")
        #expect(record.reconnects.failedAttempts.keys.allSatisfy { !$0.hasPrefix("refused") })
    }

    // Both for the minute that the cases ask for, at a load that leaves other tests alone.
    @Test func `C43 and C48 for a minute no stream leaks, and one provider token does for eight connections`()
        async throws
    {
        async let leaking = Self.run(
            """
            { protocol: "http2", workload: { notifications: 58_000, devices: 58_000 },
              sender: { connections: 1, streams: 1_000, unproven: { policy: "report" }, http2: { requestTimeout: "1500ms" } },
              target: { simulator: { loops: 1, faults: [
                { fault: "responseDelay", delay: "980ms" }, { fault: "resetStream", code: "cancel", every: 100 },
                { fault: "unanswered", every: 97 } ] } },
              thresholds: ["lost >= 0", "unknown >= 0"] }
            """)
        async let signing = Self.run(
            """
            { protocol: "http2", workload: { devices: 100_000 }, sender: { connections: 8 },
              load: { loop: "open", rate: "200/s" }, phases: { measure: "60s" },
              target: { simulator: { loops: 1, http2: { tokenUpdateScope: "fleet" } } } }
            """)
        let (record, _) = try await leaking
        #expect(record.durationNs > 55_000_000_000)
        let http2 = try #require(record.simulatorLedger?.http2)
        #expect(
            http2.maxOpenStreams == 1_000 && http2.refusedStreams == 0, "a leak here or there would have one too many")
        let whole = record.intervals.dropFirst(3).dropLast(3)
        #expect(whole.allSatisfy { $0.inFlight <= 1_000 }, "\(whole.map(\.inFlight))")
        // A look may fall between many answers and the next requests, but not always.
        #expect(whole.count { $0.inFlight > 900 } >= whole.count * 9 / 10, "\(whole.map(\.inFlight))")
        #expect(record.intervals.last?.inFlight == 0)
        #expect(http2.cancelledStreams == http2.unanswered)
        let signed = try await signing.record
        #expect(signed.errors.isEmpty && signed.ledger.accepted == signed.ledger.generated)
        #expect(signed.ledger.accepted >= 11_900 && signed.connections.count == 8)
    }
}
