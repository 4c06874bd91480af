import Glibc
import RunRecords
import SecureChannel
import Transport

/// What a look at this machine and process found, as numbers and names that rules can judge.
struct MachineFacts: Equatable {
    var descriptorsSoft = 0
    var descriptorsHard = 0
    var ephemeralPorts = 32_768...60_999
    /// The kernel's clock source; nil when it is not visible.
    var clockSource: String?
    var clockResolutionNs = 1
    var libraryVersion = ""
    var libraryHeaderVersion = ""
    var libraryMatchesHeaders = true
    var countsAllocations = true
    var processors = 1
    /// Memory that can be had without swapping, in bytes.
    var memoryBytes: Int64 = 0
    /// What decides about the processor's speed; nil when it is not visible.
    var governor: String?
    /// How many connections the kernel lets wait to be accepted; nil when it is not visible.
    var acceptQueue: Int?
    /// Why the simulator's port cannot be had; nil when it can.
    var portFailure: String?
    /// The same for its port of the HTTP/2 provider API.
    var http2PortFailure: String?
    /// Why two ends with the TLS library do not agree on HTTP/2 by ALPN; nil when they do.
    var alpnFailure: String?
    /// The version of nghttp2, which only tests and benchmarks need; nil where it is not installed.
    var nghttp2Version: String?
    var recordFolder = "."
    /// Why no file can be written there; nil when one can.
    var recordFailure: String?

    /// Looks at everything that the need depends on.
    static func gather(for need: RunNeed, recordPath: String?) -> MachineFacts {
        var facts = MachineFacts()
        (facts.descriptorsSoft, facts.descriptorsHard) = descriptorLimits()
        let range = firstLine("/proc/sys/net/ipv4/ip_local_port_range")?.split { $0 == "\t" || $0 == " " } ?? []
        if range.count == 2, let first = Int(range[0]), let last = Int(range[1]), first <= last {
            facts.ephemeralPorts = first...last
        }
        facts.clockSource = firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource")
        var resolution = timespec()
        clock_getres(CLOCK_MONOTONIC, &resolution)
        facts.clockResolutionNs = resolution.tv_sec * 1_000_000_000 + resolution.tv_nsec
        facts.libraryVersion = TLSLibrary.version
        facts.libraryHeaderVersion = TLSLibrary.headerVersion
        facts.libraryMatchesHeaders = TLSLibrary.matchesHeaders
        facts.countsAllocations = ProcessUsage.now().allocations != nil
        facts.processors = Machine.processorCount
        facts.memoryBytes = availableMemory()
        facts.governor = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        facts.acceptQueue = firstLine("/proc/sys/net/core/somaxconn").flatMap { Int($0) }
        if need.hasSimulator {
            facts.portFailure = portFailure(need.simulatorPort, need)
            facts.http2PortFailure = portFailure(need.http2Port, need)
        }
        facts.alpnFailure = HTTP2Facts.alpnFailure
        facts.nghttp2Version = HTTP2Facts.nghttp2Version
        facts.recordFolder = folder(of: recordPath)
        facts.recordFailure =
            access(facts.recordFolder, W_OK | X_OK) == 0 ? nil : String(cString: strerror(errno))
        return facts
    }

    private static func descriptorLimits() -> (soft: Int, hard: Int) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
    }

    /// Tries what the simulator will do, and gives the port up at once.
    private static func portFailure(_ number: Int, _ need: RunNeed) -> String? {
        guard let port = UInt16(exactly: number) else { return "is no port" }
        do throws(TransportError) {
            guard let address = try SocketAddress.resolve(host: need.simulatorAddress, port: port).first else {
                return "is no address"
            }
            try address.checkListening()
            return nil
        } catch {
            return error.description
        }
    }

    /// The kernel's own estimate, or all memory where it gives none.
    private static func availableMemory() -> Int64 {
        for line in lines("/proc/meminfo") where line.hasPrefix("MemAvailable:") {
            let parts = line.split(separator: " ")
            if parts.count >= 2, let kibibytes = Int64(parts[1]) { return kibibytes * 1_024 }
        }
        return Machine.fingerprint().memoryBytes
    }

    private static func folder(of path: String?) -> String {
        guard let path, let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func firstLine(_ path: String) -> String? { lines(path).first.map(String.init) }

    private static func lines(_ path: String) -> [Substring] {
        guard let bytes = try? readFile(path) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
