public import Primitives
import PushWire
import Workload

/// What a gateway session wants from whoever drives its connection.
public enum GatewayAction: Hashable, Sendable {
    /// Ask for the reply's bytes (``GatewaySession/fill(into:now:)``).
    case fill
    /// Read nothing until then.
    case pause(until: Instant)
    /// Read nothing until ``resume``.
    case hold
    /// Read again.
    case resume
    /// Neither read nor close any more.
    case swallow
    /// End the connection in this way, once everything that was filled is written.
    case close(CloseMode)
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
    /// Nil without faults that can strike the connection, so that a notification's way is not longer for them.
    private let faults: SessionFaults?
    private var throttle: ReadingThrottle?
    /// The apps that the provider's certificate reaches, and whose feedback is its own.
    private let scope: TopicScope
    private var state = GatewayState.serving
    /// What ``state`` says, asked for every notification and so apart from a state that is stepped under run-time checks.
    private var isServing = true
    /// Whether an accepted notification is only entered: no faults, nobody to note it down for, no offline devices.
    private let isPlain: Bool
    private var reader: NotificationReader
    private var isSkippingRefused = false
    private var judgedCount: UInt64 = 0
    private var lastAccepted: UInt32 = 0
    private var discardedCount: UInt64 = 0
    /// The number of discarded notifications at which the reply leaves; 0 for none.
    private var replyingAfter: UInt64 = 0
    private var action: GatewayAction?
    private var pausedUntil: Instant?
    /// Good notifications that are accepted later.
    private var held = DueQueue<GatewayLedger.HeldNotification>()

    /// While so many are held, nothing is read; those of one read may come on top.
    static let heldLimit = 65_536

    /// Makes the session of one accepted connection, which reaches the apps in `scope`; book and pace are those of the
    /// event loop on which it lives.
    public init(
        settings: GatewaySettings, judge: NotificationJudge, ledger: GatewayLedger, pace: GatewayPace,
        scope: TopicScope = .appUnderLoad, openedAt now: Instant
    ) {
        self.settings = settings
        self.judge = judge
        self.ledger = ledger
        self.pace = pace
        faults = SessionFaults(settings: settings, ledger: ledger, totals: pace.totals, openedAt: now)
        throttle = ReadingThrottle(plan: settings.faults, scope: .connection, totals: pace.totals, openedAt: now)
        self.scope = scope
        isPlain = faults == nil && ledger.journal == nil && ledger.store == nil
        reader = NotificationReader(
            parser: NotificationParser(
                payloadLimit: settings.judgesPayloadSize ? settings.payloadLimit : Int(UInt16.max),
                tokenBytes: settings.tokenBytes))
        ledger.counts.connections += 1
    }

    /// Takes what the session wants done; nil when nothing.
    public func takeAction() -> GatewayAction? {
        if let until = pausedUntil {
            pausedUntil = nil
            return .pause(until: until)
        }
        defer { action = nil }
        return action
    }

    /// How many bytes of an unfinished notification are kept, at most one frame of the longest lengths that can be declared.
    public var unfinishedByteCount: Int { reader.unfinishedByteCount }

    /// When ``timerFired(now:)`` wants to be called.
    public var deadline: Instant? {
        let strike = isServing ? faults?.deadline : nil
        let earliest = min(state.replyDue ?? .distantFuture, strike ?? .distantFuture, held.nextAt ?? .distantFuture)
        return earliest < .distantFuture ? earliest : nil
    }

    /// Bytes came from the provider.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        ledger.counts.receivedBytes += UInt64(bytes.count)
        let before = ledger.counts.accepted
        ledger.readAt = now
        // The reader leaves the session while it reads: as a part of the session it would be under a run-time check all
        // the while, and with it everything that the frames touch.
        var reader = NotificationReader(parser: self.reader.parser)
        swap(&reader, &self.reader)
        reader.read(bytes) { frame, reader in
            guard isServing else { return discard(frame, now: now) }
            switch frame {
            case .notification(let notification):
                if isPlain && judge.accepts(notification, scope: scope) {
                    ledger.accept(notification)
                } else {
                    decide(notification, now: now)
                }
            default: serve(frame, now: now)
            }
            if !isServing { reader.acceptAnyLength() }
        }
        swap(&reader, &self.reader)
        let acceptedNow = ledger.counts.accepted - before
        if acceptedNow > 0 { noteAcceptance(now) }
        slowDown(acceptedNow, now)
    }

    /// Accepts what has been held long enough.
    private func acceptHeld(_ now: Instant) {
        guard let first = held.nextAt, first <= now else { return }
        ledger.readAt = now
        while let due = held.takeDue(now) { ledger.accept(due) }  // bounded: by what is held
        noteAcceptance(now)
    }

    /// What the gateway has taken in it accepts in its time, whatever becomes of the connection; entered when that ends.
    private func acceptAllHeld() {
        while let dueAt = held.nextAt, let due = held.takeDue(dueAt) {  // bounded: by what is held
            ledger.readAt = dueAt
            ledger.accept(due)
            noteAcceptance(dueAt)
        }
    }

    private func noteAcceptance(_ now: Instant) {
        ledger.counts.firstAcceptedAt = ledger.counts.firstAcceptedAt ?? now
        ledger.counts.lastAcceptedAt = now
        firstAcceptedAt = firstAcceptedAt ?? now
    }

    /// Time has come for what ``deadline`` announced.
    public func timerFired(now: Instant) {
        acceptHeld(now)
        if isServing {
            while isServing, let strike = faults?.timedStrike(now: now) {  // bounded: each fault strikes once
                let last = FaultSubject(identifier: lastAccepted, position: judgedCount)
                suffer(strike, at: last, now: now)
            }
        } else if state.replyDue.map({ $0 <= now }) ?? false {
            if !beginReply(now) { action = .fill }
        }
    }

    /// Writes the reply, or the next piece of it, if it is due, and returns its length; 0 if not.
    public func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        let (count, closing) = state.writePiece(into: buffer, now: now)
        if let closing {
            ledger.counts.repliesSent += 1
            action = .close(closing)
        }
        return count
    }

    /// The provider closed the connection, or it broke.
    public func connectionEnded() {
        if isServing && reader.hasUnfinished { ledger.counts.partialNotifications += 1 }
        acceptAllHeld()
        close()
    }

    // MARK: - Frames

    /// A frame that is no whole notification.
    private func serve(_ frame: ParsedNotification, now: Instant) {
        switch frame {
        case .notification, .incomplete: break
        case .refused(let refused):
            isSkippingRefused = true
            ledger.journal?.note(refused)
            refuse(refused, now: now)
        case .unknownCommand(let command):
            ledger.journal?.note(unknownCommand: command)
            ledger.counts.unknownCommands += 1
            switch settings.unknownCommand {
            case .protocolError: condemn(ErrorReply(status: .protocolError, identifier: 0), nil, now: now)
            case .silentClose: end(.graceful)
            }
        }
    }

    private func decide(_ notification: NotificationView, now: Instant) {
        if let faults { return decide(notification, under: faults, now: now) }
        if let status = judge(notification, delay: .zero, now: now) {
            refuse(notification, status, now: now)
        }
    }

    private func decide(_ notification: NotificationView, under faults: SessionFaults, now: Instant) {
        judgedCount += 1
        let subject = FaultSubject(
            identifier: notification.identifier, token: notification.token, payload: notification.payload,
            position: judgedCount)
        if let status = faults.refusal(of: subject, now: now) {
            return refuse(notification, status, subject, now: now)
        }
        let delay = faults.acceptanceDelay(of: subject, now: now)
        if let status = judge(notification, delay: delay, now: now) {
            return refuse(notification, status, subject, now: now)
        }
        lastAccepted = notification.identifier
        if let strike = faults.strike(subject, now: now) { suffer(strike, at: subject, now: now) }
    }

    /// Enters a notification if it is good, after a delay if there is one, and returns the status with which it is refused if not.
    private func judge(_ notification: NotificationView, delay: Interval, now: Instant) -> ErrorStatus? {
        switch judge.verdict(on: notification, scope: scope) {
        case .accepted:
            accept(notification, delay: delay, now: now)
            ledger.store?.take(notification, unixTime: unixTime(at: now))
        case .unregistered:
            accept(notification, delay: delay, now: now)
            ledger.counts.unregistered += 1
            ledger.feedback.note(
                FeedbackTuple(timestamp: UInt32(clamping: unixTime(at: now)), token: notification.token), scope: scope)
        case .foreign:
            accept(notification, delay: delay, now: now)
            ledger.counts.foreign += 1
            ledger.store?.take(notification, unixTime: unixTime(at: now))
        case .refused(let status): return status
        }
        return nil
    }

    private func accept(_ notification: NotificationView, delay: Interval, now: Instant) {
        guard delay > .zero else { return ledger.accept(notification) }
        held.add(ledger.hold(notification), at: now + delay)
        if held.count >= Self.heldLimit, let next = held.nextAt { pause(until: next) }
    }

    /// Seconds since 1970.
    private func unixTime(at now: Instant) -> Int64 { (now + settings.unixOffset).nanoseconds / 1_000_000_000 }

    private func refuse(
        _ notification: NotificationView, _ status: ErrorStatus, _ subject: FaultSubject? = nil, now: Instant
    ) {
        ledger.journal?.note(notification, .rejected(status))
        refuse(RefusedNotification(notification, status: status), subject, now: now)
    }

    private func refuse(_ refused: RefusedNotification, _ subject: FaultSubject? = nil, now: Instant) {
        ledger.refuse(refused)
        let isSilent = refused.command == SimpleNotification.command && settings.simpleRefusal == .silentClose
        let reply = ErrorReply(status: refused.status, identifier: refused.identifier)
        condemn(reply, subject, isWithheld: isSilent, now: now)
    }

    private func condemn(_ reply: ErrorReply, _ subject: FaultSubject?, isWithheld: Bool = false, now: Instant) {
        var delivery = ReplyDelivery(reply)
        delivery.isWithheld = isWithheld
        if let faults {
            let named = subject ?? FaultSubject(identifier: reply.identifier, position: judgedCount)
            faults.shape(&delivery, of: named, now: now)
        }
        // A reply says of everything before it that it was accepted, and so waits until it is.
        if held.count > 0, let delay = delivery.delay { delivery.delay = max(delay, held.latest - now) }
        replyingAfter = delivery.untilDiscarded
        // Not only until the reply: what lies unread shall still lie there when the connection is closed.
        if !delivery.reads { pause(until: .distantFuture) }
        state.condemn(delivery, now: now)
        isServing = state.isServing
        beginReply(now)
    }

    /// Begins with the reply if it is due; returns whether it is.
    @discardableResult
    private func beginReply(_ now: Instant) -> Bool {
        guard let delivery = state.becomeReady(at: now, discarded: discardedCount) else { return false }
        action = delivery.isWithheld ? .close(delivery.closeMode) : .fill
        return true
    }

    private func close() {
        state.close()
        isServing = false
    }

    private func end(_ mode: CloseMode) {
        close()
        action = .close(mode)
    }

    // MARK: - Faults

    private func suffer(_ strike: SessionFaults.Strike, at subject: FaultSubject, now: Instant) {
        switch strike {
        case .shutdown:
            ledger.counts.shutdowns += 1
            condemn(ErrorReply(status: .shutdown, identifier: subject.identifier), subject, now: now)
        case .close(let mode): end(mode)
        case .stall(let until): pause(until: until)
        case .blackHole:
            close()
            action = .swallow
        }
    }

    private func pause(until: Instant) { pausedUntil = pausedUntil.map { max($0, until) } ?? until }

    private func slowDown(_ accepted: UInt64, _ now: Instant) {
        let shared = pace.pause(afterAccepting: accepted, now: now, ledger: ledger)
        if let until = shared { pause(until: until) }
        let own = throttle?.pause(afterAccepting: accepted, now: now, ledger: ledger)
        if let until = own { pause(until: until) }
    }

    /// Counts what is thrown away behind a refused notification.
    private func discard(_ frame: ParsedNotification, now: Instant) {
        guard case .notification(let notification) = frame else { return }
        if isSkippingRefused {
            isSkippingRefused = false
            return
        }
        ledger.discard(notification)
        discardedCount += 1
        if discardedCount == replyingAfter { beginReply(now) }
    }
}
