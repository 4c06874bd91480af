import Histograms
import Primitives
import RunRecords

/// A record as a sound run of a hundred thousand notifications leaves it.
func sampleRecord() -> RunRecord {
    var record = RunRecord()
    record.tool.version = "0.1.0"
    record.machine.cpuModel = "Example CPU"
    record.machine.cores = 2
    record.profile = Profile().effectiveJSON
    record.profileHash = Profile().hash
    record.startedAt = "2026-01-02T03:04:05Z"
    record.durationNs = 1_500_000_000
    record.measuredNs = 1_250_000_000
    record.verdict = VerdictRecord(status: .passed, exitCode: 0)
    record.limit = LimitRecord(kind: .simulator, evidence: "busiest simulator loop 97 %")
    record.ledger.generated = 100_000
    record.ledger.accepted = 99_990
    record.ledger.rejected = 10
    record.ledger.resent = 1_234
    record.ledger.proof.sentinel = 99_990
    record.simulatorLedger = SimulatorLedgerRecord()
    record.simulatorLedger?.accepted = 99_990
    record.simulatorLedger?.rejected = 10
    record.ledgerDifference = 0
    record.throughput = ThroughputRecord(
        accepted: 99_990, written: 101_234, bytes: 15_000_000, over: .milliseconds(1_250))
    record.errors = [
        ErrorCountRecord(status: nil, name: "reset by peer", count: 2),
        ErrorCountRecord(status: 8, name: "invalid token", count: 10),
    ]
    record.reconnects.count = 10
    record.reconnects.resumed = 9
    record.reconnects.full = 1
    record.reconnects.resent = 1_234
    record.reconnects.senderHandshakes = sampleHandshakes(full: 700_000, resumed: 400_000)
    record.reconnects.simulatorHandshakes = sampleHandshakes(full: 350_000, resumed: 300_000)
    record.reconnects.firstAcceptanceBy = .simulator
    record.reconnects.throughputLost = ThroughputLostRecord(
        notifications: 4_200, standardError: 150, reconnects: 10, episodes: 8, medianPerSecond: 80_000,
        binNs: 1_048_576, quietNs: 1_000_000_000, touchedNs: 50_000_000)
    record.reconnects.events = [sampleReconnect()]
    record.reconnects.others = OthersThroughputRecord([0.99, 0.93, 1.02])
    record.reconnects.inFlightAtError.count = 10
    record.reconnects.inFlightAtError.p50 = 123
    record.reconnects.inFlightAtError.max = 400
    record.reconnects.failedAttempts = ["refused": 3]
    let histogram = Histogram()
    for value in Int64(1)...2_000 { histogram.record(value * 1_000) }
    record.latency["residence"] = LatencyRecord(histogram)
    let reconnects = Histogram()
    for value in Int64(1)...10 { reconnects.record(value * 1_000_000) }
    record.latency["reconnect"] = LatencyRecord(reconnects)
    record.intervals = [sampleInterval(), IntervalRecord()]
    record.resources.sender.cpuUserNs = 600_000_000
    record.resources.sender.cpuSystemNs = 150_000_000
    record.resources.sender.peakRSSBytes = 48 << 20
    record.resources.sender.allocations = 4_321
    record.resources.simulator = ProcessResourcesRecord()
    record.resources.simulator?.cpuUserNs = 1_400_000_000
    record.thresholds = [
        ThresholdRecord(text: "lost == 0", value: 0, passed: true),
        ThresholdRecord(text: "errorReply.p99 < 20ms", value: nil, passed: false),
    ]
    return record
}

private func sampleHandshakes(full: Int64, resumed: Int64) -> HandshakesRecord {
    var handshakes = HandshakesRecord()
    for _ in 0..<9 {
        handshakes.add(isResumed: false, processorTime: Interval(nanoseconds: full))
        handshakes.add(isResumed: true, processorTime: Interval(nanoseconds: resumed))
    }
    return handshakes
}

/// One reconnect whose cause would break a line of comma-separated values.
private func sampleReconnect() -> ReconnectEventRecord {
    var event = ReconnectEventRecord()
    event.atNs = 5
    event.connection = 3
    event.cause = "a \"b\", c"
    event.detectNs = 7
    event.waitNs = 1
    event.tcpNs = 2
    event.tlsNs = 3
    event.resumed = true
    event.writeNs = 4
    event.costNs = 10
    event.inFlight = 40
    event.resent = 30
    event.othersShare = 0.975
    return event
}

private func sampleInterval() -> IntervalRecord {
    var interval = IntervalRecord()
    interval.lengthNs = 1_000_000_000
    interval.written = 80_000
    interval.accepted = 79_000
    interval.rejected = 7
    interval.resent = 900
    interval.reconnects = 7
    interval.inFlight = 1_000
    interval.bytes = 11_600_000
    interval.senderCPUNs = 500_000_000
    interval.simulatorCPUNs = 900_000_000
    interval.senderRSSBytes = 30_000_000
    interval.senderDescriptors = 29
    interval.simulatorRSSBytes = 40_000_000
    interval.residenceP50Ns = 40_000
    interval.residenceP99Ns = 90_000
    interval.residenceMaxNs = 120_000
    return interval
}
