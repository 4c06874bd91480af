import Histograms
import Primitives
import ProviderSessions
import RunRecords
import Transport

/// Watches a run from outside: makes the one-second intervals out of the loops' sums, and knows whether anything moves.
struct RunMonitor {
    private(set) var intervals: [IntervalRecord] = []
    private(set) var openConnections = 0
    /// Whether any connection stood at any time.
    private(set) var hasConnected = false
    /// Notifications written, those written again among them.
    var written: UInt64 { present.written }
    private(set) var lastProgress = Instant.zero
    /// Whether the simulator has accepted something since the loops' sums were taken before.
    private(set) var gatewayMoved = false
    /// When the target was last seen to be there: a connection lasted, or something was proved.
    private(set) var lastContact = Instant.zero

    private let sessionCount: Int
    private var connectedSessions = 0
    private var finishedSessions = 0
    private var settled: UInt64 = 0
    private var firstWrites: UInt64 = 0
    private var certificateRefusals: UInt64 = 0
    private var protocolRefusals: UInt64 = 0
    private(set) var connectionFailures: UInt64 = 0
    /// Whether the target lets requests come to nothing that it has the connections for.
    private(set) var isUnanswered = false
    private var intervalStart = Instant.zero
    private var present = Sums()
    private var atIntervalStart = Sums()
    /// The series of the present interval, as far as they were taken.
    private var series: [RunPhase: [Series: Histogram]] = [:]
    private let keepsHistograms: Bool
    /// The measured part's series so far; kept only where they are told.
    private var measured: [Series: Histogram] = [:]
    private let tellsLatencies: Bool
    /// Errors by name, and the newest interval's latencies; as of its end.
    private var errors: [ErrorCountRecord] = []
    private var latest: [RunProgress.LatencyGlance] = []
    /// Whether answers tell what was accepted, where no simulator does.
    private let countsAnswers: Bool
    private static let intervalLength = Interval.seconds(1)

    private struct Sums {
        var written: UInt64 = 0
        var resent: UInt64 = 0
        var bytes: UInt64 = 0
        var proved: UInt64 = 0
        var rejected: UInt64 = 0
        var reconnects: UInt64 = 0
        var unsettled: UInt64 = 0
        var senderCPU: Int64 = 0
        var senderRunQueue: Int64? = 0
        var accepted: Int64?
        /// What the simulator has accepted, each time counted.
        var gatewayAccepted: Int64?
        var simulatorCPU: Int64?
        var simulatorRunQueue: Int64?
        var simulatorHoldings: ProcessHoldings?
        var streamLimits: ClosedRange<Int>?
    }

    /// Watches a run of so many sessions; where histograms are kept, each interval's record has them, and where latencies are told,
    /// progress has those of the run so far.
    init(sessionCount: Int, keepsHistograms: Bool, tellsLatencies: Bool = false, countsAnswers: Bool) {
        self.sessionCount = sessionCount
        self.keepsHistograms = keepsHistograms
        self.tellsLatencies = tellsLatencies
        self.countsAnswers = countsAnswers
    }

    /// Whether every session had a connection, if only for a moment.
    var haveAllConnected: Bool { connectedSessions == sessionCount }

    /// Whether every session has ended.
    var isFinished: Bool { finishedSessions == sessionCount }

    /// Why the run ends if nothing but refusals of certificates, or of the protocol, ever came of connecting; nil if it goes on.
    ///
    /// Some attempts beyond the first tell that a load balancer has no better server behind it.
    var turnedAway: RunAbort? {
        guard openConnections == 0, settled == 0 else { return nil }
        let enough = UInt64(max(3, sessionCount))
        if certificateRefusals >= enough { return .certificateRefused }
        return protocolRefusals >= enough ? .protocolRefused : nil
    }

    /// The load begins.
    mutating func begin(at start: Instant) {
        intervalStart = start
        lastProgress = start
        lastContact = start
    }

    /// Whether the present interval is at its end, and what is wanted of it then.
    func ending(at now: Instant) -> IntervalEnding {
        intervalStart > .zero && now - intervalStart >= Self.intervalLength ? finalEnding : .none
    }

    /// What is wanted of the last interval, whenever it ends.
    var finalEnding: IntervalEnding { keepsHistograms || tellsLatencies ? .histograms : .figures }

    /// Takes the loops' sums at `now`; true when an interval ended.
    mutating func take(
        _ snapshots: [LoopRecorder.Snapshot], at now: Instant, endsInterval: Bool, progress: SimulatorProgress?
    ) -> Bool {
        guard !snapshots.isEmpty else { return false }
        var sums = Sums()
        var open = 0
        var lasting = 0
        var finished = 0
        var refusals: UInt64 = 0
        var protocolRefusalsNow: UInt64 = 0
        var settledNow: UInt64 = 0
        for snapshot in snapshots {
            sums.written += snapshot.written
            sums.resent += snapshot.resent
            sums.bytes += snapshot.writtenBytes
            sums.proved += snapshot.accepted
            sums.rejected += snapshot.rejected
            sums.reconnects += snapshot.reconnects
            sums.unsettled += snapshot.unsettled
            sums.senderCPU += snapshot.use.processorTime.nanoseconds
            if let limits = snapshot.streamLimits {
                let known = sums.streamLimits ?? limits
                sums.streamLimits =
                    min(known.lowerBound, limits.lowerBound)...max(known.upperBound, limits.upperBound)
            }
            sums.senderRunQueue = snapshot.use.runQueueTime.flatMap { time in
                sums.senderRunQueue.map { $0 + time.nanoseconds }
            }
            open += snapshot.openConnections
            if snapshot.connections > 0 { hasConnected = true }
            lasting += snapshot.lastingConnections
            refusals += snapshot.certificateRefusals
            protocolRefusalsNow += snapshot.protocolRefusals
            finished += snapshot.finishedSessions
            settledNow += snapshot.settled
            add(snapshot.interval)
        }
        sums.accepted = progress?.accepted ?? (countsAnswers ? Int64(sums.proved) : nil)
        sums.gatewayAccepted = progress.map { $0.accepted + $0.duplicates }
        sums.simulatorCPU = progress?.cpuNs
        sums.simulatorRunQueue = progress?.runQueueNs
        sums.simulatorHoldings = progress?.holdings
        gatewayMoved = sums.gatewayAccepted != present.gatewayAccepted
        isUnanswered = snapshots.contains { $0.unansweredSessions > 0 }
        // What a gateway accepts and does not answer is sent again, and so neither progress nor contact.
        let hasAccepted = gatewayMoved && !isUnanswered
        // Writing the same again and again is none: a gateway may refuse it for ever.
        let firstWrites = sums.written - sums.resent
        if firstWrites != self.firstWrites || settledNow != settled || hasAccepted { lastProgress = now }
        self.firstWrites = firstWrites
        // A gateway that ends each connection soon after the handshake is not there; one that rejects or accepts is.
        let hasAnswered = sums.rejected != present.rejected || hasAccepted
        if lasting > 0 || finished > 0 || hasAnswered { lastContact = now }
        settled = settledNow
        openConnections = open
        connectedSessions = snapshots.reduce(0) { $0 + $1.connectedSessions }
        certificateRefusals = refusals
        protocolRefusals = protocolRefusalsNow
        connectionFailures = snapshots.reduce(0) { $0 + $1.connectionFailures }
        finishedSessions = finished
        present = sums
        if endsInterval {
            errors = Self.sum(snapshots.flatMap(\.errors))
            closeInterval(at: now)
        }
        return endsInterval
    }

    /// Tells what is known of the run by now.
    func tell(_ progress: inout RunProgress) {
        progress.intervals = intervals
        progress.written = present.written
        progress.resent = present.resent
        progress.bytes = present.bytes
        progress.accepted = present.accepted ?? (present.proved > 0 ? Int64(present.proved) : nil)
        progress.rejected = present.rejected
        progress.reconnects = present.reconnects
        progress.inFlight = present.unsettled
        progress.openConnections = openConnections
        progress.connections = sessionCount
        progress.connectionFailures = connectionFailures
        progress.errors = errors
        progress.latest = latest
        guard progress.endsInterval else { return }
        for (name, histogram) in measured { progress.latencies[name.name] = histogram.snapshot() }
    }

    private static func sum(_ errors: [ErrorCountRecord]) -> [ErrorCountRecord] {
        var sums: [ErrorCountRecord] = []
        for error in errors {
            if let index = sums.firstIndex(where: { $0.status == error.status && $0.name == error.name }) {
                sums[index].count += error.count
            } else {
                sums.append(error)
            }
        }
        return sums
    }

    /// All intervals, the last one cut at `end`.
    mutating func closedIntervals(at end: Instant) -> [IntervalRecord] {
        if end > intervalStart { closeInterval(at: end) }
        return intervals
    }

    private mutating func closeInterval(at now: Instant) {
        var record = IntervalRecord()
        let before = atIntervalStart
        record.startNs = intervals.last.map { $0.startNs + $0.lengthNs } ?? 0
        record.lengthNs = (now - intervalStart).nanoseconds
        record.written = Int64(present.written - before.written)
        record.resent = Int64(present.resent - before.resent)
        record.streamLimitLow = present.streamLimits.map { Int64($0.lowerBound) }
        record.streamLimitHigh = present.streamLimits.map { Int64($0.upperBound) }
        record.bytes = Int64(present.bytes - before.bytes)
        record.rejected = Int64(present.rejected - before.rejected)
        record.reconnects = Int64(present.reconnects - before.reconnects)
        record.inFlight = Int64(present.unsettled)
        record.senderCPUNs = present.senderCPU - before.senderCPU
        record.accepted = present.accepted.map { $0 - (before.accepted ?? 0) }
        record.simulatorCPUNs = present.simulatorCPU.map { $0 - (before.simulatorCPU ?? 0) }
        let holdings = ProcessUsage.holdings
        record.senderRSSBytes = holdings.residentBytes
        record.senderDescriptors = holdings.descriptors
        record.simulatorRSSBytes = present.simulatorHoldings?.residentBytes
        record.simulatorDescriptors = present.simulatorHoldings?.descriptors
        record.senderRunQueueNs = present.senderRunQueue.flatMap { now in before.senderRunQueue.map { now - $0 } }
        record.simulatorRunQueueNs = present.simulatorRunQueue.map { $0 - (before.simulatorRunQueue ?? 0) }
        tellSeries(in: &record)
        intervals.append(record)
        series = [:]
        intervalStart = now
        atIntervalStart = present
    }

    private mutating func add(_ parts: SeriesSnapshots) {
        for (phase, names) in parts {
            for (name, part) in names {
                let sum = series[phase]?[name] ?? Histogram()
                sum.addOrStop(part)
                series[phase, default: [:]][name] = sum
            }
        }
    }

    private mutating func tellSeries(in record: inout IntervalRecord) {
        let residence = inAllPhases(.residence)
        if let quantiles = residence.values(atQuantiles: [0.5, 0.99]) {
            record.residenceP50Ns = quantiles[0]
            record.residenceP99Ns = quantiles[1]
            record.residenceMaxNs = residence.totals.maximum
        }
        let lag = inAllPhases(.timerLag)
        record.timerLagP99Ns = lag.value(atQuantile: 0.99)
        record.timerLagMaxNs = lag.totals.maximum
        latest = [Series.response, .service, .errorReply, .residence].compactMap(glance)
        if tellsLatencies {
            for (name, part) in series[.measure] ?? [:] {
                let sum = measured[name] ?? Histogram()
                sum.addOrStop(part.snapshot())
                measured[name] = sum
            }
        }
        guard keepsHistograms else { return }
        record.histograms = [:]
        record.add(series.mapValues { $0.mapValues { $0.snapshot() } })
    }

    private func glance(at name: Series) -> RunProgress.LatencyGlance? {
        let histogram = inAllPhases(name)
        guard let quantiles = histogram.values(atQuantiles: [0.5, 0.99]) else { return nil }
        return RunProgress.LatencyGlance(
            series: name.name, count: histogram.count, p50Ns: quantiles[0], p99Ns: quantiles[1])
    }

    private func inAllPhases(_ name: Series) -> Histogram {
        let sum = Histogram()
        for names in series.values {
            if let part = names[name] { sum.addOrStop(part.snapshot()) }
        }
        return sum
    }
}

extension IntervalRecord {
    /// Keeps the histograms of some series.
    mutating func add(_ parts: SeriesSnapshots) {
        for (phase, names) in parts {
            for (name, part) in names {
                let sum = Histogram(part)
                if let text = histograms?[name.tag(in: phase)], let other = try? Histogram(base64: text) {
                    sum.addOrStop(other.snapshot())
                }
                histograms?[name.tag(in: phase)] = sum.base64()
            }
        }
    }
}
