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
        let count = answers.reduce(0) { $0 + $1.count }
        guard count > 0, let accepted = record.latency["service"]?.count, accepted > 0,
            let rate = record.throughput.acceptedPerSecond
        else { return }
        let mean = answers.reduce(0) { $0 + Double($1.meanNs ?? 0) * Double($1.count) } / Double(count)
        serviceMeanNs = Int64(mean)
        // Refused ones are no throughput, but they were in flight all the same.
        answeredPerSecond = rate * Double(count) / Double(accepted)
        if mean > 0 { expectedPerSecond = Double(allowed) * 1e9 / mean }
    }
}
