import Primitives

/// The parts of a run's one schedule.
enum RunPhase: String, CaseIterable, Sendable {
    /// Sending at full load that counts for nothing.
    case warmup
    /// What rates and latencies are about.
    case measure
    /// Waiting for what is under way, when the time of the run is over.
    case drain
}

/// When a run's phases begin. A run that a number of notifications ends is measured to its end.
struct PhaseBounds: Hashable, Sendable {
    /// The end of the warm-up.
    var measureStart = Instant.zero
    /// The end of the offer, if time ends it.
    var measureEnd = Instant.distantFuture

    func phase(at instant: Instant) -> RunPhase {
        if instant < measureStart { return .warmup }
        return instant < measureEnd ? .measure : .drain
    }

    /// The same phases, of which none but the drain goes on after an instant.
    func ended(at instant: Instant) -> PhaseBounds {
        PhaseBounds(measureStart: min(measureStart, instant), measureEnd: min(measureEnd, instant))
    }
}
