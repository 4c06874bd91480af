import Primitives
import RunRecords
import SecureChannel
import Transport

/// When the connections of one event loop stood, first accepted something and were told their end, so that a run can hold
/// the sender's view of a reconnect against the gateway's.
final class ConnectionTraces {
    /// The handshakes of all connections.
    private(set) var handshakes = HandshakesRecord()
    private(set) var traces: [ConnectionTrace] = []

    /// Later connections leave no trace, so that memory is bounded whoever connects.
    static let capacity = 65_536

    /// Enters a connection; returns the place of its trace, nil beyond the capacity.
    func open(_ facts: LinkFacts, at now: Instant) -> Int? {
        handshakes.add(isResumed: facts.tls.isResumed, processorTime: facts.handshakeProcessorTime)
        guard traces.count < Self.capacity else { return nil }
        traces.append(ConnectionTrace(port: facts.peer.port, openedNs: now.nanoseconds))
        return traces.count - 1
    }

    func firstAccepted(_ place: Int?, at now: Instant) {
        if let place { traces[place].firstAcceptedNs = now.nanoseconds }
    }

    /// The last byte of a reply, or without one the end, was handed to the system.
    func endSent(_ place: Int?, at now: Instant) {
        if let place { traces[place].endSentNs = now.nanoseconds }
    }

    func hasEnd(_ place: Int?) -> Bool { place.map { traces[$0].endSentNs != nil } ?? true }
}
