public import Primitives
public import PushWire

/// What a gateway does wrong: its faults in order, and the seed that decides whatever is left to chance.
///
/// Of several faults that could refuse the same notification the first one does; of several that shape one reply the last one
/// has the last word.
public struct FaultPlan: Hashable, Sendable {
    /// Decides which notifications a share hits, and how long replies are delayed.
    public var seed: UInt64
    /// The faults; their places are those of their counts in ``GatewayCounts/faults``.
    public var faults: [GatewayFault]

    /// Makes a plan.
    public init(_ faults: [GatewayFault] = [], seed: UInt64 = 0) {
        self.faults = faults
        self.seed = seed
    }

    /// Adds a fault.
    public mutating func add(_ effect: GatewayFault.Effect, when trigger: FaultTrigger = FaultTrigger()) {
        faults.append(GatewayFault(effect, when: trigger))
    }
}

/// One thing that goes wrong, and when.
public struct GatewayFault: Hashable, Sendable {
    /// What goes wrong.
    public enum Effect: Hashable, Sendable {
        /// The notification is refused with this status, whatever it is.
        case status(ErrorStatus)
        /// The notification is accepted, and status 10 names it as the last one (Apple, "Binary Provider API", table A-4).
        case shutdown
        /// The connection ends without a reply.
        case close(CloseMode)
        /// Nothing is read for the trigger's length.
        case stall
        /// Nothing is read any more, and the connection is never closed.
        case blackHole
        /// No more notifications are accepted per second, by reading no faster.
        case throttle(Rate)
        /// A notification is taken in at once and accepted later, while others may overtake it.
        case acceptanceDelay(ReplyDelay)
        /// The reply waits, and what follows the refused notification is read and discarded meanwhile, or lies unread.
        case replyDelay(ReplyDelay)
        /// The reply leaves in pieces of these lengths, each in a write of its own, with pauses between.
        case replySplit([Int], pause: Interval)
        /// There is no reply; the connection ends when it would have left.
        case replyWithheld
        /// The reply names another notification.
        case replyIdentifier(ReplyName)
        /// The connection ends in this way after the reply.
        case replyClose(CloseMode)
        /// The request is answered with this reason, whatever it is.
        case response(RefusalReason)
        /// The response waits, while others may overtake it.
        case responseDelay(ReplyDelay)
        /// There is no response, and the stream stays open.
        case unanswered
        /// The stream is reset with this code instead of a response (RFC 9113 section 7).
        case resetStream(UInt32)
        /// The connection is given up (``GoAwayOrder``).
        case goAway(GoAwayOrder)
        /// So many streams may be open at a time from now on.
        case streamLimit(UInt32)
        /// The window of each stream has so many bytes from now on.
        case streamWindow(UInt32)
        /// The connection's window is not widened for the trigger's length.
        case windowHeld
        /// No more notifications per second to each single device; the others are answered with 429 `TooManyRequests`.
        case tokenLimit(Rate)
        /// Left to whoever drives the sessions: it concerns connections that do not stand yet, or all of them.
        case external
    }

    /// What goes wrong.
    public var effect: Effect
    /// When.
    public var trigger: FaultTrigger

    /// Makes a fault.
    public init(_ effect: Effect, when trigger: FaultTrigger = FaultTrigger()) {
        self.effect = effect
        self.trigger = trigger
    }
}

/// How a gateway ends a connection.
public enum CloseMode: Hashable, Sendable, CaseIterable {
    /// close_notify and half-close, then read and discard for a while: a reply arrives.
    case graceful
    /// close_notify and the end of the stream, and nothing is read any more: a reply arrives, what comes stays unread.
    case fin
    /// Close at once and without close_notify: on Linux unread input makes that a reset, which may destroy the reply.
    case abrupt
    /// Reset outright.
    case reset
    /// close_notify and half-close, then read and discard until the provider closes, too.
    case halfClose
    /// Not at all: what comes is read and discarded until the provider closes.
    case never
}

/// How long a reply waits.
public struct ReplyDelay: Hashable, Sendable {
    /// One length, or equally likely ones; empty to wait for ``notifications`` alone.
    public var lengths: [Interval]
    /// The reply leaves as soon as so many further notifications were read, even before its time; 0 to wait for the time alone.
    public var notifications: UInt64
    /// Whether what follows is read and discarded meanwhile; if not, it fills the socket until the provider's writes block.
    public var reads = true

    /// A wait until `notifications` were read, but no longer than one of `lengths`.
    public init(lengths: [Interval], notifications: UInt64 = 0) {
        self.lengths = lengths
        self.notifications = notifications
    }

    /// A constant delay.
    public static func constant(_ length: Interval) -> ReplyDelay { ReplyDelay(lengths: [length]) }

    /// Log-normal delays: as likely below `median` as above, and their logarithms normal with the standard deviation `sigma`.
    public static func logNormal(median: Interval, sigma: Double) -> ReplyDelay {
        let curve = LogNormalCurve(median: Double(median.nanoseconds), sigma: sigma)
        return ReplyDelay(lengths: curve.values(lengthCount).map { Interval(nanoseconds: Int64($0)) })
    }

    /// Into how many equally likely lengths a distribution is divided.
    private static let lengthCount = 1_024

    /// The length that is drawn for `number`.
    func length(drawnBy number: UInt64) -> Interval? {
        lengths.isEmpty ? nil : lengths[Int(number.multipliedFullWidth(by: UInt64(lengths.count)).high)]
    }

    /// Delays through a median and a 99th percentile, cut at `max`.
    public static func distribution(p50: Interval, p99: Interval, max: Interval) -> ReplyDelay {
        let curve = QuantileCurve(
            p50: Double(p50.nanoseconds), p99: Double(p99.nanoseconds), max: Double(max.nanoseconds))
        return ReplyDelay(lengths: curve.values(lengthCount).map { Interval(nanoseconds: Int64($0)) })
    }

    /// A wait for so many further notifications, but no longer than `limit`.
    public static func until(_ notifications: UInt64, limit: Interval? = nil) -> ReplyDelay {
        ReplyDelay(lengths: limit.map { [$0] } ?? [], notifications: notifications)
    }
}

/// Which notification a reply names instead of the right one.
public enum ReplyName: Hashable, Sendable {
    /// The one with this identifier; 0 names none.
    case identifier(UInt32)
    /// The one so many identifiers behind the right one, or before it.
    case shifted(Int32)
}

/// How a gateway gives up a connection of HTTP/2 (RFC 9113 section 6.8).
public struct GoAwayOrder: Hashable, Sendable {
    /// Which stream is named as the last one that was or will be dealt with.
    public enum LastStream: Hashable, Sendable {
        /// The latest that was begun: all that came are answered.
        case latest
        /// So many streams before the latest, although those may have been dealt with.
        case behind(UInt32)
        /// None: nothing was dealt with.
        case none
        /// The highest number there is, and the connection goes on until it is closed otherwise.
        case highest
    }

    /// The last stream.
    public var lastStream = LastStream.latest
    /// The error code (RFC 9113 section 7); 0 for none.
    public var code: UInt32 = 0
    /// What the JSON says behind the code; nil for no JSON.
    public var reason: RefusalReason?
    /// How long before it another GOAWAY announces it, with the highest stream number; nil for no announcement.
    public var announcement: Interval?
    /// Whether the connection is closed once everything up to the last stream is answered.
    public var closes = true

    /// Makes an order without error and without JSON.
    public init() {}
}
