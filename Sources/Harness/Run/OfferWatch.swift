import Primitives
import ProviderSessions
import Workload

/// What an open loop's schedule asks for while it runs, and when the offer of any run ends, as far as that is known.
struct OfferWatch {
    private let schedule: ArrivalSchedule?
    private let limit: UInt64
    private let start: Instant
    private let end: Instant
    private var taken: (count: UInt64, at: Instant)
    /// How many notifications were due in a second, between the last two looks; nil in a closed loop.
    private(set) var perSecond: Double?

    /// Watches an offer that begins at `start`, and that time ends at `end` if nothing ends it before.
    init(_ supply: SequenceSupply, start: Instant, end: Instant) {
        let (schedule, limit) = (supply.plan?.schedule, supply.limit)
        self.schedule = schedule
        self.limit = limit
        self.start = start
        // Where neither time nor the schedule ends the offer, a gateway's speed does.
        let last = schedule.flatMap { limit > 0 && limit < .max ? start + $0.time(of: limit - 1) : nil }
        self.end = min(end, last ?? .distantFuture)
        taken = (0, start)
    }

    /// Looks at the schedule.
    mutating func take(at now: Instant) {
        guard let schedule, now > taken.at else { return }
        let count = min(limit, schedule.count(until: min(now, end) - start))
        perSecond = Double(count - min(count, taken.count)) / (now - taken.at).seconds
        taken = (count, now)
    }

    /// The time until the offer ends; nil where nobody knows.
    func timeLeft(at now: Instant) -> Interval? { end == .distantFuture ? nil : max(.zero, end - now) }
}
