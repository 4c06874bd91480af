import Primitives
public import RunRecords
import Statistics

/// Says what a run at one rate means for a search: whether the target held it.
///
/// In this order: a run that was interrupted or had no target cannot be used. Where the generator or the machine was the limit, the target
/// is not judged. It fails if it took less than 99 of 100 of what was offered, if the run failed by itself (a threshold of its profile,
/// notifications lost or unknown), if a condition of the service level fails, or if more and more was in flight. What few samples leave
/// open is undecided.
public struct ProbeJudge: Equatable, Sendable {
    /// What was asked of the target.
    public var level: ServiceLevel

    /// The share of what is offered that must be answered in the measured time.
    public static let achievedShare = 0.99
    /// Schedule lag above this share of the shortest latency asked for would be a visible part of it.
    public static let lagShare = 0.1
    /// By more than this share of itself what is in flight must not grow while it is measured.
    public static let backlogShare = 0.05

    /// Makes a judge.
    public init(_ level: ServiceLevel) { self.level = level }

    /// What a run says, and why.
    public struct Judgement: Equatable, Sendable {
        /// What came of it.
        public var outcome: CapacitySearch.Outcome
        /// One sentence each; empty if everything held.
        public var reasons: [String]
    }

    /// Judges a run of an open loop.
    public func judge(_ record: RunRecord) -> Judgement {
        if let reason = Self.uselessness(of: record) { return Judgement(outcome: .unusable, reasons: [reason]) }
        if let reason = generatorLimit(of: record) { return Judgement(outcome: .generatorLimited, reasons: [reason]) }
        var failures: [String] = []
        var doubts: [String] = []
        if let reason = Self.shortfall(of: record) { failures.append(reason) }
        if record.verdict.status == .failed { failures += record.verdict.reasons }
        for answer in level.answers(of: record) {
            switch answer {
            case .holds: break
            case .missing(let reason): return Judgement(outcome: .unusable, reasons: [reason])
            case .fails(let reason): failures.append(reason)
            case .undecided(let reason): doubts.append(reason)
            }
        }
        if let reason = Self.backlog(of: record) { failures.append(reason) }
        if !failures.isEmpty { return Judgement(outcome: .fails, reasons: failures) }
        return Judgement(outcome: doubts.isEmpty ? .holds : .undecided, reasons: doubts)
    }

    private static func uselessness(of record: RunRecord) -> String? {
        switch record.verdict.status {
        case .passed, .failed, .generatorLimited, .scheduleMissed, .inconclusive: break
        case .unreachable where record.ledger.accepted > 0: break
        case .unreachable, .interrupted, .internalError, .running:
            return record.verdict.reasons.first ?? "the run ended as \(record.verdict.status.rawValue)"
        }
        guard answeredPerSecond(of: record) != nil else {
            return "the run has no accepted notifications per second: "
                + (record.unmeasured?["accepted/s"] ?? "nothing proves when they were accepted")
        }
        return nil
    }

    private func generatorLimit(of record: RunRecord) -> String? {
        if let limit = record.limit, limit.kind == .generator || limit.kind == .processor {
            return "\(limit.kind.rawValue): \(limit.evidence)"
        }
        guard let bound = level.latencyBound, let lag = record.latency["scheduleLag"]?.quantiles.p99,
            Double(lag) > Self.lagShare * Double(bound.nanoseconds), let late = record.schedule?.late,
            2 * late.generatorLate > late.total
        else { return nil }
        return "the generator was late: schedule lag of \(Interval(nanoseconds: lag)) at p99, more than "
            + "\(Int(100 * Self.lagShare)) % of the latency asked for"
    }

    /// What was answered in the measured time, refused ones too, against what the schedule had for it.
    private static func shortfall(of record: RunRecord) -> String? {
        guard let offered = offeredPerSecond(of: record), let achieved = answeredPerSecond(of: record),
            achieved < achievedShare * offered
        else { return nil }
        return "\(MetricUnit.rate.text(achieved)) answered of \(MetricUnit.rate.text(offered)) offered, less than "
            + "\(Int(100 * achievedShare)) %"
    }

    /// The rate that the schedule really had, per second; nil of a closed loop.
    public static func offeredPerSecond(of record: RunRecord) -> Double? {
        guard let schedule = record.schedule, let phases = record.phases else { return nil }
        let length = phases.filter { $0.name != "drain" }.reduce(0) { $0 + $1.lengthNs }
        return length > 0 ? Double(schedule.planned) * 1e9 / Double(length) : nil
    }

    /// Notifications answered per second, refused ones too; nil if it is not known when they were.
    ///
    /// A run that did not keep its schedule has no rate of its own; what was answered while it was measured is known all the same.
    public static func answeredPerSecond(of record: RunRecord) -> Double? {
        let ledger = record.ledger
        let answered = Double(ledger.accepted + ledger.rejected)
        let share = ledger.accepted > 0 ? answered / Double(ledger.accepted) : 1
        if let accepted = record.throughput.acceptedPerSecond { return accepted * share }
        let measured = measuredIntervals(of: record)
        let counts = measured.compactMap(\.accepted)
        let length = measured.reduce(0) { $0 + $1.lengthNs }
        guard length > 0, counts.count == measured.count else { return nil }
        return Double(counts.reduce(0, +)) * 1e9 / Double(length) * share
    }

    /// What was written and not yet answered at some time of a run.
    public struct Backlog: Equatable, Sendable {
        /// The time since the run was measured from.
        public var seconds: Double
        /// How many there were.
        public var count: Double
    }

    /// What was written and not yet answered at the end of each interval that was measured. A silent protocol proves nothing while it goes
    /// on: there the simulator's count of what it accepted says more than what is in flight for the sender.
    public static func backlogs(of record: RunRecord) -> [Backlog] {
        var written = 0.0
        var answered = 0.0
        var backlogs: [Backlog] = []
        let measured = Set(measuredIntervals(of: record).map(\.startNs))
        let start = record.phases?.first { $0.name == "measure" }?.startNs ?? 0
        for interval in record.intervals {
            written += Double(interval.written - interval.resent)
            answered += Double((interval.accepted ?? 0) + interval.rejected)
            guard measured.contains(interval.startNs) else { continue }
            backlogs.append(
                Backlog(
                    seconds: Double(interval.startNs + interval.lengthNs - start) / 1e9,
                    count: interval.accepted == nil ? Double(interval.inFlight) : written - answered))
        }
        return backlogs
    }

    /// Growth of the backlog.
    private static func backlog(of record: RunRecord) -> String? {
        guard let trend = Trend(backlogs(of: record).map(\.count)), trend.isSignificant, trend.change > backlogShare
        else { return nil }
        return "what was not yet answered grew from \(Count(Int64(trend.first)).grouped) to "
            + "\(Count(Int64(trend.last)).grouped) while it was measured"
    }

    private static func measuredIntervals(of record: RunRecord) -> [IntervalRecord] {
        guard let measure = record.phases?.first(where: { $0.name == "measure" }) else { return [] }
        return record.intervals.filter {
            $0.startNs >= measure.startNs && $0.startNs + $0.lengthNs <= measure.startNs + measure.lengthNs
        }
    }
}
