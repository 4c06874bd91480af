internal import CShims
internal import Glibc
public import Primitives

/// The machine's monotonic clock; about 30 ns a reading.
public enum MonotonicClock {
    /// Reads the clock.
    public static func now() -> Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}

/// The processor time of the calling thread; about 250 ns a reading.
enum ThreadClock {
    static func now() -> Interval { Interval(nanoseconds: shim_thread_cpu_time()) }
}
