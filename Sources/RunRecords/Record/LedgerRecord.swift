/// The sender's account: `generated = accepted + rejected + lost + unknown + unsent`, always.
public struct LedgerRecord: Codable, Equatable, Sendable {
    /// Notifications that the run was asked for.
    public var generated: Int64 = 0
    /// Proved to have been taken.
    public var accepted: Int64 = 0
    /// Named by an error reply.
    public var rejected: Int64 = 0
    /// Known to have been discarded and not sent again.
    public var lost: Int64 = 0
    /// Written, without proof either way.
    public var unknown: Int64 = 0
    /// Never written.
    public var unsent: Int64 = 0
    /// Writes beyond the first of a notification; not part of the balance.
    public var resent: Int64 = 0
    /// Why the lost ones are lost, together ``lost``: `window` (discarded, and no longer kept for writing again), `cap` (written
    /// again as often as allowed, without proof), `abandoned` (discarded, and the run ended first), `book` (the simulator's
    /// ledger does not know them). Empty in records of versions that did not tell.
    @CountsByName public var lostBy: [String: Int64]
    /// Notifications known to have been taken more than once; not part of the balance.
    public var duplicates: Int64 = 0
    /// What proved the accepted ones.
    public var proof = ProofRecord()
    /// Whether the notifications carried identifiers; without them (protocol `simple`) nothing can prove what became of any.
    public var hasIdentifiers = true

    /// Makes an account of nothing.
    public init() {}

    /// How many notifications have a fate.
    public var settled: Int64 { accepted + rejected + lost + unknown + unsent }
    /// Notifications without a fate (positive) or with more than one (negative); 0 in every sound record.
    public var imbalance: Int64 { generated - settled }
    /// Whether every notification has exactly one fate.
    public var isBalanced: Bool {
        imbalance == 0
            && [generated, accepted, rejected, lost, unknown, unsent, resent, duplicates].allSatisfy { $0 >= 0 }
    }

    /// How many notifications the two accounts differ about, at least: by counts alone, so that a bitmap may find more.
    public func difference(to simulator: SimulatorLedgerRecord) -> Int64 {
        abs(accepted - simulator.accepted) + abs(rejected - simulator.rejected) + abs(duplicates - simulator.duplicates)
    }
}

/// How many accepted notifications each kind of proof settled.
public struct ProofRecord: Codable, Equatable, Sendable {
    /// An error reply to a later notification.
    public var errorReply: Int64 = 0
    /// Status 10, which names the last good one.
    public var shutdown: Int64 = 0
    /// The reply to a deliberately bad last notification.
    public var sentinel: Int64 = 0
    /// The simulator's own ledger.
    public var simulator: Int64 = 0
    /// A response of its own.
    public var response: Int64 = 0
    /// Not an acceptance: rejected ones whose error reply never came, and of which only the simulator's own ledger tells. Null in
    /// records of versions that counted them as lost.
    @ExplicitNull public var simulatorRejected: Int64?

    /// Makes a count of no proofs.
    public init() {}
}

/// The simulator's account, by identifier.
public struct SimulatorLedgerRecord: Codable, Equatable, Sendable {
    /// Notifications read whole, sentinels among them.
    public var received: Int64 = 0
    /// Distinct notifications taken.
    public var accepted: Int64 = 0
    /// Error replies given to notifications of the run, sentinels not among them.
    public var rejected: Int64 = 0
    /// Error replies whose identifiers found no room in the book: what they refused may be called lost. Null in records of
    /// versions without such a book.
    @ExplicitNull public var unlistedRefusals: Int64?
    /// Notifications taken that had been taken before.
    public var duplicates: Int64 = 0
    /// Notifications read after a bad one on the same connection, and thrown away.
    public var discarded: Int64 = 0
    /// Replies handed to the system for sending: those of status 10 and those to sentinels among them, withheld ones not. Null in
    /// records of versions that did not count them.
    @ExplicitNull public var repliesSent: Int64?
    /// Error replies given to sentinels.
    public var sentinels: Int64 = 0
    /// Notifications taken that carry no identifier, or 0; they are not among ``accepted``, since nothing tells which ones they are.
    public var acceptedWithoutIdentifier: Int64 = 0
    /// Notifications refused that carry no identifier or 0, or whose identifier could not be read.
    public var rejectedWithoutIdentifier: Int64 = 0
    /// Streams that went on with a byte that is no command.
    public var unknownCommands: Int64 = 0
    /// All that was taken, each time counted, by command.
    public var commands = CommandCountRecord()
    /// Notifications of priority 5 taken.
    public var powerSaving: Int64 = 0
    /// Connections accepted.
    public var connectionsAccepted: Int64 = 0
    /// Connections refused because of a bound or a fault.
    public var connectionsRefused: Int64 = 0
    /// Connections refused for their certificate, by reason: `missing expired notYetValid unknownAuthority unusable
    /// otherEnvironment`; empty in records from before these were counted.
    @CountsByName public var certificateRefusals: [String: Int64]
    /// Connections that ended inside a notification. Null in records of versions that did not tell.
    @ExplicitNull public var unfinished: Int64?
    /// Bytes read inside TLS, whatever became of them: also of refused, discarded and unfinished notifications and of sentinels.
    public var bytesReceived: Int64 = 0
    /// What the feedback service has to tell; null in records of older versions.
    @ExplicitNull public var feedback: FeedbackLedgerRecord?
    /// What is counted of the HTTP/2 provider API; null if nobody used it.
    @ExplicitNull public var http2: ProviderAPIRecord?
    /// What was kept for offline devices; null if all were online.
    @ExplicitNull public var storage: StorageLedgerRecord?
    /// What each fault of the plan did, in the plan's order; nil without a plan.
    public var faults: [FaultCountRecord]?

    /// Makes an account of nothing.
    public init() {}
}

/// One fault of the plan, and how often it struck.
public struct FaultCountRecord: Codable, Equatable, Sendable {
    /// The fault's kind, as the profile names it.
    public var fault: String
    /// How often it struck: notifications refused, replies changed, connections ended, times that it began.
    public var count: Int64

    /// Makes a count of one fault.
    public init(fault: String, count: Int64) {
        self.fault = fault
        self.count = count
    }
}

/// Notifications by command of the binary interface.
public struct CommandCountRecord: Codable, Equatable, Sendable {
    /// Command 0.
    public var simple: Int64
    /// Command 1.
    public var enhanced: Int64
    /// Command 2.
    public var framed: Int64

    /// Makes counts.
    public init(simple: Int64 = 0, enhanced: Int64 = 0, framed: Int64 = 0) {
        self.simple = simple
        self.enhanced = enhanced
        self.framed = framed
    }
}

/// One kind of error and how often it occurred.
public struct ErrorCountRecord: Codable, Equatable, Sendable {
    /// The status byte; null for errors that are none of the gateway's.
    @ExplicitNull public var status: Int?
    /// The error's name.
    public var name: String
    /// How often it occurred.
    public var count: Int64
    /// The earliest time at which a device token was told to be gone (410), in milliseconds since 1970; null where none was told.
    @ExplicitNull public var goneSinceFirstMs: Int64?
    /// The latest such time.
    @ExplicitNull public var goneSinceLastMs: Int64?

    /// Makes a count of one kind of error.
    public init(status: Int?, name: String, count: Int64) {
        self.status = status
        self.name = name
        self.count = count
    }
}

/// Error replies on their way from the gateway to the sender, those to sentinels among them.
public struct ReplyRecord: Codable, Equatable, Sendable {
    /// Sent, by the simulator's count; null without its account.
    @ExplicitNull public private(set) var sent: Int64?
    /// Read by the sender.
    public private(set) var read: Int64
    /// The share of those sent that were read, 0 to 1; null if none was sent. An abrupt close destroys replies.
    @ExplicitNull public private(set) var receiptRate: Double?
    /// Read although a write on the connection had failed before, by reading on for a while.
    public var errorAfterWriteFailure: Int64 = 0

    /// Makes the figures of what was sent and read.
    public init(sent: Int64?, read: Int64, errorAfterWriteFailure: Int64 = 0) {
        self.sent = sent
        self.read = read
        self.errorAfterWriteFailure = errorAfterWriteFailure
        if let sent, sent > 0 { receiptRate = Double(read) / Double(sent) }
    }

    /// Sent and not read; nil without the simulator's account.
    public var missed: Int64? { sent.map { $0 - read } }
}

/// How many notifications had been written after the bad one when its error reply arrived.
public struct InFlightRecord: Codable, Equatable, Sendable {
    /// Error replies.
    public var count: Int64 = 0
    /// The median; null without error replies.
    @ExplicitNull public var p50: Int64?
    /// The most; null without error replies.
    @ExplicitNull public var max: Int64?

    /// Makes a figure of no errors.
    public init() {}
}

/// Error replies that named a notification which had already left the window.
public struct WindowOverrunRecord: Codable, Equatable, Sendable {
    /// How many there were.
    public var count: Int64 = 0
    /// The window that would have lost nothing; null if there was no overrun.
    @ExplicitNull public var windowNeeded: Int64?

    /// Makes a count of none.
    public init() {}
}
