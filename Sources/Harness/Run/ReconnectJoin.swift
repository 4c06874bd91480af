import Primitives
import ProviderSessions
import RunRecords

/// Finds the sender's connections among those that the simulator saw, by port and time; both processes share one clock.
struct ReconnectJoin {
    private let traces: [ConnectionTrace]

    init(_ traces: [ConnectionTrace]) {
        self.traces = traces.sorted { ($0.port, $0.openedNs) < ($1.port, $1.openedNs) }
    }

    /// From the moment at which the gateway handed the last byte of its reply, or the end of the connection, to the system
    /// until the sender saw it. Where the gateway only fell silent, from the write that the sender then gave up on. Nil when the
    /// gateway has no trace of an end.
    func detection(of reconnect: Reconnect) -> Interval? {
        if let silentSince = reconnect.silentSince { return reconnect.endSeenAt - silentSince }
        guard let sent = trace(of: reconnect.predecessor)?.endSentNs else { return nil }
        let time = reconnect.endSeenAt - Instant(nanoseconds: sent)
        return time >= .zero ? time : nil
    }

    /// From the first sign of the end until the gateway accepted a notification on the successor; nil when it accepted
    /// none, or has no trace of it.
    func firstAcceptance(after reconnect: Reconnect) -> Interval? {
        guard let accepted = trace(of: reconnect.successor)?.firstAcceptedNs else { return nil }
        return Instant(nanoseconds: accepted) - reconnect.endSeenAt
    }

    /// The first connection from that port since the sender began to connect.
    private func trace(of key: ConnectionKey) -> ConnectionTrace? {
        guard key.port != 0 else { return nil }
        var low = 0
        var high = traces.count
        while low < high {
            let middle = (low + high) / 2
            let found = traces[middle]
            if (found.port, found.openedNs) < (key.port, key.since.nanoseconds) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < traces.count && traces[low].port == key.port ? traces[low] : nil
    }
}
