import Primitives
import ProviderSessions
import RunRecords
import Workload

/// What counts for a run's rates.
struct MeasuredPart: Equatable {
    /// Notifications accepted in it; nil if nothing tells.
    var accepted: Int64?
    /// Whether that may be too few, since only later proofs tell of it.
    var isLowerBound = false
    var written: Int64 = 0
    var bytes: Int64 = 0
    var length = Interval.zero
    /// What was accepted after it.
    var acceptedLater: Int64 = 0
    /// For how long it took until the last proof, by which alone ``accepted`` is known; nil where that is ``length``.
    var provedLength: Interval?

    /// Fewer notifications than this are no rate: each of them, and the moment at which the clock is stopped, would be a tenth of it.
    static let fewest: Int64 = 10
    /// A shorter time is that of one write, and not of a rate.
    static let shortest = Interval.milliseconds(1)

    /// Why there is no rate; nil if there is one.
    var whyNoRate: String? {
        if written < Self.fewest {
            return "\(written) \(written == 1 ? "notification is" : "notifications are") too few for a rate: "
                + "\(Self.fewest) are needed"
        }
        guard length < Self.shortest else { return nil }
        return "\(length) are too short for a rate: \(Self.shortest) is needed"
    }

    /// Why there is no rate of what was accepted, although there is one of what was written; nil if there is one, or nothing tells.
    ///
    /// A target that accepted nothing at all has a rate, which is 0.
    var whyNoAcceptedRate: String? {
        guard let accepted, accepted < Self.fewest, accepted > 0 || acceptedLater > 0 else { return nil }
        let others = acceptedLater > 0 ? " in the measured part, and \(acceptedLater) after it," : ""
        return "\(accepted) accepted\(others) are too few for a rate: \(Self.fewest) are needed"
    }

    /// What was accepted a second.
    var acceptedPerSecond: Double? {
        let time = provedLength ?? length
        guard whyNoRate == nil, whyNoAcceptedRate == nil, let accepted, time > .zero else { return nil }
        return Double(accepted) / time.seconds
    }
}

extension RunOutcome {
    /// What counts for the rates: from the end of the warm-up to the end of the offer, or to the last acceptance when
    /// the number of notifications ended the run.
    func measured(_ profile: Profile) -> MeasuredPart {
        let isTimed = profile.phases.measure != nil || profile.phases.warmup > .zero
        return isTimed ? measuredByTime(profile) : measuredByNumber(profile)
    }

    private func measuredByNumber(_ profile: Profile) -> MeasuredPart {
        let acceptedEnd = simulator?.lastAcceptedNs.map { Instant(nanoseconds: $0) }
        let end = [acceptedEnd, sender.lastProof, sender.lastWrite].compactMap { $0 }.max() ?? end
        // What cannot be proved is counted by the simulator alone.
        var accepted =
            profile.protocolName.hasIdentifiers
            ? Int64(sender.ledger.count(of: .accepted)) : simulator?.ledger.acceptedWithoutIdentifier
        if isKnownByProofsAlone(profile), sender.lastProof == nil { accepted = nil }
        let start = sender.firstWrite ?? startedAt
        return MeasuredPart(
            accepted: accepted, isLowerBound: isKnownByProofsAlone(profile), written: Int64(sender.ledger.written),
            bytes: Int64(sender.ledger.writtenBytes), length: max(end - start, scheduledLength))
    }

    /// How long an open loop's notifications take at the scheduled rate, the pause behind the last one or the last burst included, so that no
    /// rate is greater than the one that was offered. Zero in a closed loop, where the schedule ends with them, and if it was cut short.
    private var scheduledLength: Interval {
        guard let schedule = arrivals?.schedule, generated > 0, abort == nil else { return .zero }
        let length = schedule.length(of: generated)
        return length < .never ? length - schedule.time(of: 0) : .zero
    }

    private func measuredByTime(_ profile: Profile) -> MeasuredPart {
        let end = min(measureEnd == .zero ? self.end : measureEnd, self.end)
        guard end > measureStart, let counts = sender.phases[.measure], counts.written > 0 else {
            return MeasuredPart()
        }
        var part = MeasuredPart(
            written: Int64(counts.written), bytes: Int64(counts.bytes), length: end - measureStart)
        if simulator != nil {
            let last = acceptedByThen(end)
            part.accepted = last.flatMap { last in acceptedByThen(measureStart).map { last - $0 } }
            part.acceptedLater = (acceptedInAll ?? 0) - (last ?? acceptedInAll ?? 0)
        } else if profile.isAnsweredByOthers {
            part.accepted = Int64(counts.answered)
            part.acceptedLater = Int64(sender.phases[.drain]?.answered ?? 0)
        } else if isKnownByProofsAlone(profile), let lastProof = sender.lastProof, lastProof > measureStart {
            // Nobody knows when before its proof something was accepted. What was written before the measured part may all have been
            // accepted before it, too.
            let before = Int64(sender.phases[.warmup]?.sent ?? 0)
            part.accepted = max(0, Int64(sender.ledger.count(of: .accepted)) - before)
            part.isLowerBound = true
            part.provedLength = lastProof - measureStart
        }
        return part
    }

    /// Whether success is silent, and no simulator of ours tells of it.
    private func isKnownByProofsAlone(_ profile: Profile) -> Bool {
        if case .simulator = profile.target { return false }
        return profile.protocolName != .http2 && profile.protocolName.hasIdentifiers
    }

    /// What was accepted per second, whether it may be told as the target's rate or not.
    func acceptedPerSecond(_ profile: Profile) -> Double? { measured(profile).acceptedPerSecond }

    /// What was accepted per second in the intervals in which nothing went wrong; nil unless there are such intervals and others.
    ///
    /// Whole intervals only, from the end of the warm-up to the last acceptance.
    var undisturbedRate: Double? {
        let lastAnswer = sender.ledger.proofs[.response] == nil ? nil : sender.lastProof?.nanoseconds
        guard let last = simulator?.lastAcceptedNs ?? lastAnswer else { return nil }
        let whole = intervals.filter { interval in
            let start = startedAt.nanoseconds + interval.startNs
            return start >= measureStart.nanoseconds && start + interval.lengthNs <= last
        }
        let undisturbed = whole.filter { !$0.isDisturbed && $0.accepted != nil }
        let length = undisturbed.reduce(0) { $0 + $1.lengthNs }
        guard length > 0, undisturbed.count < whole.count else { return nil }
        return Double(undisturbed.reduce(0) { $0 + ($1.accepted ?? 0) }) * 1e9 / Double(length)
    }

    /// Why there is no rate of the intervals in which nothing went wrong; nil if there is one.
    var whyNoUndisturbedRate: String? {
        guard undisturbedRate == nil else { return nil }
        if !intervals.contains(where: { $0.accepted != nil }) { return "nothing tells when what was accepted" }
        if !intervals.contains(where: { $0.isDisturbed }) { return "nothing went wrong: accepted/s is that rate" }
        return "there is no whole interval in which nothing went wrong, beside one in which something did"
    }

    /// How many notifications the simulator had accepted at an instant, between its reports by proportion.
    private func acceptedByThen(_ instant: Instant) -> Int64? {
        guard let result = simulator, let acceptedInAll else { return nil }
        // Only where each acceptance was noted down.
        if let times = result.acceptanceTimes, times.shift == 0, times.sample.entries.count == Int(acceptedInAll) {
            return Int64(times.sample.entries.count { $0.at <= instant })
        }
        var before = SimulatorProgress(atNs: startedAt.nanoseconds, accepted: 0, cpuNs: 0)
        var points = simulatorProgress
        points.append(
            SimulatorProgress(atNs: result.lastAcceptedNs ?? end.nanoseconds, accepted: acceptedInAll, cpuNs: 0))
        for point in points {
            if point.atNs >= instant.nanoseconds {
                let length = Double(point.atNs - before.atNs)
                let part = length > 0 ? Double(instant.nanoseconds - before.atNs) / length : 1
                return before.accepted + Int64(Double(point.accepted - before.accepted) * max(0, part))
            }
            before = point
        }
        return before.accepted
    }
}
