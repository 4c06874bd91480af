import PushWire
import Workload

/// How much of a batch buffer is left for a stretch of notifications.
struct BatchRoom {
    /// Bytes that the plan allows.
    var planned: Int
    /// Bytes that the buffer has.
    var capacity: Int
    /// Whether nothing stands in the batch yet: its first notification may exceed the plan.
    var isFirst: Bool
}

/// Puts notifications into bytes, in the command that the plan names.
///
/// The command is chosen once for each stretch, and the loop is specialised for it: none of it costs anything per notification.
struct BatchEncoder {
    private let source: NotificationSource
    private let plan: SessionPlan

    /// How many notifications go in one command before the next one has its turn, where commands are mixed.
    private static let turnCount: UInt64 = 24

    init(plan: SessionPlan, source: NotificationSource) {
        self.plan = plan
        self.source = source
    }

    /// Encodes as many of `run`'s notifications at `base` as have room.
    func encode(
        _ run: SequenceRun, at base: UnsafeMutableRawPointer, room: BatchRoom
    ) -> (count: UInt64, bytes: Int) {
        switch plan.command {
        case .simple: encode(run, as: SimpleNotification(), at: base, room: room)
        case .enhanced: encode(run, as: EnhancedNotification(expiry: plan.expiry), at: base, room: room)
        case .framed(let priority):
            encode(run, as: FramedNotification(expiry: plan.expiry, priority: priority), at: base, room: room)
        case .mixed(let priority): encode(turnOf: run, priority, at: base, room: room)
        }
    }

    /// Encodes the notifications up to the next change between commands 1 and 2, which their sequence numbers decide.
    private func encode(
        turnOf run: SequenceRun, _ priority: UInt8, at base: UnsafeMutableRawPointer, room: BatchRoom
    ) -> (count: UInt64, bytes: Int) {
        let (turn, place) = run.start.quotientAndRemainder(dividingBy: Self.turnCount)
        let part = SequenceRun(start: run.start, count: min(run.count, Self.turnCount - place))
        return turn % 2 == 0
            ? encode(part, as: EnhancedNotification(expiry: plan.expiry), at: base, room: room)
            : encode(part, as: FramedNotification(expiry: plan.expiry, priority: priority), at: base, room: room)
    }

    /// Encodes the deliberately bad last notification, whose token of zeros belongs to no device; returns its length.
    func encodeSentinel(identifier: UInt32, at base: UnsafeMutableRawPointer) -> Int {
        switch plan.command {
        case .simple: encodeSentinel(identifier, as: SimpleNotification(), at: base)
        case .enhanced, .mixed: encodeSentinel(identifier, as: EnhancedNotification(), at: base)
        case .framed: encodeSentinel(identifier, as: FramedNotification(), at: base)
        }
    }

    private func encode<Format: NotificationFormat>(
        _ run: SequenceRun, as format: Format, at base: UnsafeMutableRawPointer, room: BatchRoom
    ) -> (count: UInt64, bytes: Int) {
        let source = source
        let longest = Format.overheadBytes + source.maxTokenBytes + source.maxPayloadBytes
        var identifier = plan.identifiers.identifier(of: run.start)
        var cursor = source.cursor(at: run.start)
        var offset = 0
        var sequence = run.start
        var damaged = plan.malformed?.next(from: run.start) ?? .max
        let end = run.end
        while sequence < end {
            guard offset + longest <= room.planned || (room.isFirst && offset == 0 && longest <= room.capacity)
            else { break }
            let frame = base + offset
            let tokenBytes = source.writeToken(at: &cursor, into: frame + Format.tokenOffset)
            let payloadBytes = source.writePayload(
                sequence: sequence, into: frame + Format.payloadOffset(tokenBytes: tokenBytes),
                capacity: source.maxPayloadBytes)
            var byteCount = format.frame(
                frame, identifier: identifier, tokenBytes: tokenBytes, payloadBytes: payloadBytes)
            if sequence == damaged, let malformed = plan.malformed {
                damaged += malformed.every
                if tokenBytes > 0 {
                    byteCount = malformed.token.damage(
                        frame, of: Format.self, tokenBytes: tokenBytes, byteCount: byteCount)
                }
            }
            offset += byteCount
            identifier = identifier == .max ? 1 : identifier + 1
            sequence += 1
        }
        return (sequence - run.start, offset)
    }

    private func encodeSentinel<Format: NotificationFormat>(
        _ identifier: UInt32, as format: Format, at base: UnsafeMutableRawPointer
    ) -> Int {
        let tokenBytes = 32
        (base + Format.tokenOffset).initializeMemory(as: UInt8.self, repeating: 0, count: tokenBytes)
        (base + Format.payloadOffset(tokenBytes: tokenBytes)).copyMemory(from: "{}", byteCount: 2)
        return format.frame(base, identifier: identifier, tokenBytes: tokenBytes, payloadBytes: 2)
    }
}
