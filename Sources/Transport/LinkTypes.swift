public import Primitives
public import SecureChannel

/// How a link is made and bounded.
public struct LinkOptions: Equatable, Sendable {
    /// The longest from the first packet to a TCP connection.
    public var connectTimeout = Interval.seconds(5)
    /// The longest from the TCP connection to the end of the TLS handshake.
    public var handshakeTimeout = Interval.seconds(5)
    /// Whether small writes leave at once (TCP_NODELAY); off, six bytes may wait 40 ms for an acknowledgement.
    public var sendsAtOnce = true
    /// The kernel's send buffer in bytes (SO_SNDBUF); nil leaves it to the kernel, which is right but for experiments.
    public var sendBufferBytes: Int?
    /// The most bytes that wait in the kernel for their first transmission (TCP_NOTSENT_LOWAT); nil for no limit.
    public var unsentLimitBytes: Int?
    /// The longest that written bytes may stay without any acknowledgement before the kernel gives the connection up
    /// (TCP_USER_TIMEOUT, RFC 5482), as when something between dropped it without a word; nil for the kernel's own, many minutes.
    public var unacknowledgedLimit: Interval?
    /// The kernel's receive buffer in bytes (SO_RCVBUF); nil leaves it to the kernel.
    public var receiveBufferBytes: Int?
    /// A simulated long way to the peer, on accepted links; nil for none.
    public var path: NetworkPath?

    /// Makes the default options.
    public init() {}
}

/// What is known of a link once it is open.
public struct LinkFacts: Equatable, Sendable {
    /// The other end.
    public let peer: SocketAddress
    /// The TCP port of this end; 0 if the system does not tell it.
    public let localPort: UInt16
    /// What TLS agreed on, and whether a session was resumed.
    public let tls: TLSFacts
    /// From the first packet to the TCP connection; zero on an accepted link.
    public let tcpTime: Interval
    /// From the TCP connection to the end of the TLS handshake.
    public let tlsTime: Interval
    /// The processor time that this end spent in the handshake.
    public let handshakeProcessorTime: Interval

    /// The round trip to a server, estimated from the time that opening the connection took: TCP takes one, TLS 1.3 one
    /// (RFC 8446 section 2), TLS 1.2 two, or one when it resumes (RFC 5246 section 7.3). Too long by what the server
    /// works meanwhile.
    public var roundTrip: Interval {
        let count: Int64 = tls.version == .tls12 && !tls.isResumed ? 3 : 2
        return Interval(nanoseconds: (tcpTime + tlsTime).nanoseconds / count)
    }
}

/// Why a connection could not be made.
public enum ConnectFailure: Equatable, Sendable {
    /// Nobody listens there.
    case refused
    /// No answer in time.
    case timedOut
    /// No way there; `code` is the system's error number.
    case unreachable(code: Int32)
    /// Anything else; `code` is the system's error number.
    case other(code: Int32)
}

/// How a link ended.
public enum LinkEnd: Equatable, Sendable {
    /// The peer closed properly, with close_notify.
    case closedByPeer
    /// The peer's stream ended without close_notify: it may have been cut.
    case truncated
    /// The peer, or something between, reset the connection.
    case reset
    /// Reading failed otherwise; `code` is the system's error number.
    case readFailed(code: Int32)
    /// A write failed, and the read side was drained since; `code` is the system's error number.
    case writeFailed(code: Int32)
    /// There never was a TCP connection.
    case connectFailed(ConnectFailure)
    /// The TLS handshake failed.
    case handshakeFailed(TLSFailure)
    /// The peer closed or reset the connection during the handshake.
    case handshakeInterrupted
    /// The handshake was not done in time.
    case handshakeTimedOut
    /// TLS broke after the handshake; a client certificate that TLS 1.3 refuses shows here, too.
    case tlsFailed(TLSFailure)
    /// A limit of this process or machine was hit, not the peer's doing.
    case localLimit(SystemFailure)
    /// We closed it.
    case closedLocally
}

/// How to close a link.
public enum LinkClosing: Equatable, Sendable {
    /// Writes what is pending, then close_notify, then the end of the stream; reads and discards until the peer ends
    /// too, for at most `drain` from the last step and at most 64 MiB and what a simulated path holds. The last bytes arrive even
    /// when unread input is waiting.
    case graceful(drain: Interval)
    /// Closes at once; the kernel still sends what it has, unless unread input makes it reset the connection.
    case abrupt
    /// Resets the connection at once.
    case reset
    /// Writes what is pending, then close_notify, then the end of the stream, and reads nothing more: the last bytes
    /// arrive and what comes meanwhile stays unread. The socket is given back when the peer ends too, or after a second.
    case fin
}

/// What to do when the peer has closed its direction.
public enum PeerFinish: Equatable, Sendable {
    /// End the link at once.
    case end
    /// Keep our direction open; the handler closes the link when it has nothing more to say.
    case keepSending
}

/// What a link has counted so far.
public struct LinkCounters: Equatable, Sendable {
    /// Encrypted bytes read from the socket.
    public internal(set) var wireBytesIn = 0
    /// Encrypted bytes that the kernel has taken.
    public internal(set) var wireBytesOut = 0
    /// Successful read calls.
    public internal(set) var readCount = 0
    /// Successful write calls.
    public internal(set) var writeCount = 0
    /// Batches that the handler filled.
    public internal(set) var batchCount = 0
    /// Writes that the kernel did not take whole.
    public internal(set) var blockedWriteCount = 0
}

/// What drives a link. All calls come on the link's loop, never from inside a call to the link or loop.
public protocol LinkHandler: AnyObject {
    /// TCP and TLS are up. A first call to fill follows by itself.
    func linkOpened(_ link: Link, facts: LinkFacts, now: Instant)

    /// Decrypted bytes came, at least one, at most 256 KiB; `bytes` is valid only during the call.
    func link(_ link: Link, received bytes: UnsafeRawBufferPointer, now: Instant)

    /// Writes the next batch into `buffer` and returns its size, at most `buffer.count` (64 KiB).
    ///
    /// The batch becomes full TLS records that leave in one write. After 0 there is no further call until
    /// ``Link/requestFill()``.
    func link(_ link: Link, fill buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int

    /// The kernel has taken everything of the last batch.
    func link(_ link: Link, flushedAt now: Instant)

    /// The deadline set with ``Link/setDeadline(_:)`` came, and is no longer set.
    func link(_ link: Link, timerFiredAt now: Instant)

    /// The peer sends nothing more: it closed its direction with close_notify (`cleanly`) or only ended the stream.
    func linkPeerFinished(_ link: Link, cleanly: Bool, now: Instant) -> PeerFinish

    /// The link is over: called exactly once, and nothing is called afterwards.
    func linkEnded(_ link: Link, end: LinkEnd, now: Instant)
}

extension LinkHandler {
    /// Does nothing.
    public func link(_ link: Link, flushedAt now: Instant) {}
    /// Does nothing.
    public func link(_ link: Link, timerFiredAt now: Instant) {}
    /// Ends the link.
    public func linkPeerFinished(_ link: Link, cleanly: Bool, now: Instant) -> PeerFinish { .end }
}
