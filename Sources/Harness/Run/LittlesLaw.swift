import Histograms
import Primitives
import ProviderSessions
import RunRecords

/// Finds both sides of Little's law for one run; ``LittlesLawRecord`` says what they are and how far they may differ.
enum LittlesLaw {
    /// Both sides, or why the law does not apply.
    enum Finding: Equatable {
        case found(LittlesLawRecord)
        case missing(String)
    }

    /// Both sides of a run over HTTP/2 read the same clock at the same calls.
    static let requestTolerance = 0.001
    /// Writes, reads and notifications of the binary interface do, too; the rest is for what the sums of refused ones differ by.
    static let notificationTolerance = 0.01
    /// By how many of its standard errors a sample's mean may be off.
    static let errorsOfSample = 5.0
    /// With more refused ones than this share the two sides would be about different things.
    static let refusedShareMax = 0.01

    /// Looks at a run whose latencies were joined; `join` is nil where none were measured, or none can be told from another.
    static func find(_ outcome: RunOutcome, _ join: LatencyJoin?, isTimed: Bool) -> Finding {
        guard isTimed else { return .missing("the profile has latencies not measured") }
        guard let join else { return .missing("without identifiers no notification can be told from another") }
        return join.isSampled ? ofNotifications(outcome, join) : ofRequests(outcome)
    }

    /// Every request that was ever open was answered, given up or withdrawn, so that the law holds however a run ends.
    private static func ofRequests(_ outcome: RunOutcome) -> Finding {
        let flight = outcome.sender.flight
        let timed = [Series.service, .serviceRefused].map { outcome.sender.sum(of: $0) }
        let count = timed.reduce(flight.withdrawnCount) { $0 + $1.count }
        guard count == 0 || count >= MeasuredPart.fewest else { return .missing(tooFew(count)) }
        let law = LittlesLawRecord(
            held: flight.total, count: count,
            latencySum: Double(timed.reduce(flight.withdrawnTime) { $0 + $1.sum }),
            lengthNs: (flight.until - outcome.startedAt).nanoseconds, tolerance: requestTolerance)
        return law.map(Finding.found) ?? .missing("no request was in flight")
    }

    /// A notification is in flight from its first write until the simulator accepts it, or its error reply comes.
    private static func ofNotifications(_ outcome: RunOutcome, _ join: LatencyJoin) -> Finding {
        guard let simulator = outcome.simulator, let accepted = simulator.acceptedAt?.sum else {
            return .missing("success is silent, and only the book of the embedded simulator tells when it accepted")
        }
        let (written, refused) = (outcome.sender.firstWrites, outcome.sender.refusedAt)
        guard accepted.count > 0 else { return .missing("nothing was accepted") }
        guard written.count >= MeasuredPart.fewest else { return .missing(tooFew(written.count)) }
        guard simulator.ledger.duplicates == 0, accepted.count == simulator.ledger.accepted else {
            return .missing("some notifications were accepted twice, or carried no identifier of the run's")
        }
        guard written.count == accepted.count + refused.count, outcome.sender.ledger.proofs[.shutdown] ?? 0 == 0 else {
            return .missing("not everything that was written was accepted or refused by an error reply of its own")
        }
        let refusedShare = Double(refused.count) / Double(written.count)
        guard refusedShare <= refusedShareMax else {
            return .missing("more than 1 in 100 were refused, and what those take is no service time")
        }
        let services = services(join)
        guard let mean = services.mean, let deviation = services.standardDeviation, mean > 0 else {
            return .missing("no service time was measured")
        }
        let replies = outcome.sender.sum(of: .errorReply)
        let replyMean = replies.count > 0 ? Double(replies.sum) / Double(replies.count) : 0
        var tolerance = notificationTolerance + refusedShare
        if join.shift > 0 { tolerance += errorsOfSample * deviation / mean / Double(services.count).squareRoot() }
        let last = max(Instant(nanoseconds: simulator.lastAcceptedNs ?? 0), outcome.sender.lastProof ?? .zero)
        let law = LittlesLawRecord(
            held: accepted.nanoseconds + refused.nanoseconds - written.nanoseconds, count: written.count,
            latencySum: mean * Double(accepted.count) + replyMean * Double(refused.count),
            lengthNs: (last - outcome.startedAt).nanoseconds, tolerance: tolerance)
        return law.map(Finding.found) ?? .missing("nothing was in flight for any time")
    }

    /// Where there is no rate, there is no law about it.
    private static func tooFew(_ count: Int64) -> String {
        "\(count) are too few for a rate: \(MeasuredPart.fewest) are needed"
    }

    /// The service times of all phases.
    private static func services(_ join: LatencyJoin) -> Histogram {
        let all = Histogram()
        for series in join.series.values {
            if let part = series[.service] { all.addOrStop(part.histogram.snapshot()) }
        }
        return all
    }
}
