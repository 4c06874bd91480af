public import Primitives
public import PushWire

/// Which refused notifications are sent again, and when.
///
/// The rule of each reason is ``RefusalReason/retry``; what is not sent again is rejected.
public struct RetryPlan: Hashable, Sendable {
    /// How often a notification is sent again on another connection.
    public var otherConnectionLimit: UInt8 = 3
    /// How often a notification is sent again after ``laterDelay``.
    public var laterLimit: UInt8 = 0
    /// The delay before a throttled notification is sent again.
    public var laterDelay = Interval.seconds(1)
    /// How often a notification is sent again after a server's error.
    public var backoffLimit: UInt8 = 0
    /// The delay before the first of these times, doubled for each further one; Apple asks for fifteen minutes.
    public var backoffDelay = Interval.seconds(900)

    /// Makes the plan that sends nothing again but what another connection may take.
    public init() {}

    /// After what delay a notification is sent again that was refused `retries` times before; nil if it is not.
    func delay(rule: RetryRule, retries: UInt8) -> Interval? {
        switch rule {
        case .never, .whenCorrected: nil
        case .otherConnection: retries < otherConnectionLimit ? .zero : nil
        case .later: retries < laterLimit ? laterDelay : nil
        case .backoff: retries < backoffLimit ? backoffDelay * (1 << Int64(min(retries, 16))) : nil
        }
    }
}

/// What a session of the provider API is told beyond a ``SessionPlan``.
public struct RequestPlan: Hashable, Sendable {
    /// What all requests have in their headers.
    public var fields: RequestFields
    /// The run's identifiers.
    public var ids: NotificationIDSpace
    /// The most requests that are open at once on a connection, at least 1; the peer's limit may be lower.
    public var streams = 1_000
    /// Whether a connection has only one request open until the first was authenticated, as token authentication asks for.
    public var provesAuthorization = true
    /// How long an answer may take before its request is cancelled.
    public var requestTimeout = Interval.seconds(30)
    /// After what silence a PING asks whether the peer is there; nil for never.
    public var pingAfter: Interval? = .seconds(3_600)
    /// How long the answer to a PING may take.
    public var pingTimeout = Interval.seconds(10)
    /// The pause after a refused stream, doubled while nothing else comes, so that a peer that refuses all is not stormed.
    public var refusedPause = Interval.milliseconds(1)
    /// How often a notification is sent again whose stream the gateway refused; once more refused it is lost. Below `UInt16.max`.
    public var refusedLimit: UInt16 = 1_000
    /// The longest such pause; a connection on which a stream is still refused after it is given up like one that failed.
    public var refusedPauseLimit = Interval.seconds(1)
    /// Which refused notifications are sent again.
    public var retries = RetryPlan()
    /// How much of the costly frames is taken from the peer.
    public var floods = HTTP2FloodLimits()
    /// The last stream of a connection, after which it is replaced; odd.
    public var lastStreamID = HTTP2FrameHeader.lastStreamID

    /// Makes a plan.
    public init(fields: RequestFields, ids: NotificationIDSpace) {
        self.fields = fields
        self.ids = ids
    }
}
