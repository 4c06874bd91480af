public import Primitives
public import PushWire

/// What a batch may hold.
public struct BatchPlan: Hashable, Sendable {
    /// The most notifications in one batch, at least 1.
    public var notifications: UInt64
    /// The most bytes in one batch; one notification always fits.
    public var bytes: Int
    /// The longest a notification may wait for its batch, counted from the oldest one in it.
    public var linger: Interval

    /// Makes a plan; the default byte limit is that of four full TLS records.
    public init(notifications: UInt64 = 100, bytes: Int = 65_536, linger: Interval = .milliseconds(1)) {
        self.notifications = notifications
        self.bytes = bytes
        self.linger = linger
    }
}

/// When a lost connection is replaced.
public struct ReconnectPlan: Hashable, Sendable {
    /// The pause after the first failed attempt.
    public var base: Interval
    /// By how much each further failure lengthens the pause.
    public var factor: Double
    /// The longest pause.
    public var cap: Interval
    /// The share of a pause that is drawn by chance, 0 ... 1, so that connections do not come back in step.
    public var jitter: Double

    /// Makes a plan.
    public init(
        base: Interval = .milliseconds(500), factor: Double = 2, cap: Interval = .seconds(10), jitter: Double = 0.2
    ) {
        self.base = base
        self.factor = factor
        self.cap = cap
        self.jitter = jitter
    }

    /// The pause before the next attempt after `failures` failures in a row (1 is the first).
    public func pause(afterFailures failures: Int, random: inout SeededRandom) -> Interval {
        var pause = Double(base.nanoseconds)
        for _ in 1..<max(1, min(failures, 64)) { pause = min(pause * factor, Double(cap.nanoseconds)) }
        pause = min(pause, Double(cap.nanoseconds))
        return Interval(nanoseconds: Int64(pause * (1 - jitter * random.unit())))
    }
}

/// How a session treats notifications whose connection ended without any proof.
public enum UnprovenPolicy: Hashable, Sendable {
    /// They are `unknown`.
    case report
    /// Those in the window are written again, each at most `limit` times; duplicates are then possible.
    case resend(limit: UInt32)
}

/// How long a written notification counts as in flight, when the window bounds what is in flight.
public enum SilencePlan: Hashable, Sendable {
    /// The round trip as measured when the connection was opened.
    case roundTrip
    /// This long.
    case constant(Interval)
}

/// The command of the binary interface in which notifications are written.
public enum NotificationCommand: Hashable, Sendable {
    /// Command 0: no identifier, so that nothing that the gateway says can be about one notification.
    case simple
    /// Command 1.
    case enhanced
    /// Command 2 with a priority, 10 or 5.
    case framed(priority: UInt8)
    /// Commands 1 and 2 by turns, some dozen notifications each.
    case mixed(priority: UInt8)

    /// Whether an error reply can name a notification.
    public var hasIdentifier: Bool { self != .simple }
}

/// Notifications that are damaged on purpose: every so many-th one of the run.
public struct MalformedPlan: Hashable, Sendable {
    /// What is wrong with their tokens.
    public var token: MalformedToken
    /// Of so many consecutive notifications the last one is damaged; at least 1.
    public var every: UInt64

    /// Makes a plan.
    public init(token: MalformedToken, every: UInt64) {
        precondition(every > 0, "one of at least one notification is damaged")
        self.token = token
        self.every = every
    }

    /// The first damaged notification from `sequence` on.
    func next(from sequence: UInt64) -> UInt64 { (sequence / every + 1) * every - 1 }
}

/// Everything that a provider session is told before the run.
public struct SessionPlan: Hashable, Sendable {
    /// The command in which notifications are written.
    public var command = NotificationCommand.enhanced
    /// Notifications damaged on purpose; nil for none.
    public var malformed: MalformedPlan?
    /// How notifications are gathered.
    public var batch = BatchPlan()
    /// How many of the last written notifications are kept for writing them again.
    public var window: UInt64 = 65_536
    /// When lost connections come back.
    public var reconnect = ReconnectPlan()
    /// What happens to the unproven.
    public var unproven = UnprovenPolicy.report
    /// The pause after each batch and its round trip, for the baseline in which a client waits for silence; nil when pipelined.
    public var waitAfterBatch: Interval?
    /// Bounds writing by the window: no more than ``window`` notifications are written before the oldest of them have met
    /// with silence for so long. Nil lets writing go on, and the window only limits what can be written again.
    public var silence: SilencePlan?
    /// How long a write may make no progress before the connection is given up.
    public var stallLimit = Interval.seconds(30)
    /// How long the reply to the sentinel may take, from when it was written or the gateway was last seen to move.
    public var sentinelTimeout = Interval.seconds(10)
    /// How long a connection is watched for its end after the last write, where no sentinel can prove anything (command 0).
    public var watchTime = Interval.milliseconds(500)
    /// The run's identifiers.
    public var identifiers = IdentifierSpace()
    /// The sequence number of the first sentinel; sentinels of all sessions lie from here on.
    public var sentinelBase: UInt64 = IdentifierSpace.count - 1_000_000
    /// The expiry in every frame of commands 1 and 2, in UNIX seconds; 0 asks the gateway not to store.
    public var expiry: UInt32 = 0

    /// How many of the last written notifications can be written again: the window. Where silence bounds what is in flight it is
    /// many more, since an error may come much later than the round trip that silence was taken from, and keeping costs nothing.
    var keptCount: UInt64 { silence == nil ? window : max(65_536, window * 16) }

    /// Makes a plan with the defaults.
    public init() {}
}
