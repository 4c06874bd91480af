public import Primitives
public import Workload

/// How the gateway judges what it receives, and how it ends a connection.
public struct GatewaySettings: Hashable, Sendable {
    /// What happens to a token that the key does not open: tokens of real devices, or of another seed.
    public enum ForeignTokens: Hashable, Sendable {
        /// They count as valid.
        case accept
        /// They are refused with status 8.
        case reject
    }

    /// How a connection ends after an error reply.
    public enum CloseMode: Hashable, Sendable {
        /// Reply, close_notify, half-close, then read and discard for a while: the reply arrives.
        case graceful
        /// Close at once: on Linux unread input makes that a reset, which may destroy the reply.
        case abrupt
        /// Reset outright.
        case reset
    }

    /// What an unknown command byte earns; Apple's documents disagree (TN2265 against "Binary Provider API" table A-4).
    public enum UnknownCommand: Hashable, Sendable {
        /// The connection closes without a reply.
        case silentClose
        /// Status 128 with identifier 0, then close.
        case protocolError
    }

    /// What a refused notification of command 0 earns, which has no identifier that a reply could name.
    public enum SimpleRefusal: Hashable, Sendable {
        /// The connection closes without a reply ("Legacy Notification Format").
        case silentClose
        /// The notification's status with identifier 0, then close.
        case reply
    }

    /// The token length that was ever seen in practice.
    public static let strictTokenBytes = 32...32
    /// The token lengths of which Apple's last document speaks ("Binary Provider API", table A-2: up to 100 bytes).
    public static let variableTokenBytes = 1...100

    /// The seed of the synthetic tokens that are opened and judged; nil to judge only their form.
    public var tokenSeed: UInt64?
    /// The environment whose tokens are valid.
    public var environment = PushEnvironment.sandbox
    /// Whether tokens are judged by environment and fate class.
    public var judgesTokens = true
    /// Whether a token of another environment is refused; only where tokens are judged.
    public var judgesEnvironment = true
    /// What happens to foreign tokens.
    public var foreignTokens = ForeignTokens.accept
    /// The longest payload in bytes.
    public var payloadLimit = 2_048
    /// The lengths of tokens that are taken, in bytes.
    public var tokenBytes = strictTokenBytes
    /// Whether payloads longer than ``payloadLimit`` are refused.
    public var judgesPayloadSize = true
    /// Whether a payload must be a JSON object.
    public var judgesJSON = true
    /// How long an error reply is held back after the bad notification was read.
    public var errorDelay = Interval.zero
    /// How many notifications are read behind the bad one before the reply leaves; 0 for the delay alone.
    public var errorDelayNotifications: UInt64 = 0
    /// How connections end.
    public var closeMode = CloseMode.graceful
    /// What an unknown command byte earns.
    public var unknownCommand = UnknownCommand.protocolError
    /// What a refused notification of command 0 earns.
    public var simpleRefusal = SimpleRefusal.silentClose
    /// The end of service by order, as a test needs it.
    public var ending = Ending.none
    /// Identifiers that are refused with status 8 whatever their token, for a failure at an exact place.
    public var refusedIdentifiers: Set<UInt32> = []
    /// Tokens of real devices that no longer have the app: accepted, and told by the feedback service.
    public var unregisteredTokens = FeedbackList()
    /// What must be added to an instant to get the time since 1970, which expiries and the feedback service tell in seconds.
    public var unixOffset = Interval.zero
    /// Random rejections, as real gateways have had in bursts.
    public var burst: RejectionBurst?
    /// A time in which nothing is read.
    public var stall: Stall?
    /// The most notifications accepted per second by one event loop of the simulator, by reading no faster; nil without a cap.
    public var acceptRate: Rate?

    /// Makes the settings of a gateway that behaves like the real one.
    public init() {}

    /// When the gateway ends a connection of its own accord.
    public enum Ending: Hashable, Sendable {
        /// Never.
        case none
        /// After so many accepted notifications on a connection: status 10 that names the last of them, then close.
        case shutdown(after: UInt64)
        /// After so many accepted notifications on a connection: close without a reply.
        case silentClose(after: UInt64)
    }

    /// A share of valid tokens that is refused with status 8 for a time.
    public struct RejectionBurst: Hashable, Sendable {
        /// The share, 0 ... 1.
        public var rate: Double
        /// When it begins, counted from the gateway's first connection.
        public var start: Interval
        /// How long it lasts.
        public var length: Interval
        /// Decides which notifications it hits.
        public var seed: UInt64

        /// Makes a burst.
        public init(rate: Double, start: Interval, length: Interval, seed: UInt64) {
            self.rate = rate
            self.start = start
            self.length = length
            self.seed = seed
        }
    }

    /// A time in which the gateway leaves everything unread.
    public struct Stall: Hashable, Sendable {
        /// What it begins with.
        public enum Trigger: Hashable, Sendable {
            /// So much time since the gateway's first connection.
            case time(Interval)
            /// So many notifications that the whole gateway has read.
            case notifications(UInt64)
        }

        /// What it begins with.
        public var trigger: Trigger
        /// How long it lasts.
        public var length: Interval

        /// Makes a stall.
        public init(trigger: Trigger, length: Interval) {
            self.trigger = trigger
            self.length = length
        }

        /// Makes a stall that begins so much time after the gateway's first connection.
        public init(start: Interval, length: Interval) { self.init(trigger: .time(start), length: length) }
    }
}
