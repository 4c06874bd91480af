public import Histograms
public import Primitives

/// A run while it goes on, as its harness sees it: what live views show, and what a draft of its record is made of.
public struct RunProgress: Sendable {
    /// Where a run is.
    public enum Phase: String, Sendable, CaseIterable, Codable {
        /// Connections are opened; nothing is sent.
        case connecting
        /// Sending at full load that counts for nothing.
        case warmup
        /// What rates and latencies are about.
        case measuring
        /// Nothing new is offered; what is under way is waited for.
        case draining
        /// It is over, and the counts of its last interval are complete.
        case ended
    }

    /// Two figures of one latency series in the newest interval, in nanoseconds.
    public struct LatencyGlance: Equatable, Sendable, Codable {
        /// The series' name.
        public var series: String
        /// How many values there were.
        public var count: Int64
        /// What half of them did not exceed.
        public var p50Ns: Int64
        /// What 99 of 100 did not exceed.
        public var p99Ns: Int64

        /// Names figures.
        public init(series: String, count: Int64, p50Ns: Int64, p99Ns: Int64) {
            self.series = series
            self.count = count
            self.p50Ns = p50Ns
            self.p99Ns = p99Ns
        }
    }

    /// Where the run is.
    public var phase = Phase.connecting
    /// The time since the first notification was due; while connecting, since the first attempt.
    public var elapsed = Interval.zero
    /// The time until the offer ends; nil where a number of notifications ends it.
    public var timeLeft: Interval?
    /// The intervals so far, the newest last.
    public var intervals: [IntervalRecord] = []
    /// Whether the newest interval has just ended: once a second, and at the end.
    public var endsInterval = false
    /// Notifications written so far, those written again among them.
    public var written: UInt64 = 0
    /// Notifications written again so far.
    public var resent: UInt64 = 0
    /// Plain bytes written so far.
    public var bytes: UInt64 = 0
    /// Notifications accepted so far: by the simulator's last message, or else proved; nil where nobody tells yet.
    public var accepted: Int64?
    /// Notifications rejected so far.
    public var rejected: UInt64 = 0
    /// Connections replaced so far.
    public var reconnects: UInt64 = 0
    /// Notifications written and not yet proved.
    public var inFlight: UInt64 = 0
    /// Notifications of the whole run; nil when time ends it.
    public var planned: UInt64?
    /// How many were due in a second, in the newest interval of an open loop; nil in a closed one, which offers what it sends.
    public var offeredPerSecond: Double?
    /// Connections that stand.
    public var openConnections = 0
    /// Connections that shall stand.
    public var connections = 0
    /// Attempts that failed and connections that ended without a reply that explains it, so far.
    public var connectionFailures: UInt64 = 0
    /// Errors by name up to the newest interval's end.
    public var errors: [ErrorCountRecord] = []
    /// Latencies of the newest interval, those that there are.
    public var latest: [LatencyGlance] = []
    /// The latency series of the measured part so far, by name; empty unless they were asked for.
    public var latencies: [String: HistogramSnapshot] = [:]

    /// Makes the state of a run that has just begun to connect.
    public init() {}
}

extension RunRecord {
    /// Tells a draft of a record what has come of its run so far, so that a killed run leaves a valid file.
    ///
    /// Until the end nothing is proved: what was written is unknown, the rest unsent.
    public mutating func tell(_ progress: RunProgress) {
        intervals = progress.intervals
        durationNs = progress.elapsed.nanoseconds
        let rejected = intervals.reduce(0) { $0 + $1.rejected }
        let resent = intervals.reduce(0) { $0 + $1.resent }
        let written = intervals.reduce(0) { $0 + $1.written } - resent
        ledger.generated = max(Int64(progress.planned ?? UInt64(written)), written)
        ledger.rejected = rejected
        ledger.unknown = written - rejected
        ledger.unsent = ledger.generated - written
        ledger.resent = resent
    }
}
