public import Primitives
public import PushWire

/// One fault of the simulator: what goes wrong, and when.
///
/// ``kind`` says which of the parameters have a meaning; the trigger's keys are the same for all kinds that notifications or replies
/// set off, and times alone for the others.
public struct FaultSettings: Equatable, Sendable {
    /// What goes wrong.
    public var kind: FaultKind

    /// From this time on, counted from the first connection, or with scope `connection` from each connection's opening.
    public var at: Interval?
    /// From the so-manieth notification on.
    public var after: Int?
    /// How long it lasts from there; for a stall, how long each one lasts. Nil means without end; `at` and `after` alone strike once.
    public var length: Interval?
    /// Each so-manieth notification.
    public var every: Int?
    /// This share of the notifications, drawn from the seed, from 0 to 1.
    public var share: Double?
    /// Notifications to tokens of this class.
    public var tokens: TokenClass?
    /// Notifications with these identifiers; empty for any.
    public var identifiers: [UInt32] = []
    /// Notifications whose payload contains this text.
    public var payloadContains: String?
    /// What times and counts belong to. Default: total.
    public var scope = Scope.total

    /// `status`: the status byte of the reply; not 10, which a shutdown sends.
    public var status = 8
    /// `close`, `replyClose`, `idleClose` and `kill`: how the connection ends. Default: graceful, for a kill reset.
    public var mode = CloseMode.graceful
    /// `throttle`: notifications read per second. `kill`: connections killed per second.
    public var rate: Rate?
    /// `throttle`: bytes read per second, as they are on the wire.
    public var bytes: Int?
    /// `idleClose` and `blackHole`: so long after anything came on a connection.
    public var idle: Interval?
    /// `slowAccept`: how long a new connection stands before anything is read from it.
    public var acceptDelay = Interval.zero
    /// `handshake`: what happens instead of a handshake.
    public var handshake = HandshakeMode.alert
    /// `handshake`: the number of the alert (RFC 8446, section 6). Default: 40, handshake_failure.
    public var alert = 40
    /// `replyDelay`, `responseDelay`, `acceptanceDelay`: how long it takes; for a reply nil to wait for ``until`` alone.
    public var delay: DelaySetting?
    /// `replyDelay`: the reply leaves as soon as so many further notifications were read.
    public var until: Int?
    /// `replyDelay`: whether what follows the refused notification is read and discarded meanwhile. Default: true.
    public var reads = true
    /// `replySplit`: the lengths of the pieces, together 6 bytes.
    public var pieces: [Int] = []
    /// `replySplit`: the time between two pieces. Default: none.
    public var pause = Interval.zero
    /// `replyIdentifier`: the identifier that replies name.
    public var identifier: UInt32?
    /// `replyIdentifier`: how far the named identifier is from the right one.
    public var shift: Int?
    /// `response`: the reason; its status goes with it. `goAway`: what the JSON says, nil for none.
    public var reason: RefusalReason?
    /// `resetStream` and `goAway`: the error code. Default: noError, for resetStream refusedStream.
    public var code = StreamCode.noError
    /// `goAway`: which stream is named as the last one. Default: latest.
    public var last = LastStream.latest
    /// `goAway`: how many streams before the latest the named one is; in place of ``last``.
    public var behind: Int?
    /// `goAway`: how long before it another one announces it, with the highest stream; nil for no announcement.
    public var announcement: Interval?
    /// `goAway`: whether the connection is closed once all is answered. Default: true.
    public var closes = true
    /// `streamLimit`: how many streams may be open from then on.
    public var streams = 1
    /// `streamWindow`: the window of each stream from then on, in bytes.
    public var window = 65_535

    /// Makes a fault of a kind that always strikes.
    public init(_ kind: FaultKind) {
        self.kind = kind
        if kind == .kill { mode = .reset }
        if kind == .resetStream { code = .refusedStream }
    }

    /// Error codes of HTTP/2 (RFC 9113 section 7).
    public enum StreamCode: String, Sendable, CaseIterable {
        /// NO_ERROR
        case noError
        /// PROTOCOL_ERROR
        case protocolError
        /// INTERNAL_ERROR
        case internalError
        /// FLOW_CONTROL_ERROR
        case flowControlError
        /// REFUSED_STREAM
        case refusedStream
        /// CANCEL
        case cancel
        /// ENHANCE_YOUR_CALM
        case enhanceYourCalm
        /// INADEQUATE_SECURITY
        case inadequateSecurity
    }

    /// Which stream GOAWAY names as the last one that was or will be dealt with.
    public enum LastStream: String, Sendable, CaseIterable {
        /// The latest that was begun.
        case latest
        /// None.
        case none
        /// The highest number there is; the connection goes on.
        case highest
    }

    /// What happens instead of a TLS handshake.
    public enum HandshakeMode: String, Sendable, CaseIterable {
        /// The client's first flight is answered with a fatal alert.
        case alert
        /// The stream ends before anything was read.
        case close
        /// The client's first flight is read, and the stream ends.
        case closeAfterHello
        /// What comes is read and never answered.
        case silence
    }

    /// What times and counts belong to.
    public enum Scope: String, Sendable, CaseIterable {
        /// The whole simulator.
        case total
        /// Each connection.
        case connection
    }

    /// What a token is to the simulator.
    public enum TokenClass: String, Sendable, CaseIterable {
        /// A synthetic token that is good.
        case valid
        /// A synthetic token that no gateway ever gave out.
        case badToken
        /// A synthetic token whose device no longer has the app.
        case unregistered
        /// A synthetic token of another app.
        case otherTopic
        /// A token that was not made with the run's seed.
        case foreign
    }

    /// How a connection ends.
    public enum CloseMode: String, Sendable, CaseIterable {
        /// close_notify, half-close, drain until the peer ends or a second has passed, close: a reply arrives.
        case graceful
        /// close_notify and the end of the stream, and nothing is read any more: a reply arrives, what comes stays unread.
        case fin
        /// Close without close_notify; unread input makes that a reset, which may destroy the reply.
        case abrupt
        /// A reset without waiting for the reply to leave.
        case reset
        /// close_notify and half-close, then reading on and discarding until the provider closes.
        case halfClose
        /// Never: reading on and discarding until the provider closes.
        case never
    }
}

/// How long replies are delayed.
public enum DelaySetting: Equatable, Sendable {
    /// Always as long.
    case constant(Interval)
    /// A distribution through its median and 99th percentile, cut at the longest.
    case distribution(DelayQuantiles)
    /// A log-normal distribution.
    case logNormal(LogNormalDelays)
}

/// Log-normal delays, not cut: with a sigma of 1 one in a thousand takes 22 times as long as the median.
public struct LogNormalDelays: Equatable, Sendable {
    /// The median. Default: 100 ms.
    public var median = Interval.milliseconds(100)
    /// The standard deviation of the natural logarithm, from 0 to 3. Default: 1.
    public var sigma = 1.0

    /// Makes the default delays.
    public init() {}
}

/// Delays by quantiles, which must not fall.
public struct DelayQuantiles: Equatable, Sendable {
    /// The median. Default: 100 ms.
    public var p50 = Interval.milliseconds(100)
    /// What 99 of 100 replies do not exceed. Default: 800 ms, as clients' authors saw it.
    public var p99 = Interval.milliseconds(800)
    /// The longest. Default: 1 s.
    public var max = Interval.seconds(1)

    /// Makes the default delays.
    public init() {}
}

/// The kinds of faults by their names in profiles.
public enum FaultKind: String, Sendable, CaseIterable {
    /// Notifications are refused with a status, whatever they are.
    case status
    /// Status 10 that names the last accepted notification, then close.
    case shutdown
    /// A connection ends without a reply.
    case close
    /// Nothing is read for a time.
    case stall
    /// A connection is neither read nor closed any more.
    case blackHole
    /// Reading is slow.
    case throttle
    /// Good notifications are accepted later, while others may overtake them.
    case acceptanceDelay
    /// A reply waits, and what follows the bad notification is read and discarded meanwhile.
    case replyDelay
    /// A reply leaves in pieces, each in a write and a TLS record of its own.
    case replySplit
    /// A reply never leaves; the connection ends without it.
    case replyWithheld
    /// A reply names the wrong notification.
    case replyIdentifier
    /// The connection ends in another way after a reply.
    case replyClose
    /// HTTP/2: requests are refused with a reason, whatever they are.
    case response
    /// HTTP/2: responses wait, while others may overtake them.
    case responseDelay
    /// HTTP/2: there is no response.
    case unanswered
    /// HTTP/2: the stream is reset instead of a response.
    case resetStream
    /// HTTP/2: the connection is given up by GOAWAY.
    case goAway
    /// HTTP/2: another number of streams may be open from then on.
    case streamLimit
    /// HTTP/2: the window of each stream is another one from then on.
    case streamWindow
    /// HTTP/2: the connection's window is not widened for a time.
    case windowHeld
    /// HTTP/2: no more notifications per second to each single device; others earn `TooManyRequests`.
    case tokenLimit
    /// New connections are refused for a time, or some of them at any time.
    case refuse
    /// New connections wait before anything is read from them.
    case slowAccept
    /// TLS handshakes fail.
    case handshake
    /// Connections on which nothing comes are closed.
    case idleClose
    /// One open connection after the other, drawn from the seed, is killed.
    case kill
    /// All connections are reset and new ones refused for a time.
    case outage
    /// The whole simulator does nothing for a time: neither reading, writing nor accepting.
    case freeze
}
