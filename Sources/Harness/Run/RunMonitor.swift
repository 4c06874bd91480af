import Histograms
import Primitives
import ProviderSessions
import RunRecords

/// Watches a run from outside: makes the one-second intervals out of the loops' sums, and knows whether anything moves.
struct RunMonitor {
    private(set) var intervals: [IntervalRecord] = []
    private(set) var openConnections = 0
    /// Whether any connection stood at any time.
    private(set) var hasConnected = false
    private(set) var written: UInt64 = 0
    private(set) var lastProgress = Instant.zero
    /// Whether the simulator has accepted something since the loops' sums were taken before.
    private(set) var gatewayMoved = false
    /// When the target was last seen to be there: a connection lasted, or something was proved.
    private(set) var lastContact = Instant.zero

    private let sessionCount: Int
    private var finishedSessions = 0
    private var settled: UInt64 = 0
    private var certificateRefusals: UInt64 = 0
    private var protocolRefusals: UInt64 = 0
    private(set) var connectionFailures: UInt64 = 0
    private var intervalStart = Instant.zero
    private var present = Sums()
    private var atIntervalStart = Sums()
    private var residence: [HistogramSnapshot] = []
    private static let intervalLength = Interval.seconds(1)

    private struct Sums {
        var written: UInt64 = 0
        var resent: UInt64 = 0
        var bytes: UInt64 = 0
        var rejected: UInt64 = 0
        var reconnects: UInt64 = 0
        var unsettled: UInt64 = 0
        var senderCPU: Int64 = 0
        var accepted: Int64?
        var simulatorCPU: Int64?
        var simulatorHoldings: ProcessHoldings?
        var streamLimits: ClosedRange<Int>?
    }

    init(sessionCount: Int) { self.sessionCount = sessionCount }

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

    /// Whether the present interval is at its end.
    func isIntervalOver(at now: Instant) -> Bool {
        intervalStart > .zero && now - intervalStart >= Self.intervalLength
    }

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
            sums.rejected += snapshot.rejected
            sums.reconnects += snapshot.reconnects
            sums.unsettled += snapshot.unsettled
            sums.senderCPU += snapshot.processorTime.nanoseconds
            if let limits = snapshot.streamLimits {
                let known = sums.streamLimits ?? limits
                sums.streamLimits =
                    min(known.lowerBound, limits.lowerBound)...max(known.upperBound, limits.upperBound)
            }
            open += snapshot.openConnections
            if snapshot.connections > 0 { hasConnected = true }
            lasting += snapshot.lastingConnections
            refusals += snapshot.certificateRefusals
            protocolRefusalsNow += snapshot.protocolRefusals
            finished += snapshot.finishedSessions
            settledNow += snapshot.settled
            if let part = snapshot.residence { residence.append(part) }
        }
        sums.accepted = progress?.accepted
        sums.simulatorCPU = progress?.cpuNs
        sums.simulatorHoldings = progress?.holdings
        gatewayMoved = sums.accepted != present.accepted
        if sums.written != written || settledNow != settled || gatewayMoved { lastProgress = now }
        // A gateway that ends each connection soon after the handshake is not there; one that rejects or accepts is.
        let hasAnswered = sums.rejected != present.rejected || gatewayMoved
        if lasting > 0 || finished > 0 || hasAnswered { lastContact = now }
        written = sums.written
        settled = settledNow
        openConnections = open
        certificateRefusals = refusals
        protocolRefusals = protocolRefusalsNow
        connectionFailures = snapshots.reduce(0) { $0 + $1.connectionFailures }
        finishedSessions = finished
        present = sums
        if endsInterval { closeInterval(at: now) }
        return endsInterval
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
        let sum = Histogram(.runTotals)
        for part in residence { try? sum.add(part) }
        if let quantiles = sum.values(atQuantiles: [0.5, 0.99]) {
            record.residenceP50Ns = quantiles[0]
            record.residenceP99Ns = quantiles[1]
            record.residenceMaxNs = sum.totals.maximum
        }
        intervals.append(record)
        residence = []
        intervalStart = now
        atIntervalStart = present
    }
}
