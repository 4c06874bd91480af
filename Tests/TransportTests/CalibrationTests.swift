import Glibc
import Primitives
import Testing
import Transport

@Suite(.timeLimit(.minutes(3))) struct CalibrationTests {
    private let bound = PipeBound(bytesPerConnection: 1_000_003, duration: .seconds(30))

    @Test func `the raw pipe carries exactly the bytes asked for`() throws {
        let rate = try RawTLSPipe.measure(connectionCount: 3, bound: bound)
        #expect(rate.byteCount == 3 * 1_000_003)
        #expect(rate.bytesPerSecond > 0)
        #expect(rate.senderProcessorTime > .zero && rate.receiverProcessorTime > .zero)
    }

    /// With more threads than processors the last one starts long after the first: the time must run from the first.
    @Test func `the raw pipe over many connections claims no more than the processors can give`() throws {
        let rate = try RawTLSPipe.measure(connectionCount: 64, bound: bound)
        let used = (rate.senderProcessorTime + rate.receiverProcessorTime).nanoseconds
        let given = rate.duration.nanoseconds * Int64(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        #expect(Double(used) <= 1.05 * Double(given))
    }

    @Test func `the link pump carries exactly the bytes asked for`() async throws {
        let rate = try await LinkPump.measure(connectionCount: 3, bound: bound)
        #expect(rate.byteCount == 3 * 1_000_003)
        #expect(rate.bytesPerSecond > 0)
        #expect(rate.senderProcessorTime > .zero && rate.receiverProcessorTime > .zero)
    }

    @Test func `the handshake probe counts full and resumed handshakes`() async throws {
        let full = try await HandshakeProbe.measure(connectionCount: 12, inFlight: 4, resuming: false)
        #expect(full.fullCount == 12 && full.resumedCount == 0 && full.failedCount == 0)
        let resumed = try await HandshakeProbe.measure(connectionCount: 12, inFlight: 4, resuming: true)
        #expect(resumed.fullCount == 4 && resumed.resumedCount == 8 && resumed.failedCount == 0)
        #expect(resumed.perSecond > 0 && resumed.clientProcessorTime > .zero && resumed.serverProcessorTime > .zero)
    }
}
