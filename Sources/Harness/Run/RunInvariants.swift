import Histograms
import Primitives
import ProviderSessions
import RunRecords

/// What must hold at the end of every run. If something does not, the program itself is wrong, and no figure can be trusted.
struct RunInvariants {
    /// What does not hold, one sentence each.
    private(set) var broken: [String] = []

    /// Checks a run; `isTimed` tells whether latencies were measured.
    init(_ record: RunRecord, _ outcome: RunOutcome, join: LatencyJoin?, isTimed: Bool = true) {
        checkSchedule(record)
        checkIntervals(record, outcome)
        checkSent(outcome)
        if isTimed { checkTimed(outcome, join) }
        if let join { checkLittlesLaw(outcome, join) }
    }

    private mutating func require(_ holds: Bool, _ text: @autoclosure () -> String) {
        if !holds { broken.append(text()) }
    }

    private mutating func checkSchedule(_ record: RunRecord) {
        guard let schedule = record.schedule else { return }
        require(
            schedule.isBalanced,
            "planned \(schedule.planned) is not sent \(schedule.sent) + skipped \(schedule.skipped.total)")
    }

    /// Intervals are differences of sums, so that they add up to the totals to the last bit.
    private mutating func checkIntervals(_ record: RunRecord, _ outcome: RunOutcome) {
        // Not in a run that never began.
        guard !record.intervals.isEmpty else { return }
        let book = outcome.sender.ledger
        let sums: [(String, Int64, UInt64)] = [
            ("written", record.intervals.reduce(0) { $0 + $1.written }, book.written),
            ("resent", record.intervals.reduce(0) { $0 + $1.resent }, book.resent),
            ("bytes", record.intervals.reduce(0) { $0 + $1.bytes }, book.writtenBytes),
            ("reconnects", record.intervals.reduce(0) { $0 + $1.reconnects }, book.reconnects),
        ]
        for (name, sum, total) in sums {
            require(sum == Int64(total), "the intervals' \(name) add up to \(sum), and the total is \(total)")
        }
        let phases = outcome.sender.phases.values.reduce(0) { $0 + $1.written }
        require(phases == book.written, "the phases' written add up to \(phases), and the total is \(book.written)")
    }

    private mutating func checkSent(_ outcome: RunOutcome) {
        let sent = outcome.sentCount
        let everSent = outcome.generated - outcome.sender.ledger.count(of: .unsent)
        require(sent == everSent, "\(sent) notifications were sent, and \(everSent) have a fate of sent ones")
    }

    private mutating func checkTimed(_ outcome: RunOutcome, _ join: LatencyJoin?) {
        if outcome.arrivals != nil {
            let lags = outcome.sender.count(of: .scheduleLag)
            require(
                lags == Int64(outcome.sentCount),
                "\(lags) schedule lags were measured of \(outcome.sentCount) notifications")
        }
        let residences = outcome.sender.count(of: .residence)
        let written = Int64(outcome.sender.ledger.written)
        require(residences == written, "\(residences) residences were measured of \(written) written")
        guard let join else { return }
        guard join.isSampled else { return checkRequests(outcome) }
        let services = join.count(of: .service) + join.count(of: .serviceBound)
        require(
            services == join.sentCount - join.untimedCount,
            "\(services) service times are of \(join.sentCount) sampled notifications, \(join.untimedCount) of them untimed"
        )
        guard outcome.arrivals != nil else { return }
        let responses = join.count(of: .response) + join.count(of: .responseBound)
        require(
            responses == services + join.unsentCount,
            "\(responses) response times are of \(services) timed and \(join.unsentCount) unsent notifications")
    }

    /// Over HTTP/2 every answer is timed, and so is every request that was given up.
    private mutating func checkRequests(_ outcome: RunOutcome) {
        let censored = outcome.sender.censored.values.reduce(0) { $0 + ($1[.service] ?? 0) }
        let services = outcome.sender.count(of: .service) - censored
        let answers = Int64(outcome.sender.ledger.proofs[.response] ?? 0)
        require(services == answers, "\(services) service times are of \(answers) requests that were accepted")
        guard outcome.arrivals != nil else { return }
        let responses = outcome.sender.count(of: .response)
        require(
            responses == services + censored, "\(responses) response times are of \(services + censored) requests")
    }

    /// Little's law: in flight on average = rate × service time on average.
    ///
    /// In flight comes from the bins of what was written and from the simulator's own reports of what it had accepted, rate and latency
    /// from the sample; so it holds two ways of counting against each other. Reports come ten times a second,
    /// and connections die with what they carry, so that only long, undisturbed runs can be held to it.
    private mutating func checkLittlesLaw(_ outcome: RunOutcome, _ join: LatencyJoin) {
        guard let law = LittlesLaw(outcome, join) else { return }
        require(
            law.holds,
            "Little's law: \(Int64(law.inFlight)) were in flight on average, and rate × service time is \(Int64(law.expected))"
        )
    }
}

extension RunOutcome {
    /// Notifications that were sent, each once.
    fileprivate var sentCount: UInt64 { sender.phases.values.reduce(0) { $0 + $1.sent } }
}

/// Both sides of Little's law for one run.
struct LittlesLaw {
    /// Notifications in flight on average, as counted.
    let inFlight: Double
    /// Rate × mean service time.
    let expected: Double
    private let tolerance: Double

    /// Shorter runs have too few reports of the simulator.
    private static let shortestRun = Interval.seconds(2)
    /// Instants at which what is in flight is counted.
    private static let pointCount: Int64 = 400

    /// Nil where the two sides cannot be compared: short runs, errors, resends, an end that was not waited for.
    init?(_ outcome: RunOutcome, _ join: LatencyJoin) {
        let book = outcome.sender.ledger
        guard let simulator = outcome.simulator, outcome.abort == nil, book.resent == 0,
            simulator.ledger.discarded == 0, simulator.ledger.duplicates == 0,
            book.count(of: .accepted) == book.written,
            let first = outcome.sender.firstWrite, let last = simulator.lastAcceptedNs,
            Instant(nanoseconds: last) - max(first, outcome.bounds.measureStart) >= Self.shortestRun
        else { return nil }
        var sum = Int128(0)
        var count: Int64 = 0
        // The bins begin with the measured part.
        let before = outcome.sender.phases[.warmup]?.written ?? 0
        let start = max(first, outcome.bounds.measureStart)
        for (phase, series) in join.series where phase != .warmup {
            guard let totals = series[.service]?.histogram.totals else { continue }
            sum += totals.sum
            count += totals.count
        }
        guard count >= 1_000 else { return nil }
        let length = Instant(nanoseconds: last) - start
        let rate = Double(book.written - before) / length.seconds
        expected = rate * Double(sum) / Double(count) / 1e9
        let accepted = StepCurve(simulator: outcome.simulatorProgress, total: simulator.ledger.accepted, endNs: last)
        let written = StepCurve(outcome.sender.reconnects.throughput)
        guard let written else { return nil }
        let step = length.nanoseconds / Self.pointCount
        let points = (0..<Self.pointCount).map { start + Interval(nanoseconds: $0 * step) }
        inFlight =
            points.reduce(0) { $0 + Double(before) + written.value(at: $1) - accepted.value(at: $1) }
            / Double(points.count)
        // A report is up to a tenth of a second old, and a bin as wide as it is.
        tolerance = 0.25 * expected + rate * (0.02 + outcome.sender.reconnects.throughput.width.seconds)
    }

    /// Whether the two sides agree within what their measurements allow.
    var holds: Bool { (inFlight - expected).magnitude <= tolerance }
}
