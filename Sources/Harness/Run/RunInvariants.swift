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
        checkPhases(record, outcome)
        checkHistograms(record)
        checkSent(outcome)
        if isTimed { checkTimed(outcome, join) }
        checkLittlesLaw(record)
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
            ("rejected", record.intervals.reduce(0) { $0 + $1.rejected }, book.count(of: .rejected)),
        ]
        for (name, sum, total) in sums {
            require(sum == Int64(total), "the intervals' \(name) add up to \(sum), and the total is \(total)")
        }
        // Where nobody tells, the sender's book is what is left.
        let total = outcome.acceptedInAll ?? Int64(book.count(of: .accepted))
        let accepted = record.intervals.compactMap(\.accepted)
        let sum = accepted.reduce(0, +)
        require(
            accepted.isEmpty || sum == total, "the intervals' accepted add up to \(sum), and the total is \(total)")
        if outcome.simulator != nil { require(!accepted.isEmpty, "no interval tells of \(total) accepted") }
    }

    /// Every event belongs to a phase, and every phase in which something happened is told.
    private mutating func checkPhases(_ record: RunRecord, _ outcome: RunOutcome) {
        // Not in a run that never began.
        guard let phases = record.phases else { return }
        let book = outcome.sender.ledger
        let sums: [(String, Int64, UInt64)] = [
            ("written", phases.reduce(0) { $0 + $1.written }, book.written),
            ("sent", phases.reduce(0) { $0 + $1.sent }, outcome.sentCount),
            ("bytes", phases.reduce(0) { $0 + $1.bytes }, book.writtenBytes),
        ]
        for (name, sum, total) in sums {
            require(sum == Int64(total), "the phases' \(name) add up to \(sum), and the total is \(total)")
        }
    }

    /// Where intervals keep histograms, they and those of the phases have the same values.
    private mutating func checkHistograms(_ record: RunRecord) {
        let kept = record.intervals.compactMap(\.histograms)
        guard kept.count == record.intervals.count, !kept.isEmpty else { return }
        var totals: [String: String] = [:]
        for series in Series.allCases {
            for phase in RunPhase.allCases {
                let other = record.phases?.first { $0.name == phase.rawValue }?.latency
                let latency = phase == .measure ? record.latency : other ?? [:]
                totals[series.tag(in: phase)] = latency[series.name]?.histogram
            }
        }
        var sums: [String: Histogram] = [:]
        for (tag, text) in kept.joined() {
            guard let part = try? Histogram(base64: text) else { continue }
            let sum = sums[tag] ?? Histogram()
            sum.addOrStop(part.snapshot())
            sums[tag] = sum
        }
        let nothing = Histogram().base64()
        // What the simulator's traces of connections tell is known for all of the run at once.
        let untimed = [Series.reconnectDetect.name, Series.firstAcceptance.name]
        for tag in Set(sums.keys).union(totals.keys).sorted() where !untimed.contains(tag) {
            require(
                (sums[tag]?.base64() ?? nothing) == (totals[tag] ?? nothing),
                "the intervals' \(sums[tag]?.count ?? 0) values of \(tag) are not those of the phases")
        }
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
        func censored(_ name: Series) -> Int64 { outcome.sender.censored.values.reduce(0) { $0 + ($1[name] ?? 0) } }
        let services = outcome.sender.count(of: .service) - censored(.service)
        let answers = Int64(outcome.sender.ledger.proofs[.response] ?? 0)
        require(services == answers, "\(services) service times are of \(answers) requests that were accepted")
        guard outcome.arrivals != nil else { return }
        let responses = outcome.sender.count(of: .response)
        require(
            responses == services + censored(.response),
            "\(responses) response times are of \(services) accepted and \(censored(.response)) unanswered notifications"
        )
    }

    /// Little's law, where it applies.
    private mutating func checkLittlesLaw(_ record: RunRecord) {
        guard let law = record.littlesLaw else { return }
        require(
            law.holds,
            "Little's law: \(law.inFlight) were in flight on average, and rate × latency is \(law.expectedInFlight), "
                + "which may be off by \(100 * law.tolerance) %")
    }
}

extension RunOutcome {
    /// Notifications that were sent, each once.
    fileprivate var sentCount: UInt64 { sender.phases.values.reduce(0) { $0 + $1.sent } }
}
