import Glibc
import Primitives
public import RunRecords
import Transport

/// Measures this machine's own limits, to set a result beside: what TLS alone can do here, and how late its timers are.
public enum Calibration {
    /// Measures the raw TLS pipe, handshakes, the clock and timers, one after the other.
    ///
    /// Takes about `seconds` and the time of the handshakes. Blocks its thread while the pipe runs, so it is for a program
    /// that does nothing else meanwhile.
    ///
    /// - Parameters:
    ///   - connections: connections of the pipe, at least 1; compare with a run of as many.
    ///   - seconds: the time for the pipe, in three parts of which the middle one counts.
    ///   - handshakes: connections made for each kind of handshake; 0 leaves handshakes out.
    ///   - program: the program that is started as a simulator which accepts all, for as long as the pipe; nil leaves that out.
    /// - Returns: the figures; those of handshakes are nil when they were left out.
    /// - Throws: ``HarnessError/localLimit(_:)`` when descriptors, ports or memory are short.
    public static func run(
        connections: Int = 4, seconds: Double = 3, handshakes: Int = 1_000, program: String? = nil
    ) async throws(HarnessError) -> CalibrationRecord {
        guard connections > 0, seconds > 0, handshakes >= 0 else {
            throw .invalidInput("a calibration needs at least one connection and some time")
        }
        var record = CalibrationRecord()
        record.measuredAt = Machine.utcText()
        record.clockReadNs = clockReadCost()
        do throws(TransportError) {
            try measurePipe(connections, length: seconds / Double(pipeRounds), into: &record)
            if handshakes > 0 { try await measureHandshakes(handshakes, into: &record) }
            try await measureTimers(into: &record)
        } catch {
            throw .localLimit("cannot calibrate: \(error)")
        }
        if let program {
            let binary = try await acceptAllCost(.enhanced, program, seconds: seconds)
            (record.acceptAllNs, record.acceptAllBytes) = (binary.nanoseconds, binary.bytes)
            let requests = try await acceptAllCost(.http2, program, seconds: seconds)
            (record.acceptAllHTTP2Ns, record.acceptAllHTTP2Bytes) = (requests.nanoseconds, requests.bytes)
        }
        return record
    }

    // MARK: - Parts

    private static let pipeRounds = 3
    private static let timerCount = 300

    private static func measurePipe(
        _ connections: Int, length: Double, into record: inout CalibrationRecord
    ) throws(TransportError) {
        var rates: [PipeRate] = []
        let bound = PipeBound(duration: Interval(nanoseconds: Int64(length * 1e9)))
        for _ in 0..<pipeRounds {
            rates.append(try RawTLSPipe.measure(connectionCount: connections, bound: bound))
        }
        rates.sort { $0.bytesPerSecond < $1.bytesPerSecond }
        let middle = rates[rates.count / 2]
        let records = max(1, Int64(middle.byteCount / RawTLSPipe.recordBytes))
        record.pipeConnections = connections
        record.pipeBytesPerSecond = Int64(middle.bytesPerSecond)
        record.pipeSenderNsPerRecord = middle.senderProcessorTime.nanoseconds / records
        record.pipeReceiverNsPerRecord = middle.receiverProcessorTime.nanoseconds / records
    }

    /// A run against a simulator that looks at nothing: what its event loops use for a notification is the least that they can.
    ///
    /// - Returns: the processor time for a notification, and its bytes.
    private static func acceptAllCost(
        _ name: ProtocolName, _ program: String, seconds: Double
    ) async throws(HarnessError) -> (nanoseconds: Double, bytes: Double) {
        var profile = Profile()
        profile.protocolName = name
        var simulator = SimulatorSettings()
        if name == .http2 { simulator.http2.acceptAll = true } else { simulator.judge.acceptAll = true }
        profile.target = .simulator(simulator)
        profile.workload.notifications = Profile.notificationLimit
        profile.phases.measure = Interval(nanoseconds: Int64(seconds / Double(pipeRounds) * 1e9))
        let options = RunOptions(program: program, profileJSON: profile.effectiveJSON.canonicalText)
        let run = try await RunEngine(profile: profile, options: options).run()
        guard let loops = run.resources.simulator?.loops, let ledger = run.simulatorLedger, ledger.accepted > 0 else {
            throw .localLimit("cannot calibrate: the simulator accepted nothing")
        }
        let handshakes = run.reconnects.simulatorHandshakes?.cpuNs ?? 0
        let cost = loops.reduce(0) { $0 + $1.cpuNs } - handshakes
        return (
            Double(max(1, cost)) / Double(ledger.accepted), Double(ledger.bytesReceived) / Double(ledger.accepted)
        )
    }

    private static func measureHandshakes(
        _ count: Int, into record: inout CalibrationRecord
    ) async throws(TransportError) {
        let full = try await HandshakeProbe.measure(connectionCount: count, resuming: false)
        record.fullHandshakesPerSecond = full.figure
        record.fullHandshakeClientNs = full.processorTime(full.clientProcessorTime)
        record.fullHandshakeServerNs = full.processorTime(full.serverProcessorTime)
        let resumed = try await HandshakeProbe.measure(connectionCount: count, resuming: true)
        record.resumedHandshakesPerSecond = resumed.figure
        record.resumedHandshakeClientNs = resumed.processorTime(resumed.clientProcessorTime)
        record.resumedHandshakeServerNs = resumed.processorTime(resumed.serverProcessorTime)
    }

    private static func measureTimers(into record: inout CalibrationRecord) async throws(TransportError) {
        let loop = try EventLoop(label: "pushbench.calibrate.timer")
        let lags: [Int64] = await withCheckedContinuation { waiter in
            loop.enqueue { TimerProbe(core: $0, count: timerCount, waiter: waiter).next() }
        }.sorted()
        await loop.shutDownAndWait()
        record.timerLagP50Ns = lags[lags.count / 2]
        record.timerLagP99Ns = lags[lags.count * 99 / 100]
        record.timerLagMaxNs = lags.last
    }

    /// The mean over enough readings that the two around them do not count.
    private static func clockReadCost() -> Int64 {
        let count: Int64 = 100_000
        let start = MonotonicClock.now()
        var last = start
        for _ in 0..<count { last = MonotonicClock.now() }
        return (last - start).nanoseconds / count
    }
}

extension HandshakeRate {
    /// Connections per second; nil when none was made.
    fileprivate var figure: Int64? { fullCount + resumedCount > 0 ? Int64(perSecond) : nil }

    /// A side's processor time for one connection; nil when none was made.
    fileprivate func processorTime(_ sum: Interval) -> Int64? {
        let count = Int64(fullCount + resumedCount)
        return count > 0 ? sum.nanoseconds / count : nil
    }
}

/// Sets a timer a millisecond ahead, again and again, and notes how late it fires.
private final class TimerProbe {
    private static let distance = Interval.milliseconds(1)

    private let core: LoopCore
    private let count: Int
    private let waiter: CheckedContinuation<[Int64], Never>
    private var timer: LoopTimer?
    private var due = Instant.zero
    private var lags: [Int64] = []

    init(core: LoopCore, count: Int, waiter: CheckedContinuation<[Int64], Never>) {
        self.core = core
        self.count = count
        self.waiter = waiter
        // The timer's body owns the probe until the loop ends.
        timer = core.makeTimer { _ in self.fired() }
    }

    func next() {
        due = core.refreshNow() + Self.distance
        timer?.set(to: due)
    }

    private func fired() {
        lags.append((core.refreshNow() - due).nanoseconds)
        if lags.count < count { return next() }
        timer?.cancel()
        timer = nil
        waiter.resume(returning: lags)
    }
}
