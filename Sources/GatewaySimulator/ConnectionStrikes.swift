import Primitives

/// The faults of a plan that befall one connection as a whole, by its notifications or by the time; what they do there is the session's.
struct ConnectionStrikes {
    private var counted: [FaultWatch] = []
    private var timed: [FaultWatch] = []

    /// Whether nothing can strike any more.
    var isEmpty: Bool { counted.isEmpty && timed.isEmpty }

    /// Whether notifications must be shown one by one.
    var watchesNotifications: Bool { !counted.isEmpty }

    /// When ``takeDue(now:strike:)`` wants to be called.
    var deadline: Instant? { timed.compactMap(\.start).min() }

    /// Adds a fault to a connection that was opened at `now`.
    ///
    /// What has passed before the connection came does not befall it, unless it goes on: for its length, or for good.
    mutating func add(_ watch: FaultWatch, isLasting: Bool = false, openedAt now: Instant) {
        guard watch.fault.trigger.isTimed else { return counted.append(watch) }
        guard let start = watch.start else { return }
        let goesOn = isLasting || watch.fault.trigger.length.map { now < start + $0 } ?? false
        if start >= now || goesOn { timed.append(watch) }
    }

    /// What befalls the connection with a notification: the first fault for which `strike` has something, told until when it lasts.
    mutating func take<Strike>(
        with subject: FaultSubject, now: Instant, totals: FaultTotals, strike: (FaultWatch, Instant) -> Strike?
    ) -> Strike? {
        for place in counted.indices {
            guard let until = counted[place].strike(subject, now: now, totals: totals) else { continue }
            if let strike = strike(counted[place], until) { return strike }
        }
        return nil
    }

    /// What befalls the connection because of the time; nil when nothing is due.
    mutating func takeDue<Strike>(now: Instant, strike: (FaultWatch, Instant) -> Strike?) -> Strike? {
        guard let place = timed.firstIndex(where: { $0.start.map { $0 <= now } ?? false }) else { return nil }
        let watch = timed.remove(at: place)
        return strike(watch, (watch.start ?? now) + (watch.fault.trigger.length ?? .zero))
    }
}
