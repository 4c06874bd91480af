import CShims
import Glibc
import Primitives
public import RunRecords

/// What this process has used so far, as the kernel and the allocator tell.
public enum ProcessUsage {
    /// Reads the counters; allocation counts are nil when another allocator is linked.
    ///
    /// The allocator counts requests in each thread's cache and adds them up when the cache is emptied. This thread's is
    /// emptied here; what other threads have served out of theirs since is missing. Exact counts need a process that was
    /// started with `MALLOC_CONF=tcache:false`.
    public static func now() -> ProcessResourcesRecord {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        var record = ProcessResourcesRecord()
        record.cpuUserNs = nanoseconds(usage.ru_utime)
        record.cpuSystemNs = nanoseconds(usage.ru_stime)
        record.peakRSSBytes = peakResidentBytes() ?? Int64(usage.ru_maxrss) * 1_024
        record.voluntaryContextSwitches = Int64(usage.ru_nvcsw)
        record.involuntaryContextSwitches = Int64(usage.ru_nivcsw)
        _ = shim_mallctl("thread.tcache.flush", nil, nil, nil, 0)
        refreshAllocatorStatistics()
        record.allocations = sum("nrequests")
        record.allocatedBytes = counter("stats.allocated")
        record.descriptors = holdings.descriptors
        return record
    }

    /// The processor time of this process so far, without the cost of asking the allocator.
    static var processorTime: Interval {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return Interval(nanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
    }

    /// What this process holds at present.
    static var holdings: ProcessHoldings {
        var descriptors = stat()
        // The size of this folder is the number of its entries since Linux 6.2, and zero before.
        let isTold = stat("/proc/self/fd", &descriptors) == 0 && descriptors.st_size > 0
        let pages = (try? readFile("/proc/self/statm")).flatMap { text in
            String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        }
        return ProcessHoldings(
            residentBytes: pages.map { $0 * Int64(getpagesize()) },
            descriptors: isTold ? Int64(descriptors.st_size) : nil)
    }

    /// The high-water mark of this program; `ru_maxrss` begins with that of the process that started it.
    private static func peakResidentBytes() -> Int64? {
        guard let bytes = try? readFile("/proc/self/status") else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let parts = line.split { $0 == " " || $0 == "\t" }
            if parts.count >= 2, let kibibytes = Int64(parts[1]) { return kibibytes * 1_024 }
        }
        return nil
    }

    private static func nanoseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1_000
    }

    /// jemalloc keeps its statistics as of the last epoch.
    private static func refreshAllocatorStatistics() {
        var epoch: UInt64 = 1
        _ = shim_mallctl("epoch", nil, nil, &epoch, UInt(MemoryLayout<UInt64>.size))
    }

    /// Requests over all arenas (4096 stands for all of them in jemalloc's name space), small and large.
    private static func sum(_ name: String) -> Int64? {
        guard let small = counter("stats.arenas.4096.small.\(name)"),
            let large = counter("stats.arenas.4096.large.\(name)")
        else { return nil }
        return small + large
    }

    private static func counter(_ name: String) -> Int64? {
        var value: UInt64 = 0
        var size = UInt(MemoryLayout<UInt64>.size)
        return shim_mallctl(name, &value, &size, nil, 0) == 0 ? Int64(clamping: value) : nil
    }
}
