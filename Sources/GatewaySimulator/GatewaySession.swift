public import Primitives
import PushWire
import Workload

/// What a gateway session wants from whoever drives its connection.
public enum GatewayAction: Hashable, Sendable {
    /// Ask for the reply's bytes (``GatewaySession/fill(into:now:)``).
    case fill
    /// Read nothing until then.
    case pause(until: Instant)
    /// End the connection in this way, once everything that was filled is written.
    case close(GatewaySettings.CloseMode)
}

/// The gateway's side of one connection of the binary interface: parse, judge, stay silent or reply once.
///
/// A machine without sockets, clock or queue, bounded in everything that a peer can send: it keeps at most one unfinished notification.
/// After the first refused notification everything behind it is read and discarded until the reply is due
/// (Apple, Local and Remote Notification Programming Guide, "Binary Provider API", on the error response).
public final class GatewaySession {
    /// When the connection's first notification was accepted; nil before.
    public private(set) var firstAcceptedAt: Instant?

    private let settings: GatewaySettings
    private let judge: NotificationJudge
    private let ledger: GatewayLedger
    private let pace: GatewayPace
    /// The apps that the provider's certificate reaches, and whose feedback is its own.
    private let scope: TopicScope
    private var state = GatewayState.serving
    private var reader: NotificationReader
    private var isSkippingRefused = false
    private var acceptedCount: UInt64 = 0
    private var discardedCount: UInt64 = 0
    private var action: GatewayAction?

    /// Makes the session of one accepted connection, which reaches the apps in `scope`; book and pace are those of the
    /// event loop on which it lives.
    public init(
        settings: GatewaySettings, judge: NotificationJudge, ledger: GatewayLedger, pace: GatewayPace,
        scope: TopicScope = .appUnderLoad
    ) {
        self.settings = settings
        self.judge = judge
        self.ledger = ledger
        self.pace = pace
        self.scope = scope
        reader = NotificationReader(
            parser: NotificationParser(
                payloadLimit: settings.judgesPayloadSize ? settings.payloadLimit : Int(UInt16.max),
                tokenBytes: settings.tokenBytes))
        ledger.counts.connections += 1
    }

    /// Takes what the session wants done; nil when nothing.
    public func takeAction() -> GatewayAction? {
        defer { action = nil }
        return action
    }

    /// How many bytes of an unfinished notification are kept, at most one frame of the longest lengths that can be declared.
    public var unfinishedByteCount: Int { reader.unfinishedByteCount }

    /// When ``timerFired(now:)`` wants to be called.
    public var deadline: Instant? { state.replyDue }

    /// Bytes came from the provider.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        let before = ledger.counts.accepted
        var readCount: UInt64 = 0
        // The reader leaves the session while it reads: as a part of the session it would be under a run-time check all
        // the while, and with it everything that the frames touch.
        var reader = NotificationReader(parser: self.reader.parser)
        swap(&reader, &self.reader)
        reader.read(bytes) { frame, reader in
            if case .notification = frame { readCount += 1 }
            if state.isServing { serve(frame, reader: &reader, now: now) } else { discard(frame, now: now) }
        }
        swap(&reader, &self.reader)
        let acceptedNow = ledger.counts.accepted - before
        if acceptedNow > 0 {
            ledger.counts.firstAcceptedAt = ledger.counts.firstAcceptedAt ?? now
            ledger.counts.lastAcceptedAt = now
            firstAcceptedAt = firstAcceptedAt ?? now
        }
        if action == nil, let until = pace.pause(afterReading: readCount, accepting: acceptedNow, now: now) {
            action = .pause(until: until)
        }
    }

    /// Time has come for what ``deadline`` announced.
    public func timerFired(now: Instant) {
        if state.becomeReady(at: now) { action = .fill }
    }

    /// Writes the reply, if it is due, and returns its length: all six bytes in one piece, or 0.
    public func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        guard let reply = state.takeReply() else { return 0 }
        reply.write(into: buffer)
        action = .close(settings.closeMode)
        return ErrorReply.byteCount
    }

    /// The provider closed the connection, or it broke.
    public func connectionEnded() {
        if state.isServing && reader.hasUnfinished { ledger.counts.partialNotifications += 1 }
        state.close()
    }

    // MARK: - Frames

    private func serve(_ frame: ParsedNotification, reader: inout NotificationReader, now: Instant) {
        switch frame {
        case .notification(let notification): decide(notification, now: now)
        case .refused(let refused):
            isSkippingRefused = true
            refuse(refused, now: now)
        case .unknownCommand:
            ledger.counts.unknownCommands += 1
            switch settings.unknownCommand {
            case .protocolError: condemn(ErrorReply(status: .protocolError, identifier: 0), now: now)
            case .silentClose: end()
            }
        case .incomplete: break
        }
        if !state.isServing { reader.acceptAnyLength() }
    }

    private func decide(_ notification: NotificationView, now: Instant) {
        switch judge.verdict(on: notification, scope: scope, now: now) {
        case .accepted:
            ledger.accept(notification)
            ledger.store?.take(notification, unixTime: unixTime(at: now))
        case .unregistered:
            ledger.accept(notification)
            ledger.counts.unregistered += 1
            ledger.feedback.note(
                FeedbackTuple(timestamp: UInt32(clamping: unixTime(at: now)), token: notification.token), scope: scope)
        case .foreign:
            ledger.accept(notification)
            ledger.counts.foreign += 1
            ledger.store?.take(notification, unixTime: unixTime(at: now))
        case .refused(let status): return refuse(RefusedNotification(notification, status: status), now: now)
        }
        acceptedCount += 1
        switch settings.ending {
        case .shutdown(let count) where acceptedCount == count:
            ledger.counts.shutdowns += 1
            condemn(ErrorReply(status: .shutdown, identifier: notification.identifier), now: now)
        case .silentClose(let count) where acceptedCount == count: end()
        default: break
        }
    }

    /// Seconds since 1970.
    private func unixTime(at now: Instant) -> Int64 { (now + settings.unixOffset).nanoseconds / 1_000_000_000 }

    private func refuse(_ refused: RefusedNotification, now: Instant) {
        ledger.refuse(refused)
        if refused.command == SimpleNotification.command && settings.simpleRefusal == .silentClose { return end() }
        condemn(ErrorReply(status: refused.status, identifier: refused.identifier), now: now)
    }

    private func condemn(_ reply: ErrorReply, now: Instant) {
        state.condemn(reply, dueAt: now + settings.errorDelay)
        if settings.errorDelayNotifications == 0 && state.becomeReady(at: now) { action = .fill }
    }

    private func end() {
        state.close()
        action = .close(.graceful)
    }

    /// Counts what is thrown away behind a refused notification.
    private func discard(_ frame: ParsedNotification, now: Instant) {
        guard case .notification = frame else { return }
        if isSkippingRefused {
            isSkippingRefused = false
            return
        }
        ledger.counts.discarded += 1
        discardedCount += 1
        if discardedCount == settings.errorDelayNotifications && state.becomeReady(at: .distantFuture) {
            action = .fill
        }
    }
}
