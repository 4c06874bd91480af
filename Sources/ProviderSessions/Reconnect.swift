public import Primitives
public import PushWire

/// A connection as both ends know it: the sender's port, and from when on the port was in use for it.
public struct ConnectionKey: Hashable, Sendable {
    /// The TCP port of the sender's end; 0 if the driver does not know it.
    public var port: UInt16
    /// When the sender began to connect.
    public var since: Instant

    /// Makes a key.
    public init(port: UInt16, since: Instant) {
        self.port = port
        self.since = since
    }
}

/// What one replaced connection cost: from the first sign of its end to the first batch on its successor.
///
/// The first sign is the last byte of an error reply, the end of the stream, a reset, a failed write or a run-out limit,
/// whichever this side saw first. The parts follow one another and add up to ``cost``: ``wait``, ``tcp``, ``tls``, ``write``.
public struct Reconnect: Hashable, Sendable {
    /// What ended the connection.
    public enum Cause: Hashable, Sendable {
        /// An error reply, with its status.
        case reply(ErrorStatus)
        /// The connection ended without a reply that explains it.
        case end(ConnectionEnd)
        /// A GOAWAY frame of the provider API, with its code.
        case goAway(HTTP2ErrorCode)
        /// The numbers of streams came to their end.
        case rollover
    }

    /// Which of the run's connections was replaced, from 0.
    public var slot: Int
    /// What ended the connection.
    public var cause: Cause
    /// When the first sign of the end was seen.
    public var endSeenAt: Instant
    /// When the write began that this side gave up on: the batch that the kernel could not take, or the sentinel without a reply; nil
    /// when the connection was ended from outside.
    public var silentSince: Instant?
    /// The connection that ended.
    public var predecessor: ConnectionKey
    /// The connection that replaced it.
    public var successor: ConnectionKey
    /// Attempts to connect, the one that succeeded included; more than one after failures or a successor that ended unused.
    public var attempts = 1
    /// When the successor stood.
    public var openedAt: Instant
    /// How the successor came to stand.
    public var facts: ConnectionFacts
    /// When the kernel had the successor's first batch, or its first reply proved that it has arrived.
    public var writtenAt: Instant
    /// Notifications that were written and had no proof when the connection ended; behind the named one if a reply named any.
    public var inFlight: UInt64
    /// Notifications that are written again because of this end.
    public var resent: UInt64

    /// From the first sign to the beginning of the attempt that succeeded: pauses, pacing and failed attempts.
    public var wait: Interval { successor.since - endSeenAt }
    /// From there to the TCP connection.
    public var tcp: Interval { facts.tcp }
    /// From there to the end of the TLS handshake.
    public var tls: Interval { facts.tls }
    /// From there to the first batch in the kernel's hands.
    public var write: Interval { writtenAt - openedAt }
    /// The sum of the parts.
    public var cost: Interval { writtenAt - endSeenAt }
}

/// Follows the replacement of one slot's connection from its end to the first batch on a successor.
struct ReconnectClock {
    private struct Ended {
        var cause: Reconnect.Cause
        var seenAt: Instant
        var silentSince: Instant?
        var connection: ConnectionKey
        var attempts = 1
        var inFlight: UInt64
        var resent: UInt64
    }

    private let slot: Int
    private var ended: Ended?
    private var present: (key: ConnectionKey, facts: ConnectionFacts, openedAt: Instant)?
    private var unproved: Instant?

    init(slot: Int) { self.slot = slot }

    /// When the end was seen whose replacement has not carried a batch yet; nil if there is none.
    var openEnd: Instant? { ended?.seenAt }

    /// The present connection ended; of several that end before a batch is written, the first counts.
    mutating func connectionEnded(
        _ cause: Reconnect.Cause, silentSince: Instant? = nil, inFlight: UInt64, resent: UInt64, at now: Instant
    ) {
        defer { present = nil }
        unproved = nil
        guard ended == nil else {
            ended?.attempts += 1
            return
        }
        guard let key = present?.key else { return }
        ended = Ended(
            cause: cause, seenAt: now, silentSince: silentSince, connection: key, inFlight: inFlight, resent: resent)
    }

    /// An attempt to connect failed.
    mutating func attemptFailed() { ended?.attempts += 1 }

    /// A connection stands.
    mutating func opened(_ facts: ConnectionFacts, at now: Instant) {
        let start = Instant(nanoseconds: now.nanoseconds - facts.tcp.nanoseconds - facts.tls.nanoseconds)
        present = (ConnectionKey(port: facts.port, since: start), facts, now)
    }

    /// The present connection carried a batch; returns what it took to get there if it is the first one of a replacement.
    mutating func written(at now: Instant) -> Reconnect? {
        guard let last = ended, let present else { return nil }
        ended = nil
        unproved = last.seenAt
        return Reconnect(
            slot: slot, cause: last.cause, endSeenAt: last.seenAt, silentSince: last.silentSince,
            predecessor: last.connection, successor: present.key,
            attempts: last.attempts, openedAt: present.openedAt, facts: present.facts, writtenAt: now,
            inFlight: last.inFlight, resent: last.resent)
    }

    /// A notification on the present connection was proved to be accepted; returns the first sign of the predecessor's end,
    /// once for each replacement.
    mutating func proved() -> Instant? {
        defer { unproved = nil }
        return unproved
    }
}
