import Histograms
import Primitives
import ProviderSessions
import RunRecords

/// What reconnects cost on one event loop: handshakes by kind, a sample of events, and the throughput around them.
struct ReconnectRecorder: Sendable {
    /// Handshakes of all connections, the first ones included.
    private(set) var handshakes = HandshakesRecord()
    /// Replacements whose TLS session was resumed, as the library tells.
    private(set) var resumed: UInt64 = 0
    /// Replacements with a full handshake.
    private(set) var full: UInt64 = 0
    /// Notifications that they made necessary to write again.
    private(set) var resent: UInt64 = 0
    private(set) var events = EvenSample<Reconnect>(capacity: Self.sampleCapacity)
    private(set) var throughput = ThroughputBins(origin: .distantFuture)

    /// The most events of one loop that are kept whole.
    static let sampleCapacity = 4_096

    /// What comes before belongs to the warm-up.
    mutating func beginMeasuring(at start: Instant) { throughput = ThroughputBins(origin: start) }

    mutating func connected(_ facts: ConnectionFacts) {
        handshakes.add(isResumed: facts.isResumed, processorTime: facts.processorTime)
    }

    mutating func wrote(notifications: UInt64, resent: UInt64, at now: Instant) {
        throughput.add(notifications: notifications, resent: resent, at: now)
    }

    mutating func reconnected(_ reconnect: Reconnect) {
        if reconnect.facts.isResumed { resumed += 1 } else { full += 1 }
        resent += reconnect.resent
        events.add(reconnect)
        throughput.markReplacement(from: reconnect.endSeenAt, to: reconnect.writtenAt)
    }

    /// A connection ended whose replacement never carried a batch.
    mutating func abandoned(from endSeen: Instant, to now: Instant) {
        throughput.markReplacement(from: endSeen, to: now)
    }

    /// Adds another loop's, of which only so many events are kept.
    mutating func add(_ other: ReconnectRecorder) {
        handshakes.add(other.handshakes)
        resumed += other.resumed
        full += other.full
        resent += other.resent
        throughput.add(other.throughput)
    }
}

extension LoopRecorder {
    /// Enters the parts of a replacement, each into its series.
    func recordParts(_ reconnect: Reconnect) {
        let at = reconnect.writtenAt
        self[.reconnectWait, at: at].record(reconnect.wait.nanoseconds)
        self[.reconnectTCP, at: at].record(reconnect.tcp.nanoseconds)
        let tls = reconnect.facts.isResumed ? Series.reconnectTLSResumed : .reconnectTLSFull
        self[tls, at: at].record(reconnect.tls.nanoseconds)
        self[.reconnectWrite, at: at].record(reconnect.write.nanoseconds)
        self[.reconnect, at: at].record(reconnect.cost.nanoseconds)
    }
}
