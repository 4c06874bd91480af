import Histograms
import Primitives
import ProviderSessions
import PushWire

/// How long refused requests took, by phase and documented reason, or by status without one; of what a hostile gateway can vary, only
/// the first kinds are kept.
struct RefusalLatencies {
    /// What one phase has, by kind of refusal.
    typealias Snapshots = [RunPhase: [RequestBook.RefusalKind: HistogramSnapshot]]

    private struct Entry {
        var phase: RunPhase
        var status: UInt16
        var reason: RefusalReason?
        var histogram = Histogram()
    }

    private static let kindLimit = 64
    /// Looked through for each refusal, since texts cost more: there are few kinds.
    private var entries: [Entry] = []

    /// Enters one refusal.
    mutating func record(_ refusal: RequestSample, answeredAt end: Instant, in phase: RunPhase) {
        let latency = (end - refusal.writtenAt).nanoseconds
        if let index = entries.firstIndex(where: {
            $0.status == refusal.status && $0.phase == phase && $0.reason == refusal.reason
        }) {
            return entries[index].histogram.record(latency)
        }
        guard entries.count < Self.kindLimit else { return }
        let entry = Entry(phase: phase, status: refusal.status, reason: refusal.reason)
        entry.histogram.record(latency)
        entries.append(entry)
    }

    /// Everything that was recorded.
    var snapshots: Snapshots {
        var all: Snapshots = [:]
        for entry in entries {
            let kind = RequestBook.RefusalKind(
                status: Int(entry.status), reason: entry.reason.map { .known($0) } ?? .absent)
            all[entry.phase, default: [:]][kind] = entry.histogram.snapshot()
        }
        return all
    }
}
