public import PushWire

/// What became of one notification at the gateway, for a user who wants to see each of them.
public struct JournalEntry: Hashable, Sendable {
    /// What became of it.
    public enum Outcome: Hashable, Sendable {
        /// It was accepted.
        case accepted
        /// It was accepted, and so had one with the same identifier been before.
        case duplicate
        /// It was refused.
        case rejected(ErrorStatus)
        /// It was a request of HTTP/2 that was refused.
        case answered(RefusalReason)
        /// It was read behind a refused one and thrown away.
        case discarded
    }

    /// What became of it.
    public var outcome: Outcome
    /// The command that it came in: 0, 1 or 2, or the byte in its place that is none; nil for HTTP/2.
    public var command: UInt8?
    /// Its identifier; nil when it has none or it was refused before that was read.
    public var identifier: UInt32?
    /// Its token's bytes; empty when it was refused for its form.
    public var token: [UInt8]
    /// Its payload's length in bytes; nil when it was refused for its form.
    public var payloadByteCount: Int?

    /// Makes the entry of a whole notification.
    init(_ notification: NotificationView, _ outcome: Outcome) {
        self.outcome = outcome
        command = notification.command
        identifier = notification.hasIdentifier ? notification.identifier : nil
        token = Array(notification.token)
        payloadByteCount = notification.payload.count
    }

    /// Makes the entry of a notification that was refused for its form.
    init(_ refused: RefusedNotification) {
        outcome = .rejected(refused.status)
        command = refused.command
        identifier = refused.hasIdentifier ? refused.identifier : nil
        token = []
    }

    /// Makes the entry of a request of HTTP/2.
    init(request identifier: UInt32, token: UnsafeRawBufferPointer, payloadByteCount: Int, _ outcome: Outcome) {
        self.outcome = outcome
        self.identifier = identifier != 0 ? identifier : nil
        self.token = Array(token)
        self.payloadByteCount = payloadByteCount
    }

    /// The entry of a byte that is no command, which nothing can be told apart behind.
    init(unknownCommand: UInt8) {
        outcome = .rejected(.protocolError)
        command = unknownCommand
        token = []
    }
}

/// What became of the last notifications of one event loop, each of them, until somebody takes it.
///
/// Of use to a test double only: each entry costs an allocation. Bounded: beyond ``limit`` entries are counted and not kept.
public final class NotificationJournal {
    /// The most entries that are kept at a time.
    public let limit: Int
    private var entries: [JournalEntry] = []
    private var droppedCount: UInt64 = 0

    /// Makes an empty journal.
    public init(limit: Int) { self.limit = limit }

    /// Takes the entries since the last time, in order, and how many more there would have been.
    public func take() -> (entries: [JournalEntry], droppedCount: UInt64) {
        defer { (entries, droppedCount) = ([], 0) }
        return (entries, droppedCount)
    }

    /// Enters what became of a whole notification.
    func note(_ notification: NotificationView, _ outcome: JournalEntry.Outcome) {
        guard hasRoom() else { return }
        entries.append(JournalEntry(notification, outcome))
    }

    /// Enters a notification that was refused for its form.
    func note(_ refused: RefusedNotification) {
        guard hasRoom() else { return }
        entries.append(JournalEntry(refused))
    }

    /// Enters what became of a request of HTTP/2.
    func note(
        _ identifier: UInt32, token: UnsafeRawBufferPointer, payloadByteCount: Int, _ outcome: JournalEntry.Outcome
    ) {
        guard hasRoom() else { return }
        entries.append(
            JournalEntry(request: identifier, token: token, payloadByteCount: payloadByteCount, outcome))
    }

    /// Enters a byte that is no command.
    func note(unknownCommand: UInt8) {
        guard hasRoom() else { return }
        entries.append(JournalEntry(unknownCommand: unknownCommand))
    }

    private func hasRoom() -> Bool {
        guard entries.count >= limit else { return true }
        droppedCount += 1
        return false
    }
}
