import Primitives
import PushWire

/// The life of one connection as the gateway sees it; stepped by `switch consume self`.
enum GatewayState: ~Copyable {
    /// Notifications are judged.
    case serving
    /// One was refused; its reply leaves then, and until then everything is discarded.
    case condemned(ErrorReply, dueAt: Instant)
    /// The reply is to be written.
    case replying(ErrorReply)
    /// Nothing is written any more; what still comes is discarded.
    case closing

    /// A notification was refused, or the service ends: the reply is due at `dueAt`. Only the first one counts.
    mutating func condemn(_ reply: ErrorReply, dueAt: Instant) {
        switch consume self {
        case .serving: self = .condemned(reply, dueAt: dueAt)
        case let other: self = other
        }
    }

    /// Returns whether the reply has just become due.
    mutating func becomeReady(at now: Instant) -> Bool {
        switch consume self {
        case .condemned(let reply, let dueAt):
            let isDue = now >= dueAt
            self = isDue ? .replying(reply) : .condemned(reply, dueAt: dueAt)
            return isDue
        case let other:
            self = other
            return false
        }
    }

    /// Takes the reply, once.
    mutating func takeReply() -> ErrorReply? {
        switch consume self {
        case .replying(let reply):
            self = .closing
            return reply
        case let other:
            self = other
            return nil
        }
    }

    /// Ends the connection without a reply.
    mutating func close() { self = .closing }

    /// Whether notifications are judged.
    var isServing: Bool {
        switch self {
        case .serving: true
        default: false
        }
    }

    /// When the reply becomes due; nil when none waits.
    var replyDue: Instant? {
        switch self {
        case .condemned(_, let dueAt): dueAt
        default: nil
        }
    }
}
