import ProviderSessions
import RunRecords

/// What bound a run, by stated rules. All shares are of the time from the start of the load to its last write or proof.
///
/// A loop's *busy* share is its processor time, its *queued* share the time for which it was ready to run while others had the
/// processors. The first rule that holds decides:
///
/// 1. `target`: the run ended because the target was gone; or of what an open loop that missed its schedule wrote late or not at all, most
///    was due while no connection stood; or attempts to connect failed and connections waited for half of the time to be replaced; or less
///    than half of what was written was accepted or refused.
/// 2. `rate`: an open loop kept its schedule (``RunOutcome/missedSchedule``), at least 99 % of what was written was accepted or
///    refused, the run was not cut short, and no loop was busy and queued for 90 % together.
/// 3. `processor`: a loop was busy and queued for 85 % together, 20 % of it queued: other programs, or the other loops of the run,
///    took the processors.
/// 4. `window`, `streams`: windows, or the streams that the gateway allows, kept connections from writing for half of the time, or 80 %
///    of the requests that may be open at once were, on average; and no loop was busy and queued for 85 %.
/// 5. `processor`: a loop was queued for 20 % of the time: each side waits for the other while that waits for a processor.
/// 6. `processor`: busy loops on both sides, 85 % each.
/// 7. `generator`: a busy loop of the sender, 85 %.
/// 8. `simulator`: a busy loop of the simulator, 80 %, or more than 80 % of what it can accept at all.
/// 9. `window`, `streams`, `generator`: of what an open loop wrote late or not at all, most was due while windows and sockets were full, while
///    all streams were taken, or while a connection waited.
/// 10. `connections`: nothing of all that. Connections were away, or held too little at a time, while both sides waited.
///
/// Apart from that, a run is *simulator-bound* when rule 8 alone would hold: then its figures say what the simulator can do, whatever
/// else was busy, too.
struct LimitRules {
    /// The loop of one side that had least to spare.
    struct Side {
        /// Its processor time.
        var busy: Double
        /// For how long it was ready to run and did not; nil where the kernel does not tell.
        var queued: Double?

        /// Both together.
        var demand: Double { busy + (queued ?? 0) }
    }

    /// Something that may keep connections from writing.
    struct Hold {
        var name: String
        var share: Double
    }

    /// Why most of what an open loop missed was late or not written.
    struct Miss {
        var reason: ArrivalHold
        var count: Int64
        var total: Int64
    }

    static let busyShare = 0.85
    static let idleShareUnderRate = 0.1
    static let queuedShare = 0.2
    static let heldShare = 0.5
    static let inFlightShare = 0.8
    static let simulatorShare = 0.8
    /// With less than this share accepted or refused the target was failing; with less than the other one it did not keep up.
    static let failingShare = 0.5
    static let settledShare = 0.99

    var sender: Side
    /// Nil without a simulator of ours.
    var simulator: Side?
    var windows: [Hold] = []
    /// For which share of the time all streams were taken.
    var streams = 0.0
    /// Which share of the requests that may be open at once was, on average; nil where there are none.
    var streamsInFlight: Double?
    /// For which share of the time connections were being replaced.
    var replacing = 0.0
    /// For which share of the time connections waited to be replaced, if attempts failed.
    var unreachable = 0.0
    /// Whether an open loop kept its schedule; nil in a closed loop.
    var scheduleKept: Bool?
    /// What an open loop missed of its schedule, by the greatest reason; nil in a closed loop, or if it missed nothing.
    var miss: Miss?
    /// Which share of what was written was accepted or refused; nil where nothing can tell.
    var settled: Double?
    /// Why the run ended early, in words, if the target was the cause.
    var targetEnd: String?
    /// Whether the run did not come to its end.
    var isCutShort = false
    /// What the simulator can accept at all, per second; nil if not measured.
    var ceilingPerSecond: Double?
    /// What it did accept.
    var acceptedPerSecond: Double?

    /// The share of the ceiling that was reached; nil if either is not known.
    var ceilingShare: Double? {
        guard let ceilingPerSecond, ceilingPerSecond > 0, let acceptedPerSecond else { return nil }
        return acceptedPerSecond / ceilingPerSecond
    }

    /// Whether the figures are the simulator's own.
    var isSimulatorBound: Bool {
        guard let simulator else { return false }
        return simulator.busy > Self.simulatorShare || (ceilingShare ?? 0) > Self.simulatorShare
    }

    /// What bound the run, with the figures that say so.
    var limit: LimitRecord {
        let (kind, reason) = decision
        var limit = LimitRecord(kind: kind, evidence: evidence + (reason.map { "; \($0)" } ?? ""))
        limit.senderBusy = sender.busy
        limit.senderQueued = sender.queued
        limit.simulatorBusy = simulator?.busy
        limit.simulatorQueued = simulator?.queued
        limit.headroom = max(0, 1 - sender.busy)
        limit.simulatorBound = simulator == nil ? nil : isSimulatorBound
        limit.ceilingPerSecond = simulator == nil ? nil : ceilingPerSecond
        limit.ceilingShare = simulator == nil ? nil : ceilingShare
        return limit
    }

    private var decision: (LimitRecord.Kind, String?) {
        let sides = [("sender", sender)] + (simulator.map { [("simulator", $0)] } ?? [])
        let greatest = sides.map(\.1.demand).max() ?? 0
        if let failure = targetFailure { return (.target, failure) }
        if scheduleKept == true, !isCutShort, (settled ?? 1) >= Self.settledShare,
            greatest < 1 - Self.idleShareUnderRate
        {
            return (.rate, nil)
        }
        let isQueued = sides.contains { ($0.1.queued ?? 0) >= Self.queuedShare }
        if isQueued, greatest >= Self.busyShare { return (.processor, Self.othersText) }
        if greatest < Self.busyShare {
            if let window = windows.max(by: { $0.share < $1.share }), window.share >= Self.heldShare {
                return (.window, "\(window.name) was full for \(Self.percent(window.share)) of the time")
            }
            if streams >= Self.heldShare {
                return (.streams, "all streams were taken for \(Self.percent(streams)) of the time")
            }
            if let streamsInFlight, streamsInFlight >= Self.inFlightShare {
                return (
                    .streams, "on average \(Self.percent(streamsInFlight)) of the requests that may be were in flight"
                )
            }
        }
        if isQueued { return (.processor, Self.othersText) }
        let isGatewayBusy = (simulator?.busy ?? 0) >= Self.busyShare
        switch (sender.busy >= Self.busyShare, isGatewayBusy) {
        case (true, true): return (.processor, "the run's own loops had all they could use")
        case (true, false): return (.generator, "what the target could take is not known, only that it took this")
        case (false, _):
            if isSimulatorBound { return (.simulator, nil) }
            return missedLimit ?? (.connections, connectionsText)
        }
    }

    /// What was wrong with the target; nil if nothing was that could have been the limit.
    private var targetFailure: String? {
        if let targetEnd { return targetEnd }
        if scheduleKept == false, let miss, miss.reason == .noConnection {
            return "the target was unreachable: no connection stood when \(miss.text) were due"
        }
        if unreachable >= Self.heldShare {
            return "the target was unreachable: connections waited for it for \(Self.percent(unreachable)) of the time"
        }
        guard let settled, settled < Self.failingShare else { return nil }
        return "the target was failing: it accepted or refused \(Self.percent(settled)) of what was written"
    }

    /// What a missed schedule itself tells, where the loops had time.
    private var missedLimit: (LimitRecord.Kind, String?)? {
        guard scheduleKept == false, let miss else { return nil }
        switch miss.reason {
        case .windowFull: return (.window, "windows and sockets were full when \(miss.text) were due")
        case .streamsTaken: return (.streams, "all streams were taken when \(miss.text) were due")
        case .generatorLate: return (.generator, "a connection waited when \(miss.text) were due")
        case .noConnection: return nil
        }
    }

    private static let othersText = "others had the processors"

    private var connectionsText: String {
        guard replacing >= 0.1 else {
            return "both waited: more connections or larger batches would keep more on its way"
        }
        return "connections were being replaced for \(Self.percent(replacing)) of the time"
    }

    private var evidence: String {
        var text = "busiest sender loop \(Self.text(sender))"
        if let simulator { text += ", busiest simulator loop \(Self.text(simulator))" }
        return text
    }

    private static func text(_ side: Side) -> String {
        guard let queued = side.queued, queued >= 0.01 else { return percent(side.busy) }
        return "\(percent(side.busy)) and \(percent(queued)) waiting for a processor"
    }

    private static func percent(_ share: Double) -> String { "\(Int((min(max(share, 0), 1) * 100).rounded())) %" }
}

extension LimitRules.Miss {
    /// The greatest reason in a schedule's account; nil if nothing was late or skipped.
    ///
    /// - Parameters:
    ///   - schedule: the account.
    ///   - heldFor: why nobody took what was due when the run ended, which is the reason of what the end cut off.
    init?(_ schedule: ScheduleRecord, heldFor: ArrivalHold?) {
        let (late, skipped) = (schedule.late, schedule.skipped)
        var counts: [(reason: ArrivalHold, count: Int64)] = [
            (.noConnection, late.noConnection + skipped.noConnection),
            (.windowFull, late.windowFull + skipped.windowFull),
            (.streamsTaken, late.streamsTaken + skipped.streamsTaken),
            (.generatorLate, late.generatorLate + skipped.generatorLate),
        ]
        if let index = counts.firstIndex(where: { $0.reason == heldFor }) { counts[index].count += skipped.endOfRun }
        guard let greatest = counts.max(by: { $0.count < $1.count }), greatest.count > 0 else { return nil }
        (reason, count, total) = (greatest.reason, greatest.count, late.total + skipped.total)
    }

    /// How many of how many.
    fileprivate var text: String { "\(count) of \(total) late or missed notifications" }
}
