internal import Glibc
internal import Primitives

/// For how long the calling thread was ready to run and had no processor, as the kernel counts it.
enum RunQueueClock {
    /// Reads the thread's `schedstat` in about 4 us; nil where the kernel does not tell.
    static func now() -> Interval? {
        let descriptor = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 96) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0
                ? waitTime(in: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<count]))) : nil
        }
    }

    /// The second of three numbers: processor time, time in the run queue, and turns (Linux, sched-stats.rst).
    static func waitTime(in text: UnsafeRawBufferPointer) -> Interval? {
        guard let space = text.firstIndex(of: 0x20) else { return nil }
        let digits = text[(space + 1)...].prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        var nanoseconds: Int64 = 0
        for digit in digits {
            let (product, isTooLarge) = nanoseconds.multipliedReportingOverflow(by: 10)
            guard !isTooLarge else { return nil }
            nanoseconds = product &+ Int64(digit - 0x30)
            guard nanoseconds >= 0 else { return nil }
        }
        return Interval(nanoseconds: nanoseconds)
    }
}
