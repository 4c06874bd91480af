import Harness
import RunRecords
import Testing

extension EndToEndTests {
    /// Slowdowns of known size, on either side; upper bounds only, since a busy machine is slower still.
    @Suite struct ExtraWorkTests {
        @Test(arguments: ["enhanced", "http2"], ["target: { simulator: { loops: 1, extraWork: '1ms' } }", ""])
        func `extra work of a millisecond leaves no more than a thousand a second`(
            interface: String, simulator: String
        ) async throws {
            let sender = simulator.isEmpty ? ", loops: 1, extraWork: '1ms'" : ""
            let record = try await Run(
                """
                { protocol: "\(interface)", workload: { notifications: 400, devices: 400 }, \(simulator.isEmpty ? "" : simulator + ",")
                  sender: { connections: 2\(sender) } }
                """
            ).record()
            #expect(record.ledger.accepted == 400)
            let rate = try #require(record.throughput.acceptedPerSecond)
            // The first batch is on its way before any work is done for it.
            #expect(rate > 0 && rate < 1_400, "\(rate)")
        }
    }
}
