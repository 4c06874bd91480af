public import Primitives
public import RunRecords

/// The metrics of a run while it goes on, under the names that its record's will have, and those of the moment beside them.
public struct LiveMetrics: Sendable {
    private let draft: RunRecord
    private let warmup: Interval
    private var progress = RunProgress()

    /// Begins with the draft of a record: program, machine and profile.
    ///
    /// - Parameters:
    ///   - draft: what is known of the run.
    ///   - warmup: what rates leave out.
    public init(draft: RunRecord, warmup: Interval) {
        self.draft = draft
        self.warmup = warmup
    }

    /// Takes the newest state of the run.
    public mutating func take(_ newest: RunProgress) {
        let latencies = progress.latencies
        progress = newest
        // Between the ends of intervals nobody tells them.
        if !newest.endsInterval { progress.latencies = latencies }
    }

    /// A document of what was taken last.
    public func text(_ dialect: MetricDialect) -> String {
        dialect.document(RunMetrics(draft: record, latencies: progress.latencies).families + momentary)
    }

    /// A document of a run that has ended.
    public static func text(of record: RunRecord, _ dialect: MetricDialect) -> String {
        dialect.document(RunMetrics(RunSeriesRecord([record])).families)
    }

    // MARK: - The record so far

    private var record: RunRecord {
        var record = draft
        record.tell(progress)
        record.errors = progress.errors
        record.reconnects.count = Int64(clamping: progress.reconnects)
        tellFates(&record.ledger)
        let measured = progress.intervals.filter { $0.startNs >= warmup.nanoseconds }
        let accepted = measured.compactMap(\.accepted)
        record.measuredNs = measured.reduce(0) { $0 + $1.lengthNs }
        record.throughput = ThroughputRecord(
            accepted: accepted.count == measured.count ? accepted.reduce(0, +) : nil,
            written: measured.reduce(0) { $0 + $1.written }, bytes: measured.reduce(0) { $0 + $1.bytes },
            over: Interval(nanoseconds: record.measuredNs))
        record.resources.sender.cpuUserNs = progress.intervals.reduce(0) { $0 + $1.senderCPUNs }
        record.resources.sender.peakRSSBytes = progress.intervals.compactMap(\.senderRSSBytes).max() ?? 0
        if let memory = progress.intervals.compactMap(\.simulatorRSSBytes).max() {
            record.resources.simulator = ProcessResourcesRecord()
            record.resources.simulator?.cpuUserNs = progress.intervals.reduce(0) { $0 + ($1.simulatorCPUNs ?? 0) }
            record.resources.simulator?.peakRSSBytes = memory
        }
        return record
    }

    /// The fates by what is known now: what the gateway has not told of is unknown.
    private func tellFates(_ ledger: inout LedgerRecord) {
        let written = Int64(clamping: progress.written - min(progress.written, progress.resent))
        ledger.generated = max(progress.planned.map { Int64(clamping: $0) } ?? 0, written)
        ledger.rejected = min(Int64(clamping: progress.rejected), written)
        ledger.accepted = max(0, min(progress.accepted ?? 0, written - ledger.rejected))
        ledger.unknown = written - ledger.rejected - ledger.accepted
        ledger.unsent = ledger.generated - written
        ledger.resent = Int64(clamping: progress.resent)
    }

    // MARK: - The moment

    private var momentary: [MetricFamily] {
        let labels = RunMetrics.labels(draft)
        var phase = MetricFamily("pushbench_phase", "Where the run is.", .stateset)
        phase.add(states: RunProgress.Phase.allCases.map(\.rawValue), progress.phase.rawValue, labels)
        let figures: [(name: String, help: String, value: Double?)] = [
            ("in_flight_notifications", "Notifications written and not yet proved.", Double(progress.inFlight)),
            ("open_connections", "Connections that stand.", Double(progress.openConnections)),
            ("connections", "Connections that shall stand.", Double(progress.connections)),
            ("offered_per_second", "Notifications due in the last second of an open loop.", progress.offeredPerSecond),
        ]
        var families = [phase]
        for figure in figures {
            var family = MetricFamily("pushbench_\(figure.name)", figure.help)
            family.add(figure.value, labels)
            families.append(family)
        }
        var failures = MetricFamily(
            "pushbench_connection_failures", "Failed attempts, and ends of connections that nothing explains.", .counter
        )
        failures.add(Double(progress.connectionFailures), labels)
        var left = MetricFamily("pushbench_time_left", "The time until the offer ends.", unit: "seconds")
        left.add(progress.timeLeft?.seconds, labels)
        return families + [failures, left]
    }
}
