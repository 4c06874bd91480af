import Primitives
import PushWire

/// How one reply leaves.
struct ReplyDelivery {
    var reply: ErrorReply
    /// How long it waits; nil for no set time.
    var delay: Interval? = .zero
    /// It leaves when so many notifications were discarded, even before its time; 0 for the time alone.
    var untilDiscarded: UInt64 = 0
    /// Whether what follows is read meanwhile.
    var reads = true
    /// The lengths of the pieces in which it leaves; empty for one.
    var pieces: [Int] = []
    var pause = Interval.zero
    var isWithheld = false
    var closeMode = CloseMode.graceful

    init(_ reply: ErrorReply) { self.reply = reply }

    /// When it leaves if nothing else lets it.
    func dueAt(_ now: Instant) -> Instant { delay.map { now + $0 } ?? (untilDiscarded > 0 ? .distantFuture : now) }

    /// Writes some of the reply's bytes to the start of `buffer`.
    func write(_ range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: ErrorReply.byteCount, alignment: 4) { whole in
            reply.write(into: whole)
            for (place, index) in range.enumerated() { buffer[place] = whole[index] }
        }
    }
}

/// The life of one connection as the gateway sees it; stepped by `switch consume self`.
enum GatewayState: ~Copyable {
    /// Notifications are judged.
    case serving
    /// One was refused; its reply leaves then, and until then everything is discarded.
    case condemned(ReplyDelivery, dueAt: Instant)
    /// The reply is to be written, from its byte `sent` on and not before `nextAt`.
    case replying(ReplyDelivery, sent: Int, nextAt: Instant)
    /// Nothing is written any more; what still comes is discarded.
    case closing

    /// A notification was refused, or the service ends. Only the first one counts.
    mutating func condemn(_ delivery: ReplyDelivery, now: Instant) {
        switch consume self {
        case .serving: self = .condemned(delivery, dueAt: delivery.dueAt(now))
        case let other: self = other
        }
    }

    /// Returns the delivery if it has just become due: by its time, or because enough was discarded.
    mutating func becomeReady(at now: Instant, discarded: UInt64) -> ReplyDelivery? {
        switch consume self {
        case .condemned(let delivery, let dueAt):
            let isDue = now >= dueAt || (delivery.untilDiscarded > 0 && discarded >= delivery.untilDiscarded)
            guard isDue else {
                self = .condemned(delivery, dueAt: dueAt)
                return nil
            }
            self = delivery.isWithheld ? .closing : .replying(delivery, sent: 0, nextAt: now)
            return delivery
        case let other:
            self = other
            return nil
        }
    }

    /// Writes the next piece of the reply, if it is due; returns its length, and how to close after the last one.
    mutating func writePiece(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> (Int, CloseMode?) {
        switch consume self {
        case .replying(var delivery, let sent, let nextAt):
            guard now >= nextAt else {
                self = .replying(delivery, sent: sent, nextAt: nextAt)
                return (0, nil)
            }
            let left = ErrorReply.byteCount - sent
            let length = delivery.pieces.isEmpty ? left : min(left, max(1, delivery.pieces.removeFirst()))
            delivery.write(sent..<sent + length, into: buffer)
            guard length < left else {
                self = .closing
                return (length, delivery.closeMode)
            }
            self = .replying(delivery, sent: sent + length, nextAt: now + delivery.pause)
            return (length, nil)
        case let other:
            self = other
            return (0, nil)
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

    /// When the reply or its next piece becomes due; nil when none waits.
    var replyDue: Instant? {
        switch self {
        case .condemned(_, let dueAt) where dueAt < .distantFuture: dueAt
        case .replying(_, let sent, let nextAt) where sent > 0: nextAt
        default: nil
        }
    }
}
