import Glibc
public import Primitives
import Transport

/// The time of day, for what the protocol tells in UNIX seconds; never for measuring.
public enum UnixClock {
    /// What must be added to an instant of the monotonic clock to get the time since 1970, as the clocks stand now.
    public static var offset: Interval {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let sinceEpoch = Interval(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        return sinceEpoch - (MonotonicClock.now() - .zero)
    }
}
