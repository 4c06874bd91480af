import Primitives

/// The ticks of a timer that nobody needs, on a fixed grid: by how much each comes late is by how much everything on its event loop does.
///
/// A loop that stands still for a while misses all ticks of that time, and all of them count, each with its own lateness: one
/// value for the whole pause would hide it among the thousands of good ones.
struct IdleTicks {
    /// The time between two ticks.
    static let period = Interval.milliseconds(1)
    /// After a longer pause than so many ticks the rest of them, whose lateness is less, is left out.
    static let mostAtOnce = 10_000

    /// The next tick.
    private(set) var due: Instant

    /// The first tick comes a period after `start`.
    init(from start: Instant) { due = start + Self.period }

    /// Hands out every tick that was due by `now` with its lateness, and moves on to the next one.
    mutating func take(at now: Instant, _ body: (_ due: Instant, _ lateness: Interval) -> Void) {
        var budget = Self.mostAtOnce
        while due <= now, budget > 0 {
            budget -= 1
            body(due, now - due)
            due = due + Self.period
        }
        if due <= now { due = now + Self.period }
    }
}
