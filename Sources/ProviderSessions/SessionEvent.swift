public import Primitives
public import PushWire

/// What became of a notification; every one has exactly one fate at the end of a run.
public enum Fate: UInt8, Hashable, Sendable, CaseIterable {
    /// Proved to be accepted.
    case accepted
    /// Named by an error reply.
    case rejected
    /// Known to have been discarded, and not written again.
    case lost
    /// Written, and nothing proves what became of it.
    case unknown
    /// Never written.
    case unsent
}

/// Why a notification is lost.
public enum LossReason: String, Hashable, Sendable, CaseIterable {
    /// The gateway discarded it, and it had left the window, so that it could not be written again.
    case window
    /// It was written again as often as allowed and still met with no proof. The gateway may have accepted it all the same,
    /// which only the gateway's own book can tell.
    case cap
    /// The gateway discarded it, and the run ended before it was written again.
    case abandoned
    /// The gateway refused its stream (REFUSED_STREAM) as often as allowed.
    case refused
    /// Nothing answered it, and the gateway's own book neither accepted nor refused it: it never came, or was discarded unjudged.
    case book
}

/// What proves that notifications were accepted.
public enum Proof: UInt8, Hashable, Sendable, CaseIterable {
    /// An error reply that names a later notification.
    case errorReply
    /// A shutdown (status 10), which names the last accepted notification.
    case shutdown
    /// The reply to the sentinel, the deliberately bad notification behind all others.
    case sentinel
    /// A response of the provider API.
    case response
}

/// Why a connection ended, as far as the session cares.
public enum ConnectionEnd: Hashable, Sendable {
    /// The peer closed its side in order.
    case closedByPeer
    /// The connection was reset, or a write failed.
    case reset
    /// The target did not accept the TCP connection.
    case refused
    /// TCP or TLS were not up in time.
    case timedOut
    /// The TLS handshake failed.
    case handshakeFailed
    /// This machine could not open another connection.
    case localLimit
    /// We closed it.
    case closedHere
}

/// The parts of a connection's set-up.
public struct ConnectionFacts: Hashable, Sendable {
    /// From the start of the attempt to the TCP connection.
    public var tcp: Interval
    /// From the TCP connection to the end of the TLS handshake.
    public var tls: Interval
    /// Whether the TLS library says that an earlier session was resumed.
    public var isResumed: Bool
    /// The round trip to the target, as the set-up lets it be estimated; zero when it does not.
    public var roundTrip: Interval
    /// The processor time that our end spent in the handshake.
    public var processorTime = Interval.zero
    /// The TCP port of our end; 0 if the driver does not know it.
    public var port: UInt16 = 0

    /// Makes the facts of one connection.
    public init(tcp: Interval, tls: Interval, isResumed: Bool, roundTrip: Interval = .zero) {
        self.roundTrip = roundTrip
        self.tcp = tcp
        self.tls = tls
        self.isResumed = isResumed
    }
}

/// Something that happened in a session and that the recorder must know; one for a batch, never one for a notification.
public enum SessionEvent: Hashable, Sendable {
    /// A batch is in the kernel's hands.
    ///
    /// `residence` counts from the batch's offer to the connection; `bytes` are those of the frames.
    case wrote(notifications: UInt64, resent: UInt64, bytes: UInt64, residence: Interval, at: Instant)
    /// Notifications are in the kernel's hands for the first time; each is told of once, when it was written or the connection
    /// ended under it, and before its fate. The kernel was first asked to take them at `at`, and had all of the batch at `takenAt`.
    case sent(SequenceRun, at: Instant, takenAt: Instant)
    /// Notifications have their fate, any but lost.
    case settled(SequenceRun, Fate, Proof?)
    /// Notifications are lost.
    case lost(SequenceRun, LossReason)
    /// An error reply came: `latency` counts from the write of the named notification (nil when that is no longer known),
    /// `inFlight` is how many notifications had been written behind it.
    case errorReply(ErrorReply, sequence: UInt64, latency: Interval?, inFlight: UInt64, at: Instant)
    /// An error reply that names nothing written on this connection.
    case unplacedReply(ErrorReply, at: Instant)
    /// A reply, of whatever kind, was read although a write on its connection had failed before.
    case replyAfterWriteFailure(at: Instant)
    /// Bytes that are no error reply; the first ones of them.
    case protocolViolation(LeadingBytes, at: Instant)
    /// Notifications were discarded by the gateway and had already left the window.
    case windowOverrun(lost: UInt64, windowNeeded: UInt64)
    /// A connection stands.
    case connected(ConnectionFacts, at: Instant)
    /// The first batch of a replacement is written.
    case reconnected(Reconnect)
    /// For the first time something written on a replacement is proved; `after` counts from the first sign of its
    /// predecessor's end.
    case firstProof(after: Interval, at: Instant)
    /// An attempt to connect failed.
    case connectFailed(ConnectionEnd, at: Instant)
    /// An established connection ended without a reply that explains it.
    case connectionLost(ConnectionEnd, unproven: UInt64, at: Instant)
    /// Everything written on the session is proved, as the events behind this one tell; `at` is when the sentinel's reply came.
    case proved(at: Instant)
    /// Something that only the provider API has.
    case request(RequestEvent)
}
