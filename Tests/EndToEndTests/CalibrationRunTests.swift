import Harness
import RunRecords
import Testing

@Suite(.timeLimit(.minutes(1))) struct CalibrationRunTests {
    @Test func `a calibration measures every limit`() async throws {
        let record = try await Calibration.run(connections: 2, seconds: 0.15, handshakes: 24)
        #expect(record.pipeConnections == 2 && record.pipeBytesPerSecond > 0)
        #expect((record.pipeSenderNsPerRecord ?? 0) > 0 && (record.pipeReceiverNsPerRecord ?? 0) > 0)
        #expect((record.fullHandshakesPerSecond ?? 0) > 0 && (record.resumedHandshakesPerSecond ?? 0) > 0)
        #expect((record.fullHandshakeClientNs ?? 0) > (record.resumedHandshakeClientNs ?? .max))
        #expect((record.clockReadNs ?? 0) > 0)
        let lags = try #require(record.timerLagP50Ns)
        #expect(
            lags >= 0 && lags <= record.timerLagP99Ns ?? -1 && record.timerLagP99Ns ?? 0 <= record.timerLagMaxNs ?? -1)
        #expect(record.measuredAt.hasSuffix("Z") && record.measuredAt.count == 20)
    }

    @Test func `handshakes can be left out`() async throws {
        let record = try await Calibration.run(connections: 1, seconds: 0.03, handshakes: 0)
        #expect(record.fullHandshakesPerSecond == nil && record.resumedHandshakesPerSecond == nil)
    }

    @Test func `a calibration without connections is refused`() async {
        await #expect(throws: HarnessError.self) { try await Calibration.run(connections: 0) }
    }
}
