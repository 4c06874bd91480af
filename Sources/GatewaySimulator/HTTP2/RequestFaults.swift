import Primitives
import PushWire
import Workload

/// The faults that can strike one connection of HTTP/2; made only for connections that have some.
final class RequestFaults {
    /// What a fault does to a connection.
    enum Strike: Hashable {
        case goAway(GoAwayOrder)
        case close(CloseMode)
        case stall(until: Instant)
        case blackHole
        case streamLimit(UInt32)
        case streamWindow(UInt32)
        case windowHeld(until: Instant)
    }

    /// How an answer leaves.
    struct Delivery {
        var delay = Interval.zero
        var isWithheld = false
        /// The code with which the stream is reset instead.
        var resetCode: UInt32?
    }

    private var refusing: [FaultWatch] = []
    private var limiting: [(watch: FaultWatch, limiter: TokenLimiter)] = []
    private var shaping: [FaultWatch] = []
    private var strikes = ConnectionStrikes()
    private var stalledUntil = Instant.zero
    private let ledger: GatewayLedger
    private let totals: FaultTotals

    /// Makes the faults of a connection that was opened at `now`; nil when none can strike it.
    init?(
        settings: GatewaySettings, ledger: GatewayLedger, totals: FaultTotals, limiters: TokenLimiters,
        openedAt now: Instant
    ) {
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
            case .response: refusing.append(watch)
            case .tokenLimit(let rate): limiting.append((watch, limiters.limiter(ofFault: index, rate: rate)))
            case .responseDelay, .unanswered, .resetStream: shaping.append(watch)
            // Limits hold for connections that come later, too.
            case .streamLimit, .streamWindow: strikes.add(watch, isLasting: true, openedAt: now)
            case .goAway, .shutdown, .close, .stall, .blackHole, .windowHeld: strikes.add(watch, openedAt: now)
            case .status, .throttle, .external, .acceptanceDelay, .replyDelay, .replySplit, .replyWithheld,
                .replyIdentifier, .replyClose:
                break
            }
        }
        if refusing.isEmpty && limiting.isEmpty && shaping.isEmpty && strikes.isEmpty { return nil }
    }

    /// When ``timedStrike(now:)`` wants to be called.
    var deadline: Instant? { strikes.deadline }

    /// The reason with which a request is refused by order.
    func refusal(of subject: FaultSubject, now: Instant) -> RefusalReason? {
        for place in refusing.indices where refusing[place].strike(subject, now: now, totals: totals) != nil {
            guard case .response(let reason) = refusing[place].fault.effect else { continue }
            ledger.countFault(refusing[place].index)
            return reason
        }
        for place in limiting.indices where limiting[place].watch.strike(subject, now: now, totals: totals) != nil {
            guard !limiting[place].limiter.admits(subject.token, now: now) else { continue }
            ledger.countFault(limiting[place].watch.index)
            return .tooManyRequests
        }
        return nil
    }

    /// How an answer leaves; of several faults the last one has the last word.
    func delivery(of subject: FaultSubject, now: Instant) -> Delivery {
        var delivery = Delivery()
        for place in shaping.indices {
            var subject = subject
            // Who is reset sends the same again, and would be reset for ever.
            if case .resetStream = shaping[place].fault.effect { subject.isDrawnByPosition = true }
            guard shaping[place].strike(subject, now: now, totals: totals) != nil else { continue }
            ledger.countFault(shaping[place].index)
            switch shaping[place].fault.effect {
            case .responseDelay(let delay):
                delivery.delay = delay.length(drawnBy: shaping[place].draw(subject)) ?? delivery.delay
            case .unanswered: delivery.isWithheld = true
            case .resetStream(let code): delivery.resetCode = code
            default: break
            }
        }
        return delivery
    }

    /// What befalls the connection with a request; the first fault counts. One that `isLeaving` already is not given up again.
    func strike(_ subject: FaultSubject, isLeaving: Bool, now: Instant) -> Strike? {
        strikes.take(with: subject, now: now, totals: totals) { strike($0, isLeaving: isLeaving, until: $1) }
    }

    /// What befalls the connection because of the time; nil when nothing is due.
    func timedStrike(isLeaving: Bool, now: Instant) -> Strike? {
        strikes.takeDue(now: now) { strike($0, isLeaving: isLeaving, until: $1) }
    }

    private func strike(_ watch: FaultWatch, isLeaving: Bool, until: Instant) -> Strike? {
        let strike: Strike
        switch watch.fault.effect {
        case .goAway, .shutdown:
            guard !isLeaving else { return nil }
            var order = GoAwayOrder()
            if case .goAway(let given) = watch.fault.effect { order = given } else { order.reason = .shutdown }
            strike = .goAway(order)
        case .close(let mode): strike = .close(mode)
        case .stall:
            guard until > stalledUntil else { return nil }
            stalledUntil = until
            strike = .stall(until: until)
        case .blackHole: strike = .blackHole
        case .streamLimit(let limit): strike = .streamLimit(limit)
        case .streamWindow(let bytes): strike = .streamWindow(bytes)
        case .windowHeld: strike = .windowHeld(until: until)
        default: return nil
        }
        ledger.countFault(watch.index)
        return strike
    }
}

/// How often each device was pushed to lately, in a table of a fixed size.
///
/// Devices that share a place in the table share their allowance, of which there are 65,536: with a million devices a place is shared by
/// 15, so a limit of one event loop is exact for few devices and an estimate for many.
public final class TokenLimiter {
    private static let placeCount = 65_536
    private let spacing: Interval
    private var owners = [UInt64](repeating: 0, count: placeCount)
    private var freeAt = [Instant](repeating: .zero, count: placeCount)

    init(rate: Rate) { spacing = Interval(nanoseconds: Int64(max(1, 1e9 / rate.perSecond))) }

    /// Whether one more notification to this device is within the rate; a burst of a second's worth is.
    func admits(_ token: UnsafeRawBufferPointer, now: Instant) -> Bool {
        let hash = tokenHash(token) | 1
        let place = Int(truncatingIfNeeded: hash >> 48)
        let next = max(freeAt[place], now) + spacing
        // A place goes to another device once the one before has its allowance back.
        if owners[place] != hash {
            guard freeAt[place] <= now else { return true }
            owners[place] = hash
        }
        guard next - now <= max(.seconds(1), spacing) else { return false }
        freeAt[place] = next
        return true
    }
}

/// The limiters of one event loop, by the faults that ask for them.
public final class TokenLimiters {
    private var limiters: [Int: TokenLimiter] = [:]

    /// Makes an empty set.
    public init() {}

    func limiter(ofFault index: Int, rate: Rate) -> TokenLimiter {
        if let limiter = limiters[index] { return limiter }
        let limiter = TokenLimiter(rate: rate)
        limiters[index] = limiter
        return limiter
    }
}
