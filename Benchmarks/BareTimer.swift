import CShims
import Glibc
import Primitives

/// The yardstick of pacing: a thread that does nothing but wait for the next millisecond, as evenly as this machine lets anybody.
struct BareTimer {
    /// The standard deviation of the gaps between its wake-ups ÷ their mean.
    let variation: Double
    /// How late it woke up, in nanoseconds, rising.
    private let lateness: [Int64]
    /// The gaps between its wake-ups, in nanoseconds, rising.
    private let gaps: [Int64]

    /// Waits `count` times for the end of a period.
    static func measure(period: Interval, count: Int) -> BareTimer {
        shim_timer_be_exact()
        var lateness: [Int64] = []
        var gaps: [Int64] = []
        var due = now() + period.nanoseconds
        var last: Int64?
        for _ in 0..<count {
            var until = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil)
            let woken = now()
            lateness.append(woken - due)
            if let last { gaps.append(woken - last) }
            last = woken
            due += period.nanoseconds
        }
        return BareTimer(lateness: lateness, gaps: gaps)
    }

    private init(lateness: [Int64], gaps: [Int64]) {
        let mean = Double(gaps.reduce(0, +)) / Double(max(1, gaps.count))
        let squares = gaps.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        variation = mean > 0 ? (squares / Double(gaps.count)).squareRoot() / mean : .nan
        self.lateness = lateness.sorted()
        self.gaps = gaps.sorted()
    }

    /// How late it woke up at a quantile between 0 and 1, in nanoseconds.
    func lateness(atQuantile share: Double) -> Int64? { Self.value(of: lateness, at: share) }

    /// The gap at a quantile between 0 and 1, in nanoseconds.
    func gap(atQuantile share: Double) -> Int64? { Self.value(of: gaps, at: share) }

    private static func value(of sorted: [Int64], at share: Double) -> Int64? {
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted.isEmpty ? nil : sorted[min(max(1, rank), sorted.count) - 1]
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
