import Primitives
import RunRecords

/// What live views say of a run, as texts; what is not known is left out.
struct ProgressFigures {
    private let progress: RunProgress
    private let interval: IntervalRecord?

    init(_ progress: RunProgress) {
        self.progress = progress
        interval = progress.intervals.last
    }

    /// The phase, how long the run has lasted, and how long it will.
    var time: String {
        let seconds = Interval.seconds(max(0, progress.elapsed.nanoseconds / 1_000_000_000))
        let elapsed = "\(progress.phase.rawValue) \(Self.clock(seconds))"
        guard [.warmup, .measuring].contains(progress.phase) else { return elapsed }
        if let left = progress.timeLeft { return "\(elapsed), \(Self.clock(left)) left" }
        return estimate.map { "\(elapsed), about \(Self.clock($0)) left" } ?? elapsed
    }

    /// The share of the offer that is done, 0 to 1; nil where nobody knows.
    var share: Double? {
        guard progress.phase != .connecting else { return nil }
        if let left = progress.timeLeft {
            let whole = (progress.elapsed + left).seconds
            return whole > 0 ? min(1, progress.elapsed.seconds / whole) : nil
        }
        guard let planned = progress.planned, planned > 0 else { return nil }
        return min(1, Double(firstWrites) / Double(planned))
    }

    /// What was offered, written and accepted in a second, in the newest interval.
    var rates: [String] {
        guard let interval, interval.lengthNs > 0 else { return [] }
        let seconds = Double(interval.lengthNs) / 1e9
        func rate(_ count: Double?) -> String? { count.map { FigureText.rate($0.rounded()) } }
        return [
            rate(progress.offeredPerSecond).map { "offered \($0)" },
            rate(Double(interval.written) / seconds).map { "achieved \($0)" },
            rate(interval.accepted.map { Double($0) / seconds }).map { "accepted \($0)" },
        ].compactMap { $0 }
    }

    /// How many there were so far.
    var totals: [String] {
        var items = ["written \(FigureText.count(Int64(clamping: firstWrites)))"]
        if let planned = progress.planned { items[0] += " of \(FigureText.count(Int64(clamping: planned)))" }
        if let accepted = progress.accepted { items.append("accepted \(FigureText.count(accepted))") }
        items.append("rejected \(FigureText.count(Int64(clamping: progress.rejected)))")
        if progress.resent > 0 { items.append("resent \(FigureText.count(Int64(clamping: progress.resent)))") }
        return items
    }

    /// What is on its way, and over what.
    var connections: [String] {
        [
            "in flight \(FigureText.count(Int64(clamping: progress.inFlight)))",
            "connections \(progress.openConnections) of \(progress.connections)",
            "reconnects \(FigureText.count(Int64(clamping: progress.reconnects)))",
        ]
    }

    /// Latencies of the newest interval.
    var latencies: [String] {
        progress.latest.map { glance in
            "\(glance.series) p50 \(FigureText.time(glance.p50Ns)) p99 \(FigureText.time(glance.p99Ns))"
        }
    }

    /// Errors by name, the most frequent first.
    var errors: [String] {
        var items = progress.errors.filter { $0.count > 0 }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
            .map { error in
                "\(FigureText.count(error.count)) \(error.name)" + (error.status.map { " (\($0))" } ?? "")
            }
        // One sum: what a gateway that refuses makes happen must not fill a screen or a log.
        if progress.connectionFailures > 0 {
            items.append("\(FigureText.count(Int64(clamping: progress.connectionFailures))) connections failed")
        }
        return items
    }

    /// The processors that each side used in the newest interval.
    var processors: [String] {
        guard let interval, interval.lengthNs > 0 else { return [] }
        func cores(_ nanoseconds: Int64?) -> String? {
            nanoseconds.map { decimalText(Double($0) / Double(interval.lengthNs) * 100, places: 0) + " % cpu" }
        }
        return [
            cores(interval.senderCPUNs).map { "sender \($0)" },
            cores(interval.simulatorCPUNs).map { "simulator \($0)" },
        ].compactMap { $0 }
    }

    private var firstWrites: UInt64 { progress.written - min(progress.written, progress.resent) }

    /// How long the rest takes if it goes on as in the newest interval.
    private var estimate: Interval? {
        guard let planned = progress.planned, let interval, interval.lengthNs > 0 else { return nil }
        let perNanosecond = Double(interval.written - interval.resent) / Double(interval.lengthNs)
        let nanoseconds = Double(planned - min(planned, firstWrites)) / perNanosecond
        return nanoseconds.isFinite && nanoseconds < 1e18 ? Interval(nanoseconds: Int64(nanoseconds)) : nil
    }

    /// A time to the second.
    private static func clock(_ time: Interval) -> String {
        let seconds = (time.nanoseconds + 500_000_000) / 1_000_000_000
        return seconds < 60 ? "\(seconds) s" : Interval.seconds(seconds).description
    }
}
