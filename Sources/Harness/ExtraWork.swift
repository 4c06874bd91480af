import Primitives
import Transport

/// Work that a provider or a gateway has with each notification beside sending or judging it: the loop is busy for so long, and does
/// nothing else meanwhile.
struct ExtraWork: Sendable {
    /// The time for one notification; zero for none.
    var each: Interval

    /// Keeps the loop busy for `count` notifications.
    func spend(on count: UInt64) {
        guard each > .zero, count > 0 else { return }
        let (length, isTooLong) = each.nanoseconds.multipliedReportingOverflow(by: Int64(clamping: count))
        let end = MonotonicClock.now() + Interval(nanoseconds: isTooLong ? .max / 4 : length)
        while MonotonicClock.now() < end {}  // bounded by the time
    }
}
