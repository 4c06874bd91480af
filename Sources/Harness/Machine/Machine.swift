import Glibc
public import RunRecords
import SecureChannel

/// This machine, as far as results depend on it.
public enum Machine {
    /// Processors that this process may use.
    public static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The folder of the running program, where its companions lie.
    public static var programFolder: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return "." }
            let count = readlink("/proc/self/exe", start, buffer.count)
            guard count > 0 else { return "." }
            let path = buffer[..<count].map { UInt8(bitPattern: $0) }
            return String(decoding: path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
        }
    }

    /// What two records must share to be compared; says nothing that identifies a host.
    public static func fingerprint() -> MachineRecord {
        var record = MachineRecord()
        record.cpuModel = value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown"
        record.cores = processorCount
        record.memoryBytes = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))
        var names = utsname()
        uname(&names)
        record.kernel = withUnsafeBytes(of: names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        record.os = value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=")?.filter { $0 != "\"" } ?? "Linux"
        record.openssl = TLSLibrary.version
        return record
    }

    /// The kernel's random number of this boot; empty where it tells none.
    public static var bootIdentifier: String {
        let bytes = (try? readFile("/proc/sys/kernel/random/boot_id")) ?? []
        return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
    }

    private static func value(of key: String, in path: String, separator: Character) -> String? {
        guard let bytes = try? readFile(path) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(key) {
            let parts = line.split(separator: separator, maxSplits: 1)
            if parts.count == 2 { return parts[1].trimmingPrefix { $0 == " " || $0 == "\t" }.description }
        }
        return nil
    }

    /// The present time as records have it, ISO 8601 in UTC to the second.
    public static func utcText() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            guard let start = buffer.baseAddress, strftime(start, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 else {
                return ""
            }
            return String(cString: start)
        }
    }

    /// The soft limit on descriptors, raised to the hard one first.
    public static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
