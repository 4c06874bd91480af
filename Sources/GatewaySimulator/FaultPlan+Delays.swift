public import Primitives

extension FaultPlan {
    /// The delay that the plan draws for the notification with this identifier: what measurements of it are held against.
    ///
    /// Of faults that time, counts or tokens set off nothing can be said beforehand; they must not be in the plan.
    public func delay(drawnFor identifier: UInt32) -> Interval {
        let subject = FaultSubject(identifier: identifier, position: 0)
        let totals = FaultTotals(of: self)
        var length = Interval.zero
        for (index, fault) in faults.enumerated() {
            guard let delay = fault.effect.delay else { continue }
            var watch = FaultWatch(index: index, fault: fault, origin: .zero, seed: seed, key: nil)
            guard watch.strike(subject, now: .zero, totals: totals) != nil else { continue }
            length = delay.length(drawnBy: watch.draw(subject)) ?? length
        }
        return length
    }
}

extension GatewayFault.Effect {
    /// What it delays by; nil for all other effects.
    fileprivate var delay: ReplyDelay? {
        switch self {
        case .acceptanceDelay(let delay), .replyDelay(let delay), .responseDelay(let delay): delay
        default: nil
        }
    }
}
