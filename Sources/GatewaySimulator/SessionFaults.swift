import Primitives
import PushWire

/// The faults that can strike one connection; made only for connections that have some.
final class SessionFaults {
    /// What a fault does to a connection.
    enum Strike: Hashable {
        case shutdown
        case close(CloseMode)
        case stall(until: Instant)
        case blackHole
    }

    private var refusing: [FaultWatch] = []
    private var strikes = ConnectionStrikes()
    private var shaping: [FaultWatch] = []
    private var holding: [FaultWatch] = []
    /// Until when the connection stalls, so that what was read already does not begin the same stall again.
    private var stalledUntil = Instant.zero
    private let ledger: GatewayLedger
    private let totals: FaultTotals

    /// Makes the faults of a connection that was opened at `now`; nil when none can strike it.
    init?(settings: GatewaySettings, ledger: GatewayLedger, totals: FaultTotals, openedAt now: Instant) {
        self.ledger = ledger
        self.totals = totals
        let plan = settings.faults
        guard !plan.faults.isEmpty else { return nil }
        let first = totals.connectionOpened(at: now)
        let key = settings.tokenKey
        for (index, fault) in plan.faults.enumerated() {
            let origin = fault.trigger.scope == .total ? first : now
            let watch = FaultWatch(index: index, fault: fault, origin: origin, seed: plan.seed, key: key)
            switch fault.effect {
            case .status: refusing.append(watch)
            case .shutdown, .close, .stall, .blackHole:
                strikes.add(watch, openedAt: now)
            case .replyDelay, .replySplit, .replyWithheld, .replyIdentifier, .replyClose: shaping.append(watch)
            case .acceptanceDelay: holding.append(watch)
            case .throttle, .external: break
            case .response, .responseDelay, .unanswered, .resetStream, .goAway, .streamLimit, .streamWindow,
                .windowHeld,
                .tokenLimit:
                break
            }
        }
        if refusing.isEmpty && strikes.isEmpty && shaping.isEmpty && holding.isEmpty { return nil }
    }

    /// Whether notifications must be shown one by one.
    var watchesNotifications: Bool { !refusing.isEmpty || strikes.watchesNotifications }

    /// When ``timedStrike(now:)`` wants to be called.
    var deadline: Instant? { strikes.deadline }

    /// The status with which a notification is refused by order.
    func refusal(of subject: FaultSubject, now: Instant) -> ErrorStatus? {
        for place in refusing.indices where refusing[place].strike(subject, now: now, totals: totals) != nil {
            guard case .status(let status) = refusing[place].fault.effect else { continue }
            ledger.countFault(refusing[place].index)
            return status
        }
        return nil
    }

    /// How long a good notification waits until it is accepted; of several faults the last one has the last word.
    func acceptanceDelay(of subject: FaultSubject, now: Instant) -> Interval {
        var length = Interval.zero
        for place in holding.indices where holding[place].strike(subject, now: now, totals: totals) != nil {
            guard case .acceptanceDelay(let delay) = holding[place].fault.effect else { continue }
            ledger.countFault(holding[place].index)
            length = delay.length(drawnBy: holding[place].draw(subject)) ?? length
        }
        return length
    }

    /// What befalls the connection with an accepted notification; the first fault counts.
    func strike(_ subject: FaultSubject, now: Instant) -> Strike? {
        strikes.take(with: subject, now: now, totals: totals) { strike($0, until: $1) }
    }

    /// What befalls the connection because of the time; nil when nothing is due.
    func timedStrike(now: Instant) -> Strike? {
        strikes.takeDue(now: now) { strike($0, until: $1) }
    }

    /// Changes how a reply leaves.
    func shape(_ delivery: inout ReplyDelivery, of subject: FaultSubject, now: Instant) {
        for place in shaping.indices where shaping[place].strike(subject, now: now, totals: totals) != nil {
            ledger.countFault(shaping[place].index)
            switch shaping[place].fault.effect {
            case .replyDelay(let delay):
                delivery.delay = delay.length(drawnBy: shaping[place].draw(subject))
                delivery.untilDiscarded = delay.notifications
                delivery.reads = delay.reads
            case .replySplit(let pieces, let pause):
                delivery.pieces = pieces
                delivery.pause = pause
            case .replyWithheld: delivery.isWithheld = true
            case .replyIdentifier(.identifier(let identifier)): delivery.reply.identifier = identifier
            case .replyIdentifier(.shifted(let distance)):
                delivery.reply.identifier &+= UInt32(bitPattern: distance)
            case .replyClose(let mode): delivery.closeMode = mode
            default: break
            }
        }
    }

    private func strike(_ watch: FaultWatch, until: Instant) -> Strike? {
        let strike: Strike
        switch watch.fault.effect {
        case .shutdown: strike = .shutdown
        case .close(let mode): strike = .close(mode)
        case .stall:
            guard until > stalledUntil else { return nil }
            stalledUntil = until
            strike = .stall(until: until)
        case .blackHole: strike = .blackHole
        default: return nil
        }
        ledger.countFault(watch.index)
        return strike
    }
}
