public import Primitives
import PushWire
public import Workload

/// What a session wants from whoever drives its connection.
public enum SessionAction: Hashable, Sendable {
    /// Open a connection.
    case connect
    /// Drop the connection without writing another byte, and open the next one.
    case replace
    /// Drop the connection; the next one comes after a pause.
    case drop
    /// Ask for a batch (``ProviderSession/fill(into:now:)``).
    case fill
    /// Close the connection in order; the session has nothing more to do.
    case finish
}

/// The sender's side of one connection slot of the binary interface: batch, window, attribution of errors, resending, proof.
///
/// A machine without sockets, clock or queue: the driver passes bytes and times in, and after each call takes
/// the ``takeAction()`` and the ``takeEvents(_:)`` out. It belongs to one event loop and outlives its connections: what an
/// error reply leaves to be written again waits here for the successor.
///
/// Success is silent in this protocol, so `written` never turns into `accepted` by itself. The log knows every notification written on
/// the present connection; a reply that names one of them settles all of them at once. In command 0 no reply can name any: whatever
/// was written stays unproven, and a bad notification shows as nothing but the connection's end.
public final class ProviderSession {
    /// Which of the run's connections this is, from 0.
    public let slot: Int
    /// What the session was told.
    public let plan: SessionPlan
    /// How many connections stood so far.
    public private(set) var connectionCount = 0
    /// How many bytes of frames were written.
    public private(set) var writtenBytes: UInt64 = 0
    /// How many notifications were written, again or for the first time.
    public private(set) var writtenCount: UInt64 = 0
    /// How many of those were written again.
    public private(set) var resentCount: UInt64 = 0
    /// How many notifications were proved to be accepted.
    public private(set) var acceptedCount: UInt64 = 0
    /// How many error replies (not counting those to sentinels) came.
    public private(set) var errorReplyCount = 0

    private let supply: SequenceSupply
    private let encoder: BatchEncoder
    private var random: SeededRandom
    private var state = ConnectionState.idle
    private var log = SequenceRuns()
    private var batchTimes = BatchTimes()
    private var queue = RunQueue()
    private var decoder = ErrorReplyDecoder()
    private var hasWriteFailed = false
    private var batch: PendingBatch?
    /// What is in flight, when that is bounded.
    private var silenceWindow: SilenceWindow?
    /// The present connection's round trip, as measured when it was opened.
    private var roundTrip = Interval.zero
    private var nextFill = Instant.zero
    private var sentinelWrittenAt = Instant.zero
    private var reconnectClock: ReconnectClock
    private var action: SessionAction?
    private var events: [SessionEvent] = []

    /// How many events have room without asking for memory.
    private static let keptEventCount = 64

    /// A batch between the moment at which it was encoded and the one at which the kernel had all of it.
    private struct PendingBatch {
        var notifications: UInt64 = 0
        var resent: UInt64 = 0
        var bytes = 0
        var filledAt: Instant
    }

    /// Makes the session of connection `slot`, counted from 0; `seed` decides the jitter of its pauses.
    public init(slot: Int, plan: SessionPlan, supply: SequenceSupply, source: NotificationSource, seed: UInt64) {
        precondition(plan.batch.notifications > 0 && plan.window > 0, "batch and window hold at least one notification")
        precondition(plan.sentinelBase < IdentifierSpace.count, "some identifiers are left for sentinels")
        self.slot = slot
        self.plan = plan
        self.supply = supply
        encoder = BatchEncoder(plan: plan, source: source)
        if plan.silence != nil { silenceWindow = SilenceWindow(limit: plan.window) }
        random = SeededRandom(seed: mix64(seed) ^ UInt64(slot))
        reconnectClock = ReconnectClock(slot: slot)
    }

    // MARK: - Output

    /// Takes what the session wants done; nil when nothing.
    public func takeAction() -> SessionAction? {
        defer { action = nil }
        return action
    }

    /// Passes each event since the last call to `body`, in order.
    public func takeEvents(_ body: (SessionEvent) -> Void) {
        guard !events.isEmpty else { return }
        for event in events { body(event) }
        // A batch has a few; the many that settle a whole connection are not worth their memory afterwards.
        events.removeAll(keepingCapacity: events.count <= Self.keptEventCount)
    }

    /// Whether every notification that this session took has its fate, and no connection is wanted any more.
    public var isFinished: Bool { state.isFinished }

    /// Whether batches may be written at present.
    public var isOpen: Bool { state.isOpen }

    /// Whether a connection stands, for batches or for the last proof.
    public var isConnected: Bool { state.isConnected }

    /// Whether a connection stands that is not just another one of a series that soon ended.
    public func isLasting(at now: Instant) -> Bool { state.isLasting(at: now, base: plan.reconnect.base) }

    /// How many notifications are written on the present connection and not settled.
    public var unsettledCount: UInt64 { log.count }

    /// When the end of a connection was seen whose replacement has not carried a batch yet; nil if there is none.
    public var openEnd: Instant? { reconnectClock.openEnd }

    /// For how long the window alone kept notifications from being written.
    public var windowHeldTime: Interval { silenceWindow?.heldTime ?? .zero }

    /// When ``timerFired(now:)`` wants to be called; nil when nothing waits for time.
    public var deadline: Instant? {
        var earliest = state.deadline
        if let batch { earliest = minimum(earliest, batch.filledAt + plan.stallLimit) }
        if state.isOpen && batch == nil {
            if nextFill > .zero { earliest = minimum(earliest, nextFill) }
            if let until = silenceWindow?.heldUntil { earliest = minimum(earliest, until) }
        }
        return earliest
    }

    /// Whether the session could write a batch and has none: in an open loop its driver asks it to fill when its turn comes
    /// (``FillTurns``).
    public var isWaiting: Bool {
        state.isOpen && batch == nil && queue.isEmpty && nextFill == .zero && silenceWindow?.heldUntil == nil
    }

    private func minimum(_ left: Instant?, _ right: Instant?) -> Instant? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    // MARK: - Connection

    /// Begins the slot's life: it wants a connection.
    public func start(now: Instant) {
        if state.beginAttempt(at: now) { action = .connect }
    }

    /// The connection asked for stands.
    public func connectionOpened(_ facts: ConnectionFacts, now: Instant) {
        guard state.opened(at: now) else { return }
        roundTrip = facts.roundTrip
        switch plan.silence {
        case .roundTrip?: silenceWindow?.silence = facts.roundTrip > .zero ? facts.roundTrip : nil
        case .constant(let silence)?: silenceWindow?.silence = silence
        case nil: break
        }
        connectionCount += 1
        decoder = ErrorReplyDecoder()
        hasWriteFailed = false
        reconnectClock.opened(facts, at: now)
        events.append(.connected(facts, at: now))
        action = .fill
    }

    /// The attempt failed, or the connection ended; everything that it had received was passed in before.
    public func connectionEnded(_ end: ConnectionEnd, now: Instant) {
        if state.isConnected {
            loseConnection(end, now: now)
        } else if state.ended(at: now, plan: plan.reconnect, random: &random) != .ignore {
            reconnectClock.attemptFailed()
            events.append(.connectFailed(end, at: now))
            if !hasWork { finish(.finish) }
        }
    }

    /// The gateway was seen to accept notifications, on whichever connection: it is slow, and not silent.
    public func gatewayMoved(now: Instant) {
        state.extendProving(until: now + (plan.command.hasIdentifier ? plan.sentinelTimeout : plan.watchTime))
    }

    /// Time has come for what ``deadline`` announced.
    public func timerFired(now: Instant) {
        if let batch, now >= batch.filledAt + plan.stallLimit {
            loseConnection(.timedOut, silentSince: batch.filledAt, now: now)
        } else if state.isProving, let deadline = state.deadline, now >= deadline {
            if state.sentinel != nil {
                loseConnection(.timedOut, silentSince: sentinelWrittenAt, now: now)
            } else {
                endUnproven()
            }
        } else if state.beginAttempt(at: now) {
            action = .connect
        } else if state.isOpen && batch == nil {
            action = .fill
        }
    }

    /// Gives up at the end of the run's time: what is not settled gets its fate now.
    public func abandon(now: Instant) {
        guard !state.isFinished else { return }
        dropBatch(now: now)
        for run in log.runs { settle(run, .unknown) }
        log.removeAll()
        var discarded = queue.resendCount
        for var run in queue.remaining {
            let resends = run.takeFirst(discarded)
            discarded -= resends.count
            if resends.count > 0 { settleDiscarded(resends, .abandoned) }
            if run.count > 0 { settle(run, .unsent) }
        }
        queue.removeAll()
        finish(.drop)
    }

    // MARK: - Writing

    /// Encodes the next batch into `buffer` and returns its length in bytes; 0 when there is nothing to write now.
    ///
    /// The driver hands a batch over in one write, calls ``flushed(sentAt:now:)`` when the kernel has all of it, and asks
    /// for the next one only then.
    public func fill(into buffer: UnsafeMutableRawBufferPointer, now: Instant) -> Int {
        guard state.isOpen, batch == nil, now >= nextFill, let base = buffer.baseAddress else { return 0 }
        nextFill = .zero
        if silenceWindow != nil, isHeldByWindow(at: now) { return 0 }
        let capacity = buffer.count
        var next = PendingBatch(filledAt: now)
        while next.notifications < plan.batch.notifications {
            if queue.isEmpty && !claim(for: next, now: now) { break }
            guard let run = queue.first else { break }
            let wanted = min(run.count, plan.batch.notifications - next.notifications)
            let encoded = encoder.encode(
                SequenceRun(start: run.start, count: wanted), at: base + next.bytes,
                room: BatchRoom(
                    planned: min(capacity, plan.batch.bytes) - next.bytes, capacity: capacity - next.bytes,
                    isFirst: next.bytes == 0))
            guard encoded.count > 0 else { break }
            log.append(SequenceRun(start: run.start, count: encoded.count, unprovenResends: run.unprovenResends))
            next.resent += queue.dropFirst(encoded.count)
            next.notifications += encoded.count
            next.bytes += encoded.bytes
        }
        if next.notifications > 0 {
            batchTimes.add(endPosition: log.count, at: now)
            batch = next
            return next.bytes
        }
        return supply.isExhausted && queue.isEmpty ? writeSentinel(at: base, now: now) : 0
    }

    /// The kernel has all of the last batch, which it was first asked to take at `sentAt`.
    public func flushed(sentAt: Instant, now: Instant) {
        guard let written = batch else { return }
        batch = nil
        batchTimes.setLast(sentAt)
        noteSent(written, at: sentAt, now: now)
        silenceWindow?.add(written.notifications, at: now)
        writtenCount += written.notifications
        writtenBytes += UInt64(written.bytes)
        resentCount += written.resent
        events.append(
            .wrote(
                notifications: written.notifications, resent: written.resent, bytes: UInt64(written.bytes),
                residence: now - written.filledAt, at: now))
        if let pause = plan.waitAfterBatch { nextFill = now + roundTrip + pause }
        noteFirstWrite(now: now)
    }

    /// Tells of the notifications of a batch that are written for the first time; they stand behind those that are not.
    private func noteSent(_ batch: PendingBatch, at: Instant, now: Instant) {
        let fresh = batch.notifications - batch.resent
        log.forEachOfLast(fresh) { events.append(.sent($0, at: at, takenAt: now)) }
    }

    /// The connection ends while the kernel has taken a part of a batch, nobody knows which: it counts as sent now.
    private func dropBatch(now: Instant) {
        if let batch { noteSent(batch, at: batch.filledAt, now: now) }
        batch = nil
    }

    private func noteFirstWrite(now: Instant) {
        if let reconnect = reconnectClock.written(at: now) { events.append(.reconnected(reconnect)) }
    }

    /// Whether anything is left that needs a connection.
    private var hasWork: Bool { !queue.isEmpty || !supply.isExhausted }

    /// Whether there is something to write, and the window has no room for it.
    private func isHeldByWindow(at now: Instant) -> Bool {
        if queue.isEmpty {
            let due = supply.batchTime(batch: plan.batch.notifications, linger: plan.batch.linger)
            guard let due, due <= now else {
                silenceWindow?.endHold(at: now)
                return false
            }
        }
        return !(silenceWindow?.hasRoom(for: plan.batch.notifications, at: now) ?? true)
    }

    private func claim(for batch: PendingBatch, now: Instant) -> Bool {
        guard let time = supply.batchTime(batch: plan.batch.notifications, linger: plan.batch.linger), time <= now,
            let run = supply.claim(
                most: max(plan.batch.notifications - batch.notifications, supply.claimLimit), now: now)
        else { return false }
        queue.append(run)
        return true
    }

    /// Writes the deliberately bad last notification; without identifiers there is none, and silence is all that can be had.
    private func writeSentinel(at base: UnsafeMutableRawPointer, now: Instant) -> Int {
        guard log.count > 0 else {
            finish(.finish)
            return 0
        }
        guard plan.command.hasIdentifier else {
            state.beginProving(sentinel: nil, until: now + plan.watchTime)
            return 0
        }
        // Only unlike the run's own: the sentinel is the last on its connection, so no other one can be meant.
        let number = UInt64(slot) % (IdentifierSpace.count - plan.sentinelBase)
        let identifier = plan.identifiers.identifier(of: plan.sentinelBase + number)
        state.beginProving(sentinel: identifier, until: now + plan.sentinelTimeout)
        sentinelWrittenAt = now
        return encoder.encodeSentinel(identifier: identifier, at: base)
    }

    // MARK: - Replies

    /// Bytes came from the gateway.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        guard state.isConnected else { return }
        switch decoder.receive(bytes) {
        case .incomplete: break
        case .reply(let reply): handle(reply, now: now)
        case .violation(let bytes):
            events.append(.protocolViolation(bytes, at: now))
            loseConnection(.closedHere, now: now)
        }
    }

    /// A write on the present connection failed; whatever had come before is still passed in, for a while.
    public func writeFailed() { hasWriteFailed = true }

    private func handle(_ reply: ErrorReply, now: Instant) {
        if hasWriteFailed { events.append(.replyAfterWriteFailure(at: now)) }
        if let sentinel = state.sentinel, sentinel == reply.identifier {
            events.append(.proved(at: now))
            for run in log.runs { settle(run, .accepted, .sentinel) }
            noteFirstProof(of: log.count, now: now)
            log.removeAll()
            return finish(.finish)
        }
        errorReplyCount += 1
        let last = log.runs.last?.end ?? 0
        guard plan.command.hasIdentifier,
            let sequence = plan.identifiers.sequence(of: reply.identifier, near: last),
            let position = log.position(of: sequence)
        else {
            events.append(.unplacedReply(reply, at: now))
            return loseConnection(.closedByPeer, isUnplaced: true, now: now)
        }
        let inFlight = log.count - position - 1
        let latency = batchTimes.time(of: position).map { now - $0 }
        events.append(.errorReply(reply, sequence: sequence, latency: latency, inFlight: inFlight, at: now))
        // What is answered was written, even if the kernel has not taken the whole batch.
        noteFirstWrite(now: now)
        noteFirstProof(of: reply.status == .shutdown ? position + 1 : position, now: now)
        let queued = queue.resendCount
        dropBatch(now: now)
        settleLog(splitAt: position, status: reply.status)
        silenceWindow?.removeAll(at: now)
        reconnectClock.connectionEnded(
            .reply(reply.status), inFlight: inFlight, resent: queue.resendCount - queued, at: now)
        replaceConnection()
    }

    private func noteFirstProof(of count: UInt64, now: Instant) {
        guard count > 0, let seen = reconnectClock.proved() else { return }
        events.append(.firstProof(after: now - seen, at: now))
    }

    /// Settles everything written on the connection by an error reply that names the notification at `position`.
    ///
    /// All before it were accepted, all behind it discarded. Shutdown names the last *good* one instead
    /// (Apple, "Binary Provider API", table A-4, status 10).
    private func settleLog(splitAt position: UInt64, status: ErrorStatus) {
        let isShutdown = status == .shutdown
        for run in log[0..<position].runs { settle(run, .accepted, isShutdown ? .shutdown : .errorReply) }
        for run in log[position..<position + 1].runs {
            switch status {
            case .shutdown: settle(run, .accepted, .shutdown)
            case .noError: settle(run, .unknown)
            default: settle(run, .rejected)
            }
        }
        let followers = position + 1
        let windowStart = max(followers, log.count > plan.keptCount ? log.count - plan.keptCount : 0)
        if windowStart > followers {
            for run in log[followers..<windowStart].runs { settleDiscarded(run, .window) }
            events.append(.windowOverrun(lost: windowStart - followers, windowNeeded: log.count - followers))
        }
        queue.prepend(log[windowStart..<log.count])
        log.removeAll()
        batchTimes.removeAll()
    }

    private func replaceConnection() {
        guard hasWork else { return finish(.finish) }
        state.replaced()
        action = .replace
    }

    /// The connection outlived its last write long enough, which proves nothing.
    private func endUnproven() {
        for run in log.runs { settle(run, .unknown) }
        log.removeAll()
        finish(.finish)
    }

    /// The connection is gone and nothing tells how far the gateway had come; not even its reply, if it is `isUnplaced`.
    private func loseConnection(
        _ end: ConnectionEnd, silentSince: Instant? = nil, isUnplaced: Bool = false, now: Instant
    ) {
        let mayBeRefusal = !plan.command.hasIdentifier && log.count > 0
        events.append(.connectionLost(end, unproven: log.count, at: now))
        let (inFlight, queued) = (log.count, queue.resendCount)
        dropBatch(now: now)
        if end == .handshakeFailed { takeBackRefused() } else { settleUnproven(isUnplaced: isUnplaced) }
        silenceWindow?.removeAll(at: now)
        reconnectClock.connectionEnded(
            .end(end), silentSince: silentSince, inFlight: inFlight, resent: queue.resendCount - queued, at: now)
        guard hasWork else { return finish(.drop) }
        switch state.ended(at: now, plan: plan.reconnect, random: &random, mayBeRefusal: mayBeRefusal) {
        case .connect: action = .replace
        case .pause: action = .drop
        case .ignore: break
        }
    }

    /// Writes again what may be, and gives up the rest.
    ///
    /// A reply that names nothing (`isUnplaced`) is about one of them, and the same bytes would earn it again: after it they
    /// are written once more and never a third time, and what became of them stays unknown.
    private func settleUnproven(isUnplaced: Bool) {
        var resends = SequenceRuns()
        let windowStart = log.count > plan.keptCount ? log.count - plan.keptCount : 0
        for run in log[0..<windowStart].runs { settle(run, .unknown) }
        for var run in log[windowStart..<log.count].runs {
            guard case .resend(let limit) = plan.unproven else {
                settle(run, .unknown)
                continue
            }
            if run.unprovenResends < (isUnplaced ? 1 : limit) {
                run.unprovenResends += 1
                resends.append(run)
            } else if isUnplaced || !plan.command.hasIdentifier {
                settle(run, .unknown)
            } else {
                events.append(.lost(run, .cap))
            }
        }
        queue.prepend(resends)
        log.removeAll()
        batchTimes.removeAll()
    }

    /// The gateway refused the connection itself, so it has read nothing of what was written on it.
    private func takeBackRefused() {
        let windowStart = log.count > plan.window ? log.count - plan.window : 0
        for run in log[0..<windowStart].runs { settleDiscarded(run, .window) }
        queue.prepend(log[windowStart..<log.count])
        log.removeAll()
        batchTimes.removeAll()
    }

    /// What was discarded and is not written again is lost, unless an earlier copy of it may have been accepted.
    private func settleDiscarded(_ run: SequenceRun, _ reason: LossReason) {
        if run.unprovenResends > 0 { settle(run, .unknown) } else { events.append(.lost(run, reason)) }
    }

    private func settle(_ run: SequenceRun, _ fate: Fate, _ proof: Proof? = nil) {
        if fate == .accepted { acceptedCount += run.count }
        events.append(.settled(run, fate, proof))
    }

    private func finish(_ last: SessionAction) {
        state.finish()
        action = last
    }
}
