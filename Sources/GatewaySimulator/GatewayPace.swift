import Primitives

/// What all connections of one event loop share: how fast they are read, and what the plan's triggers count.
public final class GatewayPace {
    /// What is counted over the whole gateway.
    public let totals: FaultTotals
    /// Nil without a throttle, so that reading costs nothing for it.
    private let throttledBy: FaultPlan?
    private var throttle: ReadingThrottle?

    /// Makes the pace of one event loop; `totals` are those of the whole gateway.
    public init(settings: GatewaySettings, totals: FaultTotals) {
        self.totals = totals
        throttledBy = settings.faults.throttles(.total) ? settings.faults : nil
    }

    /// Makes the pace of a gateway with one event loop.
    public convenience init(settings: GatewaySettings) {
        self.init(settings: settings, totals: FaultTotals(of: settings.faults))
    }

    /// Until when nothing should be read, after so many were accepted at `now`; nil to read on. Pauses are entered in `ledger`.
    func pause(afterAccepting count: UInt64, now: Instant, ledger: GatewayLedger) -> Instant? {
        guard let plan = throttledBy else { return nil }
        if throttle == nil {
            throttle = ReadingThrottle(
                plan: plan, scope: .total, totals: totals, openedAt: totals.firstConnectionAt ?? now)
        }
        return throttle?.pause(afterAccepting: count, now: now, ledger: ledger)
    }
}

extension FaultPlan {
    /// Whether it has a throttle of this scope.
    fileprivate func throttles(_ scope: FaultTrigger.Scope) -> Bool {
        faults.contains { fault in
            guard case .throttle = fault.effect else { return false }
            return fault.trigger.scope == scope
        }
    }
}

/// Keeps reading down to a rate, by pauses as long as what was read should have taken.
struct ReadingThrottle {
    private struct Limit {
        let index: Int
        let rate: Rate
        let start: Instant
        let end: Instant
        var nextFree: Instant?
    }

    private var limits: [Limit] = []

    /// Makes the throttle of a connection, or of what connections share; nil when the plan has none.
    init?(plan: FaultPlan, scope: FaultTrigger.Scope, totals: FaultTotals, openedAt now: Instant) {
        for (index, fault) in plan.faults.enumerated() where fault.trigger.scope == scope {
            guard case .throttle(let rate) = fault.effect else { continue }
            let start = fault.trigger.at.map { now + $0 } ?? .zero
            limits.append(
                Limit(
                    index: index, rate: rate, start: start,
                    end: fault.trigger.length.map { start + $0 } ?? .distantFuture))
        }
        if limits.isEmpty { return nil }
    }

    mutating func pause(afterAccepting count: UInt64, now: Instant, ledger: GatewayLedger) -> Instant? {
        var latest: Instant?
        for place in limits.indices where now >= limits[place].start && now < limits[place].end {
            let nanoseconds = Double(count) * 1e9 / limits[place].rate.perSecond
            let free = max(now, limits[place].nextFree ?? now) + Interval(nanoseconds: Int64(nanoseconds))
            limits[place].nextFree = free
            guard free > now else { continue }
            ledger.countFault(limits[place].index)
            latest = max(latest ?? free, free)
        }
        return latest
    }
}
