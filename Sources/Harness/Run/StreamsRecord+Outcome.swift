import Primitives
import ProviderSessions
import RunRecords

extension StreamsRecord {
    /// Tells how many requests were in flight in a run whose latencies, rates and intervals the record has already.
    init(_ outcome: RunOutcome, profile: Profile, record: RunRecord) {
        self.init()
        let limit = record.intervals.compactMap(\.streamLimitHigh).max() ?? 1
        allowed = limit * Int64(profile.sender.connections)
        let blocked = outcome.sender.ledger.requests.blocked
        blockedByStreamsNs = blocked[.streams]?.nanoseconds ?? 0
        blockedByWindowNs = blocked[.window]?.nanoseconds ?? 0
        let answers = ["service", "serviceRefused"].compactMap { record.latency[$0] }
        let count = answers.reduce(0) { $0 + $1.count - ($1.censored ?? 0) }
        guard count > 0, let accepted = record.latency["service"].map({ $0.count - ($0.censored ?? 0) }), accepted > 0,
            let rate = outcome.acceptedPerSecond(profile)
        else { return }
        let timed = answers.reduce(0) { $0 + $1.count }
        let mean = answers.reduce(0) { $0 + Double($1.meanNs ?? 0) * Double($1.count) } / Double(timed)
        serviceMeanNs = Int64(mean)
        // Refused ones are no throughput, but they were in flight all the same; so were those that nobody answered.
        answeredPerSecond = rate * Double(count) / Double(accepted)
        guard profile.load.loop == .closed, mean > 0 else { return }
        expectedPerSecond = Double(allowed) * 1e9 / mean * Double(count) / Double(timed)
    }
}
