import Histograms
import Primitives
import ProviderSessions
import RunRecords
import Statistics
import Workload

extension RunRecord {
    /// Tells latencies, phases and schedule of an outcome; figures that are missing get their reasons.
    mutating func tellMeasurements(of outcome: RunOutcome, profile: Profile) {
        var join = outcome.latencyJoin(profile)
        tellPhases(outcome, join)
        for (index, parts) in (join?.takeIntervals() ?? []).enumerated() { intervals[index].add(parts) }
        // By the simulator's traces they are known for all of the run at once, in place of what the sender had seen.
        if reconnects.firstAcceptanceBy == .simulator {
            for index in intervals.indices { intervals[index].histograms?[Series.firstAcceptance.name] = nil }
        }
        schedule = outcome.scheduleRecord(
            variation: latencyVariation(outcome), isHTTP2: profile.protocolName == .http2)
        steadiness = SteadinessRecord(intervals: measuredIntervals(outcome))
        tellUnmeasured(outcome, profile)
        switch LittlesLaw.find(outcome, join, isTimed: profile.latencies) {
        case .found(let law): littlesLaw = law
        case .missing(let reason): unmeasured?["littlesLaw"] = reason
        }
        brokenInvariants = RunInvariants(self, outcome, join: join, isTimed: profile.latencies).broken
    }

    private mutating func tellPhases(_ outcome: RunOutcome, _ join: LatencyJoin?) {
        var records: [PhaseRecord] = []
        for phase in RunPhase.allCases {
            let own = Self.latencies(outcome.sender, join, phase)
            if phase == .measure { latency = own }
            let counts = outcome.sender.phases[phase]
            // A phase that never was planned may have had something when the run was interrupted; set-up alone is none.
            let hasContent = counts != nil || (phase != .measure && !own.isEmpty)
            let end = outcome.end
            guard let span = outcome.span(of: phase) ?? (hasContent ? end..<end : nil) else { continue }
            var record = PhaseRecord(
                name: phase.rawValue, startNs: (span.lowerBound - outcome.startedAt).nanoseconds,
                lengthNs: (span.upperBound - span.lowerBound).nanoseconds)
            record.sent = Int64(counts?.sent ?? 0)
            record.written = Int64(counts?.written ?? 0)
            record.bytes = Int64(counts?.bytes ?? 0)
            if phase != .measure { record.latency = own }
            records.append(record)
        }
        phases = records
    }

    private static func latencies(
        _ sender: SenderLoop.Result, _ join: LatencyJoin?, _ phase: RunPhase
    ) -> [String: LatencyRecord] {
        let own = sender.histograms[phase] ?? [:]
        let censored = sender.censored[phase] ?? [:]
        var latencies: [String: LatencyRecord] = [:]
        for (series, snapshot) in own {
            var record = LatencyRecord(Histogram(snapshot))
            if let join, !join.isSampled, series == .response || series == .service {
                record.censored = censored[series] ?? 0
            }
            latencies[series.name] = record
        }
        // A hostile gateway may give one reason with several statuses.
        let reasons = Dictionary(
            (sender.refusals[phase] ?? [:]).map { ($0.key.name, $0.value) }, uniquingKeysWith: SenderLoop.Result.sum)
        for (reason, snapshot) in reasons {
            latencies[Metric.refusedSeries(reason)] = LatencyRecord(Histogram(snapshot))
        }
        guard let join else { return latencies }
        for (series, timed) in join.series[phase] ?? [:] {
            // Requests that were never sent stand beside those that were.
            if let part = own[series] { timed.histogram.addOrStop(part) }
            timed.censored += censored[series] ?? 0
            var record = LatencyRecord(timed.histogram)
            record.sampledOneOf = join.shift > 0 ? 1 << Int64(join.shift) : nil
            if series == .responseBound || series == .serviceBound {
                record.bound = "upper"
            } else {
                record.censored = timed.censored
            }
            latencies[series.name] = record
        }
        return latencies
    }

    /// The coefficient of variation of the times between batches in the measured part.
    private func latencyVariation(_ outcome: RunOutcome) -> Double? {
        guard let gaps = outcome.sender.histograms[.measure]?[.sendGap].map({ Histogram($0) }), gaps.count >= 10,
            let mean = gaps.mean, mean > 0, let deviation = gaps.standardDeviation
        else { return nil }
        return deviation / mean
    }

    private func measuredIntervals(_ outcome: RunOutcome) -> [IntervalRecord] {
        guard let span = outcome.span(of: .measure) else { return [] }
        return intervals.filter { interval in
            let start = outcome.startedAt + Interval(nanoseconds: interval.startNs)
            return start >= span.lowerBound && start + Interval(nanoseconds: interval.lengthNs) <= span.upperBound
        }
    }

    /// A rate is what the target can take only where the target was the limit.
    mutating func tellCapacity() {
        if limit?.simulatorBound == true { throughput.capacityPerSecond = throughput.acceptedPerSecond }
        guard throughput.capacityPerSecond == nil else { return }
        let reason =
            switch limit?.kind {
            case _ where throughput.acceptedPerSecond == nil: unmeasured?["accepted/s"]
            case .generator?: "the generator was the limit: the rate is its own, and the target might take more"
            case .target?: "the target was unreachable or failing"
            case .rate?: "the target took all that was offered, and might take more"
            case nil: "what bound the run is not known"
            case let kind?: "the limit was \(kind.rawValue), and not the target"
            }
        unmeasured?["capacity/s"] = reason
    }

    private mutating func tellUnmeasured(_ outcome: RunOutcome, _ profile: Profile) {
        let sent = outcome.sender.phases[.measure]?.sent ?? 0
        let nothing =
            outcome.sender.ledger.written == 0
            ? "nothing was written" : "nothing was written in the measured part of the run"
        var reasons: [String: String] = [:]
        for name in ["response", "service", "scheduleLag", "residence"] where (latency[name]?.count ?? 0) == 0 {
            reasons[name] = whyUntimed(name, outcome, profile, nothing: sent == 0 ? nothing : nil)
        }
        if throughput.acceptedPerSecond == nil {
            reasons["accepted/s"] = outcome.rateReason(profile, nothing: sent == 0 ? nothing : nil)
        }
        if throughput.undisturbedPerSecond == nil {
            reasons["undisturbed/s"] = outcome.cutShortReason ?? outcome.whyNoUndisturbedRate
        }
        for (name, rate) in [("written/s", throughput.writtenPerSecond), ("bytes/s", throughput.bytesPerSecond)]
        where rate == nil {
            reasons[name] = outcome.cutShortReason ?? outcome.measured(profile).whyNoRate ?? nothing
        }
        if let schedule, schedule.gapVariation == nil {
            reasons["sendGap.variation"] =
                "needs 10 values that are not all 0, and there are \(latency["sendGap"]?.count ?? 0)"
        }
        for (name, series) in latency { reasons.merge(Self.missingQuantiles(of: name, series)) { own, _ in own } }
        unmeasured = reasons
    }

    /// Why a series has no value in the measured part.
    private func whyUntimed(_ name: String, _ outcome: RunOutcome, _ profile: Profile, nothing: String?) -> String {
        if !profile.latencies { return "the profile has latencies not measured" }
        if name == "response" || name == "scheduleLag", profile.load.loop == .closed {
            return "a closed loop has no times at which notifications are meant to begin"
        }
        if let nothing { return nothing }
        if name == "residence" || name == "scheduleLag" { return "nothing was written in the measured part of the run" }
        if !profile.protocolName.hasIdentifiers {
            return "without identifiers no notification can be told from another"
        }
        // Every answer is timed there, whoever gives it.
        if profile.protocolName == .http2 { return "no request was accepted; see \(name)Refused" }
        guard outcome.simulator == nil else { return "none of the sampled notifications was accepted" }
        if case .simulator = profile.target {
            return "the simulator's book is missing, which alone tells when it accepted; see \(name)Bound"
        }
        return "success is silent, and only the embedded simulator tells when it accepted; see \(name)Bound"
    }

    /// Why quantiles of a series are null, by the names that thresholds give them.
    private static func missingQuantiles(of name: String, _ series: LatencyRecord) -> [String: String] {
        guard series.count > 0 else { return [name: "there are no values"] }
        let quantiles = series.quantiles
        var reasons: [String: String] = [:]
        for (quantile, value, needed) in [
            ("p50", quantiles.p50, 1), ("p90", quantiles.p90, 100), ("p99", quantiles.p99, 1_000),
            ("p99.9", quantiles.p999, 10_000),
        ] where value == nil {
            reasons["\(name).\(quantile)"] = "needs \(needed) values, and there are \(series.count)"
        }
        return reasons
    }
}

extension RunOutcome {
    /// When a phase began and ended; nil if the run had none.
    func span(of phase: RunPhase) -> Range<Instant>? {
        let offerEnd = min(measureEnd == .zero ? end : measureEnd, end)
        switch phase {
        case .warmup:
            return startedAt < bounds.measureStart ? Self.range(startedAt, min(bounds.measureStart, end)) : nil
        case .measure: return Self.range(max(startedAt, bounds.measureStart), offerEnd)
        case .drain: return Self.range(offerEnd, end)
        }
    }

    private static func range(_ start: Instant, _ end: Instant) -> Range<Instant>? { start < end ? start..<end : nil }

    /// When the intervals began, if their histograms are kept.
    private var intervalStarts: [Instant] {
        intervals.filter { $0.histograms != nil }.map { startedAt + Interval(nanoseconds: $0.startNs) }
    }

    /// Joins the sampled notifications; nil where none can be told from another, or nothing was ever begun.
    fileprivate func latencyJoin(_ profile: Profile) -> LatencyJoin? {
        guard profile.latencies, profile.protocolName.hasIdentifiers else { return nil }
        // Where each request has its answer, only those that were never sent are left to be timed.
        guard profile.protocolName != .http2 else {
            return LatencyJoin(
                LatencyJoin.Sources(
                    sent: SequenceSample(), accepted: SequenceSample(), proved: SequenceSample(), rejected: [],
                    unsent: neverSent, schedule: arrivals?.schedule, start: startedAt, end: end, bounds: bounds,
                    intervalStarts: intervalStarts),
                isSampled: false)
        }
        return LatencyJoin(
            LatencyJoin.Sources(
                sent: sender.sent, accepted: simulator?.acceptanceTimes?.sample, proved: sender.proved,
                rejected: sender.ledger.fates[.rejected]?.runs ?? [], unsent: neverSent, schedule: arrivals?.schedule,
                start: startedAt, end: end, bounds: bounds, intervalStarts: intervalStarts))
    }

    fileprivate func scheduleRecord(variation: Double?, isHTTP2: Bool) -> ScheduleRecord? {
        guard let tally, let arrivals else { return nil }
        var record = ScheduleRecord()
        record.planned = Int64(generated)
        record.sent = Int64(sender.phases.values.reduce(0) { $0 + $1.sent })
        record.skipped = ScheduleReasonsRecord(tally.skipped)
        record.skipped.endOfRun = Int64(sender.ledger.count(of: .unsent)) - Int64(tally.skippedCount)
        record.late = ScheduleReasonsRecord(tally.late)
        let unexplained = Int64(sender.lateCount) - record.late.total
        if unexplained > 0 {
            // What was handed out in time and written late waited in its socket, for a stream, or for this program.
            let inSockets = min(Int64(sender.lateInSocketCount), unexplained)
            record.late.windowFull += inSockets
            if isHTTP2 {
                record.late.streamsTaken += unexplained - inSockets
            } else {
                record.late.generatorLate += unexplained - inSockets
            }
        }
        record.stalls = Int64(tally.stalls)
        record.caughtUp = Int64(tally.caughtUp)
        record.catchUpNs = tally.catchUpTime.nanoseconds
        record.catchUpLimit = arrivals.catchUp
        record.largestBurst = Int64(tally.largestBurst)
        record.setGapVariation(variation)
        return record
    }

    /// Why there is no rate.
    fileprivate func rateReason(_ profile: Profile, nothing: String?) -> String {
        if let nothing { return nothing }
        if let cutShortReason { return cutShortReason }
        if missedSchedule != nil {
            return "the schedule was not met, and what was sent says nothing about what the target can take"
        }
        let measured = measured(profile)
        return measured.whyNoRate ?? measured.whyNoAcceptedRate ?? "nothing proves that the target accepted anything"
    }

    /// Why a run that its target cut short has no rates; nil of any other run.
    fileprivate var cutShortReason: String? { abort != nil && abort != .interrupted ? "the run was cut short" : nil }
}

extension ScheduleReasonsRecord {
    fileprivate init(_ counts: [ArrivalHold: UInt64]) {
        self.init()
        windowFull = Int64(counts[.windowFull] ?? 0)
        streamsTaken = Int64(counts[.streamsTaken] ?? 0)
        noConnection = Int64(counts[.noConnection] ?? 0)
        generatorLate = Int64(counts[.generatorLate] ?? 0)
    }
}

extension SteadinessRecord {
    /// Looks for trends in the measured intervals.
    init(intervals: [IntervalRecord]) {
        self.init()
        guard intervals.count >= Trend.minimumCount else {
            reasons = [
                "\(intervals.count) whole intervals were measured, and \(Trend.minimumCount) are needed to see a trend"
            ]
            return
        }
        let figures: [(String, [Double], MetricUnit, limit: Double)] = [
            ("written/s", intervals.map { Self.perSecond($0.written, $0) }, .rate, 0.1),
            (
                "accepted/s",
                intervals.compactMap { interval in interval.accepted.map { Self.perSecond($0, interval) } }, .rate, 0.1
            ),
            ("residence.p50", intervals.compactMap { $0.residenceP50Ns.map(Double.init) }, .time, 1.0 / 3),
        ]
        for (name, values, unit, limit) in figures {
            guard let trend = Trend(values), trend.isSignificant, trend.change.magnitude > limit else { continue }
            reasons.append(
                "\(name) \(trend.change > 0 ? "rose" : "fell") from \(unit.text(trend.first)) to \(unit.text(trend.last)) while it was "
                    + "measured")
        }
        status = reasons.isEmpty ? .steady : .notSteady
    }

    private static func perSecond(_ count: Int64, _ interval: IntervalRecord) -> Double {
        interval.lengthNs > 0 ? Double(count) * 1e9 / Double(interval.lengthNs) : 0
    }
}
