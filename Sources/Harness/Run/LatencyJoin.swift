import Histograms
import Primitives
import ProviderSessions
import Workload

/// Planned notifications that were never sent.
struct UnsentRun: Hashable, Sendable {
    var run: SequenceRun
    /// When they were given up.
    var until: Instant
}

/// Finds out for a sample of notifications when the gateway accepted them, and so the latencies that silence hides.
///
/// Sender and simulator pick the same notifications by their numbers, and read one monotonic clock. *Response* counts from when a
/// notification was meant to begin, *service* from its first write; neither ever holds values of the other. Against other gateways
/// the time of the proof is an upper bound, which goes into series of its own.
struct LatencyJoin {
    /// One series in one phase.
    final class Timed {
        let histogram = Histogram()
        /// Values that are only lower bounds, since nothing had been accepted when the run ended.
        var censored: Int64 = 0
    }

    /// What is known about the sampled notifications.
    struct Sources {
        var sent: SequenceSample
        /// When the gateway accepted; nil without a simulator.
        var accepted: SequenceSample?
        /// When a proof of acceptance came.
        var proved: SequenceSample
        /// The refused ones in order, whose latency is that of their error replies.
        var rejected: [SequenceRun]
        /// Planned ones that were never sent.
        var unsent: [UnsentRun]
        /// Nil in a closed loop.
        var schedule: ArrivalSchedule?
        /// When the schedule began.
        var start: Instant
        var end: Instant
        var bounds: PhaseBounds
        /// When the run's intervals began, where histograms of each are wanted; empty otherwise.
        var intervalStarts: [Instant] = []
    }

    /// A value with the instant at which it was complete.
    private struct Entry {
        var at: Instant
        var value: Int64
        var phase: RunPhase
        var name: Series
    }

    private(set) var series: [RunPhase: [Series: Timed]] = [:]
    /// Sampled notifications that were sent, and those of them that were refused or lack any proof, which have no latency here.
    private(set) var sentCount: Int64 = 0
    private(set) var untimedCount: Int64 = 0
    /// Sampled notifications that were due and never sent.
    private(set) var unsentCount: Int64 = 0
    /// One of two to this power was sampled.
    private(set) var shift = 0

    /// Whether it is about a sample, and not only about what was never sent.
    let isSampled: Bool
    private let start: Instant
    private let end: Instant
    private let bounds: PhaseBounds
    private let schedule: ArrivalSchedule?
    private var cursor = ArrivalCursor()
    private let intervalStarts: [Instant]
    /// What was complete before the last interval, and what was in it, where intervals are wanted.
    private var entries: [Entry] = []
    private var lastInterval = SeriesBook()

    /// Of so many notifications that were never sent, each is looked at.
    private static let unsentLimit: UInt64 = 100_000_000

    init(_ sources: Sources, isSampled: Bool = true) {
        self.isSampled = isSampled
        (start, end, bounds, schedule) = (sources.start, sources.end, sources.bounds, sources.schedule)
        intervalStarts = sources.intervalStarts
        var (sent, proved) = (sources.sent, sources.proved)
        shift = max(sent.shift, proved.shift, sources.accepted?.shift ?? 0)
        sent.thin(to: shift)
        proved.thin(to: shift)
        let accepted = sources.accepted.map { Self.firstTimes($0) }
        let proofs = Self.firstTimes(proved)
        for entry in sent.entries.sorted(by: { $0.sequence < $1.sequence }) {
            sentCount += 1
            if let accepted {
                take(
                    entry, acceptedAt: accepted[entry.sequence],
                    isRejected: Self.holds(sources.rejected, entry.sequence))
            } else {
                takeBound(entry, provedAt: proofs[entry.sequence])
            }
        }
        if accepted != nil { takeUnsent(sources.unsent, like: sent) }
    }

    /// An identifier that several event loops of the simulator accepted counts with its first time.
    private static func firstTimes(_ sample: SequenceSample) -> [UInt64: Instant] {
        Dictionary(sample.entries.map { ($0.sequence, $0.at) }, uniquingKeysWith: min)
    }

    /// Whether runs in order hold a notification.
    private static func holds(_ runs: [SequenceRun], _ sequence: UInt64) -> Bool {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].end <= sequence { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].start <= sequence
    }

    private mutating func intended(_ sequence: UInt64) -> Instant? {
        schedule.map { start + $0.time(of: sequence, &cursor) }
    }

    private mutating func take(_ entry: SequenceSample.Entry, acceptedAt: Instant?, isRejected: Bool) {
        guard acceptedAt != nil || !isRejected else { return untimedCount += 1 }
        let intended = intended(entry.sequence)
        let phase = bounds.phase(at: intended ?? entry.at)
        let completed = acceptedAt ?? end
        // What was sent is stamped before the call that writes it, so that no service time is shorter than the true one.
        record(completed - entry.at, .service, phase, at: completed, isCensored: acceptedAt == nil)
        if let intended { record(completed - intended, .response, phase, at: completed, isCensored: acceptedAt == nil) }
    }

    private mutating func takeBound(_ entry: SequenceSample.Entry, provedAt: Instant?) {
        guard let provedAt else { return untimedCount += 1 }
        let intended = intended(entry.sequence)
        let phase = bounds.phase(at: intended ?? entry.at)
        record(provedAt - entry.at, .serviceBound, phase, at: provedAt, isCensored: false)
        if let intended { record(provedAt - intended, .responseBound, phase, at: provedAt, isCensored: false) }
    }

    /// What was due and never sent has waited from when it was meant to begin until it was given up: when it was skipped, or at the end
    /// of the run. How long it would have taken nobody knows.
    private mutating func takeUnsent(_ runs: [UnsentRun], like sample: SequenceSample) {
        guard let schedule else { return }
        let due = schedule.count(until: end - start)
        var left = Self.unsentLimit
        for (run, until) in runs.map({ ($0.run, $0.until) }) where run.start < due {
            for sequence in run.start..<min(run.end, due, run.start + left) where sample.contains(sequence) {
                guard let intended = intended(sequence) else { continue }
                unsentCount += 1
                record(until - intended, .response, bounds.phase(at: intended), at: until, isCensored: true)
            }
            left -= min(left, run.count)
        }
    }

    private mutating func record(
        _ value: Interval, _ name: Series, _ phase: RunPhase, at completed: Instant, isCensored: Bool
    ) {
        if let last = intervalStarts.last {
            if completed >= last {
                lastInterval[name, phase].record(value.nanoseconds)
            } else {
                entries.append(Entry(at: completed, value: value.nanoseconds, phase: phase, name: name))
            }
        }
        let timed = series[phase]?[name] ?? add(name, phase)
        timed.histogram.record(value.nanoseconds)
        timed.censored += isCensored ? 1 : 0
    }

    private mutating func add(_ name: Series, _ phase: RunPhase) -> Timed {
        let timed = Timed()
        series[phase, default: [:]][name] = timed
        return timed
    }

    /// The series of each interval, by the instants at which values were complete; what was complete before the first one is in that.
    mutating func takeIntervals() -> [SeriesSnapshots] {
        entries.sort { $0.at < $1.at }
        var taken: [SeriesSnapshots] = []
        var next = 0
        for end in intervalStarts.dropFirst() {
            var book = SeriesBook()
            while next < entries.count, entries[next].at < end {
                let entry = entries[next]
                book[entry.name, entry.phase].record(entry.value)
                next += 1
            }
            taken.append(book.takeInterval(of: Self.names))
        }
        if !intervalStarts.isEmpty { taken.append(lastInterval.takeInterval(of: Self.names)) }
        entries = []
        return taken
    }

    private static let names: Set<Series> = [.response, .service, .responseBound, .serviceBound]

    /// How many values the series have, over all phases.
    func count(of name: Series) -> Int64 { series.values.reduce(0) { $0 + ($1[name]?.histogram.count ?? 0) } }
}
