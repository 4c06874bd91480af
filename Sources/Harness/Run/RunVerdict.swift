import Histograms
import Primitives
import ProviderSessions
public import RunRecords
import Workload

extension RunRecord {
    /// Concludes a run: the worst that happened decides status and exit code, and all of it stands in the reasons.
    ///
    /// What was lost, is unknown or was never sent fails a run, unless a threshold of the profile says what is tolerated.
    /// Where the notifications carry no identifiers, `unknown` is all that can be known of what was written, whatever the
    /// gateway did: then it makes the run inconclusive, which is neither a pass nor a failure.
    ///
    /// A rate that the generator or the processors limited stands in the record as such and passes; who asks for the target's capacity by a threshold
    /// gets none from such a run, and it ends as limited by the generator.
    ///
    /// - Parameter outcomes: the profile's thresholds, evaluated on this record.
    public mutating func conclude(thresholds outcomes: [ThresholdRecord]) {
        thresholds = outcomes
        var reasons = verdict.reasons
        var findings: [(status: VerdictRecord.Status, exitCode: Int)] = []
        if verdict.status != .running { findings.append((verdict.status, verdict.exitCode ?? 1)) }
        if !ledger.isBalanced {
            reasons.append("the ledger does not balance: \(ledger.imbalance) notifications have no fate")
            findings.append((.internalError, 1))
        }
        for text in brokenInvariants ?? [] {
            reasons.append("internal error: \(text)")
            findings.append((.internalError, 1))
        }
        if let difference = ledgerDifference, difference != 0 {
            let text =
                "sender and simulator disagree about \(difference) "
                + (difference == 1 ? "notification" : "notifications")
            if simulatorLedger?.faults?.contains(where: { $0.fault == "replyIdentifier" && $0.count > 0 }) == true {
                reasons.append(text + ", as they must: by the fault plan replies named others than those refused")
                findings.append((.failed, 3))
            } else {
                reasons.append(text)
                findings.append((.internalError, 1))
            }
        }
        if feedback?.agrees == false {
            reasons.append("the feedback service told other tokens than the simulator's ledger names")
            findings.append((.internalError, 1))
        }
        if let problem = feedback?.problem {
            reasons.append("the feedback list is not complete: \(problem)")
            findings.append((.failed, 3))
        }
        for outcome in outcomes where !outcome.passed {
            if isCapacity(outcome), outcome.value == nil, [.generator, .processor].contains(limit?.kind) {
                reasons.append("\(outcome.text) cannot be told: \(unmeasured?["capacity/s"] ?? "")")
                findings.append((.generatorLimited, 7))
                continue
            }
            reasons.append(
                outcome.value.map { "\(outcome.text) failed: it is \(Self.text($0, of: outcome))" }
                    ?? "\(outcome.text) failed: the run has no data for it" + missingText(outcome))
            findings.append((.failed, 3))
        }
        for (figure, count) in [
            (Metric.Plain.lost, ledger.lost), (.unknown, ledger.unknown), (.unsent, ledger.unsent),
        ] where count > 0 && !isJudged(figure, by: outcomes) {
            if figure == .unknown && !ledger.hasIdentifiers {
                reasons.append(unprovableText)
                findings.append((.inconclusive, 4))
                continue
            }
            reasons.append("\(count) \(count == 1 ? "notification is" : "notifications are") \(figure.rawValue)")
            findings.append((.failed, 3))
        }
        if ledger.generated > 0, ledger.accepted == 0, ledger.hasIdentifiers, findings.isEmpty,
            !isJudged(.accepted, by: outcomes)
        {
            reasons.append("not one notification was accepted")
            findings.append((.failed, 3))
        }
        let worst = findings.min { $0.status.badness > $1.status.badness }
        verdict = VerdictRecord(
            status: worst?.status ?? .passed, reasons: reasons, exitCode: worst?.exitCode ?? 0)
    }
}

extension RunRecord {
    /// A threshold's value in the unit of its figure.
    private static func text(_ value: Double, of outcome: ThresholdRecord) -> String {
        outcome.metric?.unit.text(value) ?? "\(value)"
    }

    /// Why a threshold's figure is missing, where the record says so.
    private func missingText(_ outcome: ThresholdRecord) -> String {
        outcome.metric.flatMap { unmeasured?[$0.name] }.map { "; \($0)" } ?? ""
    }

    /// Whether a threshold asks for what the target can take.
    private func isCapacity(_ outcome: ThresholdRecord) -> Bool { outcome.metric == .plain(.capacityPerSecond) }

    /// Whether a threshold speaks of a figure of the ledger, and so replaces the rule about it.
    private func isJudged(_ figure: Metric.Plain, by outcomes: [ThresholdRecord]) -> Bool {
        outcomes.contains { $0.metric == .plain(figure) }
    }

    private var unprovableText: String {
        let text =
            "\(ledger.unknown) notifications are unknown: they carry no identifier, so that nothing can prove them"
        guard let counted = simulatorLedger?.acceptedWithoutIdentifier else { return text }
        return text + "; the simulator counted \(counted) accepted, without knowing which"
    }
}

extension VerdictRecord {
    /// What an early end or a missed schedule says before thresholds are looked at; `running` when nothing.
    ///
    /// A schedule that was not met is the generator's fault unless ``LimitRules`` name another limit.
    init(of outcome: RunOutcome, profile: Profile, limit: LimitRecord? = nil) {
        switch outcome.abort {
        case .interrupted?:
            self.init(status: .interrupted, reasons: ["interrupted by the user"], exitCode: 130)
        case .simulatorDied?:
            self.init(status: .unreachable, reasons: ["the simulator process ended during the run"], exitCode: 8)
        case .unreachable?:
            self.init(
                status: .unreachable,
                reasons: ["for too long no connection to the target lasted"] + outcome.attemptReasons, exitCode: 8)
        case .unanswered?:
            self.init(
                status: .unreachable,
                reasons: ["for too long the target answered no request"] + outcome.requestReasons
                    + outcome.attemptReasons, exitCode: 8)
        case .neverConnected?:
            self.init(
                status: .unreachable,
                reasons: [outcome.unresolved ?? "no connection to the target came up"] + outcome.attemptReasons,
                exitCode: 8)
        case .certificateRefused?:
            self.init(
                status: .unreachable,
                reasons: ["a certificate was refused or is missing, which further attempts do not change"]
                    + outcome.attemptReasons, exitCode: 8)
        case .protocolRefused?:
            self.init(
                status: .unreachable,
                reasons: ["the target does not speak HTTP/2 on this port, which further attempts do not change"]
                    + outcome.attemptReasons, exitCode: 8)
        case .bookMissing?:
            self.init(
                status: .internalError, reasons: ["the simulator did not hand its book over"], exitCode: 1)
        case nil:
            self.init()
            if outcome.sender.ledger.count(of: .accepted) == 0, profile.protocolName.hasIdentifiers {
                reasons = outcome.attemptReasons
            }
            if let share = outcome.missedSchedule {
                let isOwnFault = [nil, .generator, .processor].contains(limit?.kind)
                let cause = isOwnFault ? [] : limit.map { ["the limit was \($0.kind.rawValue): \($0.cause)"] } ?? []
                self.init(
                    status: isOwnFault ? .generatorLimited : .scheduleMissed,
                    reasons: ["the schedule was not met: \(share) % of what was due was offered in time"]
                        + cause + outcome.missedCounts, exitCode: 7)
            }
        }
    }
}

extension RunOutcome {
    /// What became of the attempts to connect, the most frequent kind first.
    fileprivate var attemptReasons: [String] {
        var reasons = sender.failedAttempts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) × \($0.key)" }
        let unplaced = sender.ledger.unplacedReplies
        if unplaced > 0, sender.ledger.count(of: .accepted) == 0 {
            reasons.append("\(unplaced) × a reply that names nothing written on its connection")
        }
        // A session ends such a connection as if the target had closed it.
        let ended = sender.ledger.lostConnections[.closedByPeer] ?? 0
        let closed = ended - min(ended, unplaced)
        if closed > 0, sender.ledger.count(of: .accepted) == 0 {
            reasons.append(
                "\(closed) × closed by the target after the handshake without a word, as gateways do with a certificate "
                    + "for the other environment")
        }
        return reasons
    }

    /// What became of requests that were not answered, the most frequent kind first.
    fileprivate var requestReasons: [String] {
        let counts = ErrorCountRecord.list(of: sender.ledger.requests).filter { $0.status == nil }
        guard !counts.isEmpty else { return ["it allows no request: its limit of streams is 0"] }
        return counts.sorted { ($1.count, $0.name) < ($0.count, $1.name) }.map { "\($0.count) × \($0.name)" }
    }

    /// What was planned, sent and missed, and how late the rest was; for a schedule that was not met.
    fileprivate var missedCounts: [String] {
        let sent = sender.phases.values.reduce(0) { $0 + $1.sent }
        var text =
            "\(generated) \(generated == 1 ? "notification was" : "notifications were") planned, \(sent) sent and \(generated - min(sent, generated)) missed"
        let lags = sender.histograms[.measure]?[.scheduleLag].map { Histogram($0) }
        if let p99 = lags?.value(atQuantile: 0.99) {
            text += "; scheduleLag p99 \(Interval(nanoseconds: p99))"
        }
        return [text]
    }

    /// The share of the open loop's schedule that was kept, in percent; nil if that is enough.
    ///
    /// It is the smaller one of two: of what was due until the offer ended, by time or with the last notification, the share that was
    /// ever sent; and the share that connections had taken by then, less what was skipped for being too late. Enough are 99 %. Being late
    /// is excused for a tenth of the schedule and up to 250 ms, since a moment of a busy machine is no missed schedule; what was never sent is
    /// not, whenever it was given up.
    var missedSchedule: Int? {
        let offerEnd = measureEnd > .zero ? measureEnd : end
        guard let arrivals, offerEnd > startedAt, generated > 0 else { return nil }
        // By number the offer ends with the last notification, by time before the first that was not handed out.
        let lastWrite = claimedInTime == nil ? sender.lastWrite ?? offerEnd : offerEnd
        let elapsed = max(min(lastWrite, offerEnd) - startedAt, Interval(nanoseconds: 1))
        let share = min(takenInTime(arrivals.schedule, elapsed), sentOfDue(arrivals.schedule, offerEnd - startedAt))
        return share < Self.keptShare ? Int(share * 100) : nil
    }

    /// Which share of what was due had been taken in time, or late by no more than is excused.
    private func takenInTime(_ schedule: ArrivalSchedule, _ elapsed: Interval) -> Double {
        let claimed = claimedInTime ?? generated
        // A burst has the time until the next one; behind the end of a schedule only its last notification tells.
        let length = schedule.length(of: claimed)
        let last = length < .never ? length : schedule.time(of: claimed - min(claimed, 1))
        let reached = min(last, elapsed)
        let skipped = Double(min(tally?.skippedCount ?? 0, claimed)) / Double(max(1, claimed))
        let excused = min(
            Self.excusedDelay, max(Self.unseenDelay, Interval(nanoseconds: elapsed.nanoseconds / Self.excusedPart)))
        return (elapsed - reached > excused ? reached.seconds / elapsed.seconds : 1) * (1 - skipped)
    }

    /// Which share of what was due by the end of the offer was ever sent.
    private func sentOfDue(_ schedule: ArrivalSchedule, _ elapsed: Interval) -> Double {
        let due = min(generated, schedule.count(until: elapsed - Interval(nanoseconds: 1)))
        guard due > 0 else { return 1 }
        // A run that ended early had planned more than was due.
        let unsent = sender.ledger.count(of: .unsent)
        let missing = unsent - min(unsent, generated - due)
        return 1 - Double(min(missing, due)) / Double(due)
    }

    private static let keptShare = 0.99
    private static let excusedDelay = Interval.milliseconds(250)
    private static let excusedPart: Int64 = 10
    /// What passes between the looks by which the end of an offer is seen.
    private static let unseenDelay = Interval.milliseconds(20)
}

extension LimitRecord {
    /// What the evidence says in its last part, behind the loops' figures; all of it where there is no such part.
    fileprivate var cause: String {
        guard let end = evidence.lastIndex(of: ";") else { return evidence }
        return String(evidence[evidence.index(after: end)...].drop { $0 == " " })
    }
}
