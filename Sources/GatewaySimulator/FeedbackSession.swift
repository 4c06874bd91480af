public import Primitives

/// How the feedback service writes its list, and when it forgets it.
public struct FeedbackSettings: Hashable, Sendable {
    /// When the tuples that a connection was given are cleared. The documents say "cleared once read" and no more.
    public enum Clearing: String, Hashable, Sendable, CaseIterable {
        /// When all of them were delivered and the connection could be closed in order; else the next connection gets them again.
        case delivered
        /// When the connection gets them, whatever becomes of it.
        case connected
    }

    /// When tuples are cleared.
    public var clearing = Clearing.delivered
    /// Sizes in bytes of the pieces in which the list is written, used in turn; empty for pieces as large as they come.
    public var split: [Int] = []
    /// The time between two pieces.
    public var pause = Interval.zero
    /// The connection is closed after so many bytes of the list, inside a tuple or not; nil to write all.
    public var truncateAfter: Int?
    /// How long a connection with nothing to tell stays open; a log of 2011 shows about a second.
    public var emptyDelay = Interval.zero
    /// How connections end.
    public var closeMode = GatewaySettings.CloseMode.graceful
    /// How long a client may take nothing before it is given up.
    public var patience = Interval.seconds(30)

    /// Makes the settings of a service that behaves like the real one.
    public init() {}
}

/// What a feedback session wants from whoever drives its connection.
public enum FeedbackAction: Hashable, Sendable {
    /// Ask for the next piece (``FeedbackSession/fill(into:now:)``).
    case fill
    /// Ask whether the peer has acknowledged everything, and tell it (``FeedbackSession/acknowledged(_:now:)``).
    case checkAcknowledgement
    /// End the connection in this way.
    case close(GatewaySettings.CloseMode)
}

/// The feedback service's side of one connection: writes the list as soon as it is there, then closes.
///
/// A machine without sockets, clock or queue. What the client sends is nobody's business: it has nothing to say
/// (Apple, Local and Remote Notification Programming Guide, "Binary Provider API", "The Feedback Service").
public final class FeedbackSession {
    private enum State: Hashable {
        /// The list is being collected.
        case collecting
        /// There is something to write, or to wait for, from then on.
        case ready(at: Instant)
        /// A piece was handed out and is on its way.
        case writing
        /// All is written; the peer has not acknowledged it yet.
        case settling(checkAt: Instant)
        case closed
    }

    /// How often it is looked whether everything was acknowledged.
    static let checkInterval = Interval.milliseconds(2)

    /// The list that was given to this connection; empty before ``begin(with:now:)``.
    public private(set) var list = FeedbackList()
    /// Whether the client's machine has the whole list, and the connection was closed in order.
    public private(set) var isDelivered = false
    private let settings: FeedbackSettings
    private var state = State.collecting
    private var position = 0
    private var pieceCount = 0
    private var lastProgress = Instant.zero
    private var action: FeedbackAction?

    /// Makes the session of a connection that stands and waits for its list.
    public init(settings: FeedbackSettings) { self.settings = settings }

    /// Takes what the session wants done; nil when nothing.
    public func takeAction() -> FeedbackAction? {
        defer { action = nil }
        return action
    }

    /// When ``timerFired(now:)`` wants to be called.
    public var deadline: Instant? {
        switch state {
        case .collecting, .closed: nil
        case .ready(let instant) where instant > lastProgress: instant
        case .ready, .writing: lastProgress + settings.patience
        case .settling(let instant): instant
        }
    }

    /// The list is there.
    public func begin(with list: FeedbackList, now: Instant) {
        guard case .collecting = state else { return }
        self.list = list
        lastProgress = now
        state = .ready(at: list.isEmpty ? now + settings.emptyDelay : now)
        proceed(now: now)
    }

    /// Writes the next piece and returns its length; 0 when none is due.
    public func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        guard case .ready(let instant) = state, now >= instant, position < end else { return 0 }
        var count = min(buffer.count, end - position)
        if !settings.split.isEmpty { count = min(count, settings.split[pieceCount % settings.split.count]) }
        list.bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
        }
        position += count
        pieceCount += 1
        state = .writing
        return count
    }

    /// The system has taken the last piece.
    public func flushed(now: Instant) {
        guard case .writing = state else { return }
        lastProgress = now
        state = .ready(at: position < end ? now + settings.pause : now)
        proceed(now: now)
    }

    /// Time has come for what ``deadline`` announced.
    public func timerFired(now: Instant) {
        switch state {
        case .ready(let instant) where now >= instant && instant > lastProgress: proceed(now: now)
        case .settling(let instant) where now >= instant: action = .checkAcknowledgement
        case .ready, .writing: if now >= lastProgress + settings.patience { close(.abrupt) }
        case .collecting, .settling, .closed: break
        }
    }

    /// Whether the peer's machine has acknowledged everything that was written.
    public func acknowledged(_ isAcknowledged: Bool, now: Instant) {
        guard case .settling = state else { return }
        if isAcknowledged {
            isDelivered = position == list.bytes.count && settings.closeMode == .graceful
            close(settings.closeMode)
        } else if now >= lastProgress + settings.patience {
            close(.abrupt)
        } else {
            state = .settling(checkAt: now + Self.checkInterval)
        }
    }

    /// The connection is over.
    public func connectionEnded() { state = .closed }

    // MARK: - Steps

    /// Where the stream ends: at the list's end, or where a fault cuts it.
    private var end: Int { min(list.bytes.count, settings.truncateAfter ?? .max) }

    private func proceed(now: Instant) {
        guard case .ready(let instant) = state, now >= instant else { return }
        if position < end {
            lastProgress = now
            action = .fill
        } else {
            state = .settling(checkAt: now)
            action = .checkAcknowledgement
        }
    }

    private func close(_ mode: GatewaySettings.CloseMode) {
        state = .closed
        action = .close(mode)
    }
}
