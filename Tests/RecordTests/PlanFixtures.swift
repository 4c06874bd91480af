import Histograms
import Primitives
import RunRecords

@testable import Analysis

/// A sweep of three batch sizes against two numbers of connections, in which one combination is recommended, one fails its thresholds,
/// one did not finish, one is uneven, one was given up and one was not run.
func sampleSweep(_ change: (inout SweepRecord) -> Void = { _ in }) -> SweepRecord {
    var record = SweepRecord(
        profileName: "profiles/sample.json5", profileHash: "a1b2c3",
        grid: SweepGrid([
            SweepGrid.Axis(key: "sender.batch.notifications", values: ["1", "10", "100"]),
            SweepGrid.Axis(key: "sender.connections", values: ["1", "4"]),
        ]), plan: SweepRace.Plan())
    record.machine.cpuModel = "Example CPU"
    record.machine.cores = 2
    record.tool.version = "0.1.0"
    record.elapsedNs = 90_000_000_000
    let rates: [(cell: Int, rates: [Int64])] = [
        (0, [10_000]), (2, [90_000, 91_000, 92_000, 90_500, 91_500]), (3, [99_000, 100_000, 98_000, 97_500, 99_500]),
        (4, [98_500, 101_000, 100_500, 99_900, 100_100]),
    ]
    record.runs = rates.flatMap { cell, rates in rates.map { sampleSweepRun(cell, rate: $0) } }
    record.runs += [
        sampleSweepRun(5, rate: 1_000_000) { $0.verdict = VerdictRecord(status: .internalError, exitCode: 1) }
    ]
    for index in record.runs.indices where record.runs[index].cell == 2 {
        record.runs[index].status = .failed
        record.runs[index].reasons = ["errorReply.p99 < 20ms failed"]
    }
    for index in record.runs.indices where record.runs[index].cell == 4 { record.runs[index].busiestConnection = 2.25 }
    record.judge(.complete)
    change(&record)
    return record
}

/// What a sweep over two shares of bad tokens says of them: one price with a model and one without, and a curve.
func sampleBadTokens() -> BadTokenFindings {
    var price = BadTokenPrice(
        cell: 2, badShare: 0.001, roundTripNs: 0, errors: 120,
        measured: BadTokenFigures(acceptedPerSecond: 91_000, inFlight: 410, resent: 400, lost: 900))
    price.replyNs = 1_500_000
    price.reconnectNs = 4_000_000
    price.errorFreePerSecond = 100_000
    price.errorFreeBy = .errorFreeCell
    price.bound = .machine
    price.lostStandardError = 35
    price.model = BadTokenFigures(acceptedPerSecond: 90_000, inFlight: 430, resent: 430, lost: 800)
    price.modelError = price.model?.errors(against: price.measured)
    var other = BadTokenPrice(
        cell: 3, badShare: 0.001, roundTripNs: 0, errors: 3, measured: BadTokenFigures(acceptedPerSecond: 99_000))
    other.obstacle = "\(BadTokenObstacle.timesUnknown)"
    let points = [
        BadTokenCurvePoint(value: "0", cell: 0, badShare: 0, acceptedPerSecond: 100_000, modelPerSecond: 100_000),
        BadTokenCurvePoint(value: "0.001", cell: 2, badShare: 0.001, acceptedPerSecond: 91_000, modelPerSecond: 90_000),
        BadTokenCurvePoint(value: "0.01", badShare: 0.01, modelPerSecond: 40_000),
    ]
    return BadTokenFindings(
        prices: [price, other],
        curves: [
            BadTokenCurve(
                key: "workload.faults.badToken", setting: "sender.connections=4", anchor: 2, points: points)
        ])
}

/// A run of a combination at a rate.
func sampleSweepRun(
    _ cell: Int, rate accepted: Int64, _ change: (inout RunRecord) -> Void = { _ in }
) -> SweepRunRecord {
    var record = sampleRecord()
    record.throughput = ThroughputRecord(accepted: accepted, written: accepted, bytes: 0, over: .seconds(1))
    record.resources.simulator?.peakRSSBytes = 30 << 20
    change(&record)
    return SweepRunRecord(cell: cell, record)
}

/// A search that found 2,000 a second: rates that hold up to there, one above that fails with a growing backlog, and the long try.
func sampleCapacity(_ change: (inout CapacityRecord) -> Void = { _ in }) -> CapacityRecord {
    var record = CapacityRecord(
        profileName: "profiles/sample.json5", serviceLevel: ["response.p99 < 20ms", "lost == 0"], tolerance: 0.05)
    let tries: [(CapacitySearch.Stage, Int64, Double, CapacitySearch.Outcome)] = [
        (.rise, 1_000, 1, .holds), (.rise, 4_000, 0.5, .fails), (.bisect, 2_000, 1, .holds),
        (.edge, 2_100, 0.9, .fails), (.edge, 2_000, 1, .undecided), (.confirm, 2_000, 1, .holds),
    ]
    record.probes = tries.map { stage, rate, share, outcome in
        sampleProbe(stage, rate: rate, share: share, outcome)
    }
    record.finding = CapacityFinding(
        .found(sustainable: Rate(perSecond: 2_000), failing: Rate(perSecond: 2_100), isConfirmed: true))
    record.contradictions = 1
    record.conclude(signalCode: nil)
    change(&record)
    return record
}

/// A try of a rate of which a share is answered; the rest waits.
func sampleProbe(
    _ stage: CapacitySearch.Stage, rate: Int64, share: Double, _ outcome: CapacitySearch.Outcome
) -> ProbeRecord {
    var run = sampleRecord()
    let answered = Int64(Double(rate) * share)
    run.schedule = ScheduleRecord()
    run.schedule?.planned = 12 * rate
    run.phases = [
        PhaseRecord(name: "warmup", startNs: 0, lengthNs: 2_000_000_000),
        PhaseRecord(name: "measure", startNs: 2_000_000_000, lengthNs: 10_000_000_000),
    ]
    run.ledger = LedgerRecord()
    run.ledger.generated = 12 * answered
    run.ledger.accepted = 12 * answered
    run.throughput = ThroughputRecord(accepted: answered, written: answered, bytes: 0, over: .seconds(1))
    let histogram = Histogram()
    let longest: Int64 = outcome == .fails ? 500_000_000 : 5_000_000
    for value in 1...2_000 { histogram.record(longest * Int64(value) / 2_000) }
    run.latency["response"] = LatencyRecord(histogram)
    run.intervals = (0..<12).map { second in
        var interval = IntervalRecord()
        interval.startNs = Int64(second) * 1_000_000_000
        interval.lengthNs = 1_000_000_000
        interval.written = rate
        interval.accepted = answered
        interval.inFlight = Int64(second) * (rate - answered)
        return interval
    }
    run.limit = LimitRecord(kind: .rate, evidence: "the schedule asked for no more")
    let judgement = ProbeJudge.Judgement(
        outcome: outcome, reasons: outcome == .fails ? ["response.p99 < 20ms: 4 % of 2000 are within it"] : [])
    let probe = CapacitySearch.Probe(rate: Rate(perSecond: Double(rate)), length: .seconds(10), stage: stage)
    return ProbeRecord(probe, judgement, run: run)
}
