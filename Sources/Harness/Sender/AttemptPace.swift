import Primitives
import Synchronization

/// Spaces the attempts to connect of all connections and loops, because gateways take churn for an attack.
final class AttemptPace: Sendable {
    private let spacing: Int64
    private let next = Atomic<Int64>(0)
    /// How long the pace may have been idle for attempts to be made up at once.
    private static let tolerance = Interval.milliseconds(10)

    init(_ rate: Rate) { spacing = Int64(max(1, 1e9 / rate.perSecond)) }

    /// Takes the next attempt and returns when it may begin, `now` at the earliest.
    func reserve(now: Instant) -> Instant {
        let earliest = (now + Interval(nanoseconds: -Self.tolerance.nanoseconds)).nanoseconds
        var expected = next.load(ordering: .relaxed)
        while true {  // bounded: another loop's success is what makes an exchange fail
            let start = max(expected, earliest)
            let (isTaken, original) = next.compareExchange(
                expected: expected, desired: start + spacing, ordering: .relaxed)
            if isTaken { return max(now, Instant(nanoseconds: start)) }
            expected = original
        }
    }
}
