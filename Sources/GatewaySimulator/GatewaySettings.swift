public import Primitives
public import Workload

/// How the gateway judges what it receives, and what goes wrong with it.
public struct GatewaySettings: Hashable, Sendable {
    /// What happens to a token that the key does not open: tokens of real devices, or of another seed.
    public enum ForeignTokens: Hashable, Sendable {
        /// They count as valid.
        case accept
        /// They are refused with status 8.
        case reject
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
    /// Whether whatever is well-formed is accepted unseen, sentinels excepted: the gateway as a sink, by which its own ceiling is
    /// measured.
    public var acceptsAll = false
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
    /// What an unknown command byte earns.
    public var unknownCommand = UnknownCommand.protocolError
    /// What a refused notification of command 0 earns.
    public var simpleRefusal = SimpleRefusal.silentClose
    /// What goes wrong, and when.
    public var faults = FaultPlan()
    /// Tokens of real devices that no longer have the app: accepted, and told by the feedback service.
    public var unregisteredTokens = FeedbackList()
    /// What must be added to an instant to get the time since 1970, which expiries and the feedback service tell in seconds.
    public var unixOffset = Interval.zero

    /// Makes the settings of a gateway that behaves like the real one.
    public init() {}

    /// The key that opens synthetic tokens; nil when none are known.
    var tokenKey: TokenKey? { tokenSeed.map { TokenKey(seed: $0) } }
}
