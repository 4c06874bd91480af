public import Primitives

/// How notifications are sent.
public struct SenderSettings: Equatable, Sendable {
    /// Whether a connection waits between notifications.
    public enum Mode: String, Sendable, CaseIterable {
        /// Notifications follow each other without waiting.
        case pipelined
        /// Notifications follow each other until the window is full; each leaves it when it has met with silence for
        /// ``SenderSettings/silence``. So a connection carries at most window / silence.
        case windowed
        /// After each one the sender waits for a round trip, as measured when its connection was opened, and then for an error for
        /// ``SenderSettings/wait``; a baseline to compare with. A connection carries 1 / (round trip + wait).
        case waitEach = "wait-each"
    }

    /// Connections, opened at the start and replaced when they end. Default: 8.
    public var connections = 8
    /// Event loops; nil (the default) means one per core.
    public var loops: Int?
    /// How notifications are put together.
    public var batch = BatchSettings()
    /// Notifications written and not yet proved, per connection; at least a batch. Default: 65,536.
    public var window = 65_536
    /// The first identifier, 1 to 4,294,967,295; a high one makes identifiers wrap. Default: 1.
    public var firstIdentifier: UInt32 = 1
    /// Other identifiers than consecutive ones, to show that they cannot work.
    public var identifiers = IdentifierSettings()
    /// The priority of framed notifications, 10 or 5, and of requests by HTTP/2, 10, 5 or 1; the other protocols carry none. Default: 10.
    public var priority: UInt8 = 10
    /// Whether ``malformed`` may be set, so that nobody damages notifications by accident. Default: false.
    public var allowMalformed = false
    /// Notifications whose token is damaged; nil (the default) for none.
    public var malformed: MalformedSettings?
    /// Whether small segments leave at once (TCP_NODELAY). Default: true.
    public var noDelay = true
    /// The socket's send buffer in bytes; nil (the default) leaves it to the system.
    public var sendBuffer: Int?
    /// The most bytes that wait in the system for their first transmission, beyond one batch. Default: 131,072.
    /// What the network has not taken yet is lost work if an error comes, and goes cold in the caches.
    public var unsentLimit = 131_072
    /// Whether a connection waits between notifications. Default: pipelined.
    public var mode = Mode.pipelined
    /// How long wait-each waits for an error beyond the round trip. Default: 100 ms; of no effect when pipelined.
    public var wait = Interval.milliseconds(100)
    /// How long a notification stays in the window in mode windowed, if no error comes; nil (the default) means the round trip
    /// as measured when its connection was opened. Of no effect in other modes.
    public var silence: Interval?
    /// What becomes of notifications about which a connection's end says nothing.
    public var unproven = UnprovenSettings()
    /// How connections are replaced.
    public var reconnect = ReconnectSettings()
    /// The longest that TCP may take to connect. Default: 5 s.
    public var connectTimeout = Interval.seconds(5)
    /// The longest that the TLS handshake may take. Default: 10 s.
    public var handshakeTimeout = Interval.seconds(10)
    /// Whether TLS sessions are resumed. Default: true.
    public var resume = true
    /// The longest that a write may make no progress before its connection is given up. Default: 30 s.
    public var stallLimit = Interval.seconds(30)
    /// The longest to wait for the reply to a sentinel while the target shows no sign of work. Default: 10 s.
    public var sentinelTimeout = Interval.seconds(10)

    /// How long the event loop is busy with each notification beside sending it, as a provider that looks something up or writes a log
    /// line; also a slowdown of known size, to see whether comparisons find it. Default: none.
    public var extraWork = Interval.zero

    /// HTTP/2 only: requests that a connection has open at a time, if the gateway allows it. Default: 1,000.
    public var streams = 1_000
    /// HTTP/2 only: what requests carry, and how long they may take.
    public var http2 = HTTP2SenderSettings()

    /// Simple notifications only: how long a connection is watched for its end after the last write. Default: 500 ms.
    public var watch = Interval.milliseconds(500)

    /// Makes the default sender.
    public init() {}
}

/// Identifiers that are not consecutive.
public struct IdentifierSettings: Equatable, Sendable {
    /// The identifier of every notification; nil (the default) for consecutive ones. Since a reply then names all of
    /// them, more than one notification is refused.
    public var fixed: UInt32?

    /// Makes the default: consecutive identifiers.
    public init() {}
}

/// Notifications whose token is damaged.
public struct MalformedSettings: Equatable, Sendable {
    /// What is wrong with a token.
    public enum Token: String, Sendable, CaseIterable {
        /// 31 bytes behind a declared length of 32.
        case missingByte
        /// 32 bytes behind a declared length of 31.
        case extraByte
        /// No bytes behind a declared length of 0; framed ones are answered with identifier 0, which names none.
        case empty
    }

    /// What is wrong.
    public var token = Token.missingByte
    /// Of so many consecutive notifications the last one is damaged. Default: 1,000.
    public var every = 1_000

    /// Makes the default: the last byte of one in a thousand is missing.
    public init() {}
}

/// How notifications are put together into one write; the first limit reached ends a batch.
public struct BatchSettings: Equatable, Sendable {
    /// The most notifications. Default: 100.
    public var notifications = 100
    /// The most bytes; at least the largest notification. Default: 16,384, one TLS record.
    public var bytes = 16_384
    /// The longest that the batch's oldest notification waits for others. Default: 1 ms.
    public var linger = Interval.milliseconds(1)

    /// Makes the default batch.
    public init() {}
}

/// What becomes of notifications about which a connection's end says nothing.
public struct UnprovenSettings: Equatable, Sendable {
    /// What to do with them.
    public enum Policy: String, Sendable, CaseIterable {
        /// Count them as unknown.
        case report
        /// Send them again, which may deliver some twice.
        case resend
    }

    /// What to do with them. Default: report.
    public var policy = Policy.report
    /// How often one notification may be sent again, 1 to 100. Default: 3.
    public var limit = 3

    /// Makes the default: report.
    public init() {}
}

/// How connections are replaced: at once after an error reply, with growing delays after failed attempts.
public struct ReconnectSettings: Equatable, Sendable {
    /// The delay after the first failed attempt. Default: 50 ms.
    public var base = Interval.milliseconds(50)
    /// How much each further delay is longer, 1 to 10. Default: 2.
    public var factor = 2.0
    /// The longest delay. Default: 5 s.
    public var cap = Interval.seconds(5)
    /// The share of each delay that is random, 0 to 1. Default: 0.2: enough that connections do not come back in step, and little
    /// enough that none makes more than eight attempts in 30 s with delays from 500 ms to 10 s.
    public var jitter = 0.2
    /// The most attempts per second over all connections. Default: 10,000 to the simulator, 20 to any other gateway, as
    /// gateways take churn for an attack.
    public var attemptsPerSecond = Rate(perSecond: 10_000)

    /// Makes the defaults that hold for the simulator.
    public init() {}
}
