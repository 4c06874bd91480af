import Harness
import Primitives
import RunRecords
import Testing

extension EndToEndTests {
    /// C50: windows of a connection, round trips and bodies of every combination, over real TLS.
    @Suite struct FlowControlTests {
        /// A window in bytes, a round trip in milliseconds, and the bytes of a payload.
        struct Cell: Sendable, CustomTestStringConvertible {
            var window: Int
            var roundTrip: Int
            var payload: Int

            var testDescription: String { "\(window) bytes, \(roundTrip) ms, payloads of \(payload)" }
            /// The most requests that the window lets be on their way, or as many as there are streams.
            var inFlight: Int { min(window / payload, 1_024) }
            /// Whether the window holds before the streams do.
            var isWindowBound: Bool { window / payload < 1_024 }
            /// Enough for some round trips at full width.
            var notifications: Int { roundTrip == 0 ? (payload > 1_000 ? 2_000 : 6_000) : min(8 * inFlight, 6_000) }

            static let all = [65_536, 1_048_576, 16_777_216].flatMap { window in
                [0, 50, 150].flatMap { roundTrip in
                    [100, 4_096].map { Cell(window: window, roundTrip: roundTrip, payload: $0) }
                }
            }
        }

        // Those far away wait most of the time, and go side by side.
        @Test
        func `C50 no cell exceeds its window, and a window divided by the round trip is the most that it carries`()
            async throws
        {
            for payload in [100, 4_096] {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for cell in Cell.all where cell.roundTrip > 0 && cell.payload == payload {
                        group.addTask { try await Self.expectLimit(of: cell) }
                    }
                    try await group.waitForAll()
                }
            }
        }

        @Test(arguments: Cell.all.filter { $0.roundTrip == 0 })
        func `C50 nothing stands still with 1,024 streams and any window`(cell: Cell) async throws {
            try await Self.expectLimit(of: cell)
        }

        private static func expectLimit(of cell: Cell) async throws {
            let run = try Run(
                """
                { protocol: "http2",
                  workload: { notifications: \(cell.notifications), payload: { bytes: \(cell.payload) } },
                  sender: { connections: 1, streams: 1_024 },
                  target: { simulator: { loops: 1, roundTrip: "\(cell.roundTrip)ms",
                                         http2: { maxStreams: 1_024, connectionWindow: \(cell.window) } } } }
                """)
            let record = try await run.record()
            #expect(record.ledger.accepted == Int64(cell.notifications) && record.ledger.duplicates == 0, "\(cell)")
            // The simulator ends a connection that sends more than its window has room for.
            #expect(record.simulatorLedger?.http2?.violations == 0, "\(cell)")
            // Without a way to go, either side's processor or the window is what there is.
            guard cell.roundTrip > 0 else {
                #expect(record.limit?.kind != .streams, "\(cell)")
                return
            }
            let limit = try #require(record.limit?.kind, "\(cell)")
            let rate = try #require(record.throughput.acceptedPerSecond)
            // An update for half of a window comes back after one round trip, so at most a window and a half are under way in one.
            let most = Double(cell.window) / (Double(cell.roundTrip) / 1_000) * 1.5
            #expect(rate * Double(cell.payload) <= most, "\(cell): \(rate)/s, \(most) B/s")
            guard cell.isWindowBound else {
                // Streams, as far as starting, ending and a busy machine leave them filled.
                #expect(limit != .window, "\(cell): \(record.limit?.evidence ?? "")")
                return
            }
            // Where much is to be done a busy machine may be what holds, and other programs may have the processors in any cell.
            let busy: [LimitRecord.Kind] = cell.window > 65_536 ? [.generator, .simulator] : []
            #expect(([.window, .processor] + busy).contains(limit), "\(cell): \(record.limit?.evidence ?? "")")
        }
    }
}
