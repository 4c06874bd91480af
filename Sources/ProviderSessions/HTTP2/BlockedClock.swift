import Primitives

/// Follows what keeps a session from opening requests, and for how long.
struct BlockedClock {
    private var cause: BlockCause?
    private var since = Instant.zero

    /// The session is kept by `cause` at present, or by nothing; returns what has ended by that.
    mutating func note(_ cause: BlockCause?, at now: Instant) -> RequestEvent? {
        guard cause != self.cause else { return nil }
        let ended = end(at: now)
        self.cause = cause
        since = now
        return ended
    }

    /// Nothing keeps the session any more.
    mutating func end(at now: Instant) -> RequestEvent? {
        guard let ended = cause else { return nil }
        cause = nil
        return .blocked(ended, now - since, at: now)
    }
}
