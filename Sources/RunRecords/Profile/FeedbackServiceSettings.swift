public import Primitives

/// How the simulator's feedback service listens, tells and misbehaves.
public struct FeedbackServiceSettings: Equatable, Sendable {
    /// When tuples are cleared from the list. Apple's documents say "cleared once read" and nothing of a reading that broke off.
    public enum Clearing: String, Sendable, CaseIterable {
        /// When the client's machine has acknowledged the whole list and the connection was closed in order; else they are told again.
        case delivered
        /// When a client has connected, whatever becomes of it; what it did not get is counted.
        case connected
    }

    /// The most tokens that a profile can ask for.
    static let tokenLimit = 50_000_000

    /// TCP port; 0 (the default) means any free one. The real service's is 2196.
    public var port = 0
    /// When tuples are cleared. Default: when they were delivered.
    public var clear = Clearing.delivered
    /// The most tokens that are kept of each topic, by each event loop; further ones are counted. About 50 bytes each. Default: 1,000,000.
    public var limit = 1_000_000
    /// File of real device tokens that count as unregistered, one hexadecimal token a line; nil for none.
    public var unregisteredFile: String?
    /// Sizes in bytes of the pieces in which the list is written, used in turn; empty (the default) for as large as they come.
    public var split: [Int] = []
    /// Time between two pieces. Default: none.
    public var pause = Interval.zero
    /// The connection is closed after so many bytes of the list; nil (the default) to write all.
    public var truncateAfter: Int?
    /// How long a connection with nothing to tell stays open. Default: none; the real service's was seen to be about a second.
    public var emptyDelay = Interval.zero
    /// How connections end. Default: graceful.
    public var closeMode = SimulatorSettings.CloseMode.graceful
    /// Whether a run reads the list at its end and checks it against the simulator's ledger. Default: false.
    public var readAtEnd = false

    /// Makes the default service.
    public init() {}
}

/// Which devices are offline, so that their last notification is stored.
public struct NotificationStorageSettings: Equatable, Sendable {
    /// How the 32 bits of an expiry are read; Apple's documents disagree.
    public enum ExpirySign: String, Sendable, CaseIterable {
        /// As a signed number: what is below zero is not stored, as the older text says.
        case signed
        /// As an unsigned number: only zero is not stored.
        case unsigned
    }

    /// The share of devices that are offline all the time, drawn from their tokens by the run's seed. Default: 0.
    public var offline = 0.0
    /// How an expiry is read. Default: signed.
    public var expirySign = ExpirySign.signed

    /// Makes the default: all devices are online.
    public init() {}
}
