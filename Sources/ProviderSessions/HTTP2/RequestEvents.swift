public import Primitives
public import PushWire

/// Requests that were answered alike, with anything but 200, one after the other.
public struct RequestRefusal: Hashable, Sendable {
    /// How many requests.
    public var count: UInt64
    /// The status of the response.
    public var status: Int
    /// The reason in its body.
    public var reason: RefusalBody.Reason
    /// Since when the device token is gone, in milliseconds since 1970.
    public var timestampMilliseconds: Int64?
    /// Whether the notifications are sent again, so that this is not their fate.
    public var isRetried: Bool

    /// The reason's text, or the status where there is none.
    public var name: String {
        let body = RefusalBody(reason: reason)
        return body.reason == .absent ? "\(status)" : body.reasonName
    }

    /// Whether `other` differs in nothing but the number of requests.
    func isLike(_ other: RequestRefusal) -> Bool {
        status == other.status && isRetried == other.isRetried
            && timestampMilliseconds == other.timestampMilliseconds && reason == other.reason
    }
}

/// What kept a session from opening another request.
public enum BlockCause: UInt8, Hashable, Sendable, CaseIterable {
    /// The peer's window for DATA.
    case window
    /// The peer's limit of concurrent streams.
    case streams
}

/// When one answered request was written, for latencies; the end of its response is common to all of one call.
@frozen public struct RequestSample: Hashable, Sendable {
    /// The notification.
    public var sequence: UInt64
    /// When the request was put into its batch.
    public var writtenAt: Instant
    /// The status of the response.
    public var status: UInt16 = 200
    /// The documented reason in its body, if it has one.
    public var reason: RefusalReason?

    /// Whether it was accepted.
    public var isAccepted: Bool { status == 200 }
}

/// Something that only the provider API has.
public enum RequestEvent: Hashable, Sendable {
    /// Requests were refused by responses.
    case refused(RequestRefusal, at: Instant)
    /// The gateway ended streams; those refused before anything was done about them are sent again.
    case streamsReset(HTTP2ErrorCode, count: UInt64, at: Instant)
    /// Requests had no answer in time and were cancelled.
    case timedOut(count: UInt64, at: Instant)
    /// The gateway ends the connection; `resent` requests are above its last stream and are sent again.
    case goAway(HTTP2ErrorCode, reason: RefusalBody.Reason, resent: UInt64, at: Instant)
    /// So many requests may be open at once from now on.
    case streamLimit(Int, at: Instant)
    /// The peer kept the session from opening requests for so long.
    case blocked(BlockCause, Interval, at: Instant)
    /// A request was given up without an answer, and is not sent again.
    case unanswered(UInt64, writtenAt: Instant, at: Instant)
    /// A notification was to be sent again, as the request that had carried it was given up, and the run ended first.
    case neverAnswered(UInt64, at: Instant)
    /// The gateway broke a rule.
    case violation(HTTP2Violation, at: Instant)
}
