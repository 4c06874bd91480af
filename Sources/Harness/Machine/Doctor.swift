import Primitives
public import RunRecords

/// One thing that was looked at before a run.
public struct Finding: Equatable, Sendable {
    /// How bad it is.
    public enum Severity: String, Sendable, CaseIterable {
        /// Nothing needs to be done.
        case ok
        /// A run works, but its figures may suffer or say less.
        case warning
        /// A run will fail.
        case problem
    }

    /// What was looked at, in a word or two.
    public var name: String
    /// How bad it is.
    public var severity: Severity
    /// What was found, with its figures.
    public var found: String
    /// What to do about it; nil when nothing needs to be done.
    public var remedy: String?

    /// Makes a finding.
    public init(name: String, severity: Severity, found: String, remedy: String? = nil) {
        self.name = name
        self.severity = severity
        self.found = found
        self.remedy = remedy
    }
}

/// Says before a run what will go wrong in it on this machine: descriptors, ports, clock, libraries, memory, permissions.
public enum Doctor {
    /// Looks at this machine, for the runs of a profile or for those of the default one.
    ///
    /// - Parameters:
    ///   - profile: what shall be run; nil for the defaults.
    ///   - recordPath: where the record shall be written; nil for the present folder.
    /// - Returns: one finding for each thing looked at, in a fixed order.
    public static func examine(profile: Profile?, recordPath: String? = nil) -> [Finding] {
        let need = RunNeed(profile ?? Profile())
        let files = profile.map { [Self.certificate($0), Self.signingKey($0)] } ?? []
        return findings(MachineFacts.gather(for: need, recordPath: recordPath), need: need)
            + files.compactMap { $0 }
    }

    /// Judges what was found; the rules without a look at the machine.
    static func findings(_ facts: MachineFacts, need: RunNeed) -> [Finding] {
        var findings = [
            descriptors(facts, need), ephemeralPorts(facts, need), clock(facts), library(facts), allocator(facts),
            processors(facts, need), memory(facts, need), governor(facts), recordPath(facts), http2(facts),
        ]
        if need.hasSimulator {
            findings += [
                port("port", need.simulatorPort, facts.portFailure, need),
                port("HTTP/2 port", need.http2Port, facts.http2PortFailure, need), acceptQueue(facts, need),
            ]
        }
        return findings
    }

    // MARK: - Rules

    private static func descriptors(_ facts: MachineFacts, _ need: RunNeed) -> Finding {
        let found = "needs \(need.descriptors), available \(facts.descriptorsHard)"
        if need.descriptors > facts.descriptorsHard {
            return Finding(
                name: "descriptors", severity: .problem, found: found,
                remedy: "raise the hard limit (`ulimit -Hn`) or use fewer connections")
        }
        let isRaised = need.descriptors > facts.descriptorsSoft
        return Finding(
            name: "descriptors", severity: .ok,
            found: isRaised ? found + "; the soft limit of \(facts.descriptorsSoft) is raised by itself" : found)
    }

    private static func ephemeralPorts(_ facts: MachineFacts, _ need: RunNeed) -> Finding {
        let available = facts.ephemeralPorts.count
        let found = "needs \(need.connections), available \(available) to one address and port"
        let remedy = "widen net.ipv4.ip_local_port_range or use fewer connections"
        if need.connections > available {
            return Finding(name: "ephemeral ports", severity: .problem, found: found, remedy: remedy)
        }
        // Each closed connection keeps its port for a minute, and errors close connections.
        let isTight = need.connections > available / 2
        return Finding(
            name: "ephemeral ports", severity: isTight ? .warning : .ok,
            found: isTight ? found + "; ports of replaced connections stay taken for a minute" : found,
            remedy: isTight ? remedy : nil)
    }

    private static func clock(_ facts: MachineFacts) -> Finding {
        let found = "source \(facts.clockSource ?? "not visible"), resolution \(facts.clockResolutionNs) ns"
        let isSlow = facts.clockSource.map { ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"].contains($0) }
        guard isSlow == true || facts.clockResolutionNs > 1_000 else {
            return Finding(name: "clock", severity: .ok, found: found)
        }
        return Finding(
            name: "clock", severity: .warning, found: found,
            remedy: "choose the tsc or the hypervisor's clock; readings now cost or err by a microsecond or more")
    }

    private static func library(_ facts: MachineFacts) -> Finding {
        guard !facts.libraryMatchesHeaders else {
            return Finding(name: "TLS library", severity: .ok, found: facts.libraryVersion)
        }
        return Finding(
            name: "TLS library", severity: .problem,
            found: "\(facts.libraryVersion), built for \(facts.libraryHeaderVersion)",
            remedy: "install the version that the program was built for, or build it here")
    }

    private static func allocator(_ facts: MachineFacts) -> Finding {
        facts.countsAllocations
            ? Finding(name: "allocator", severity: .ok, found: "jemalloc, which counts allocations")
            : Finding(
                name: "allocator", severity: .warning, found: "not jemalloc; records have no allocation counts",
                remedy: "link the program to jemalloc (libjemalloc2)")
    }

    private static func processors(_ facts: MachineFacts, _ need: RunNeed) -> Finding {
        let found = "\(facts.processors) for this process"
        guard need.hasSimulator, facts.processors < 2 else {
            return Finding(name: "processors", severity: .ok, found: found)
        }
        return Finding(
            name: "processors", severity: .warning, found: found + "; sender and simulator share it",
            remedy: "give it two or more, or run the simulator on another machine")
    }

    private static func memory(_ facts: MachineFacts, _ need: RunNeed) -> Finding {
        let found = "needs up to \(text(need.memoryBytes)), available \(text(facts.memoryBytes))"
        let remedy = "use fewer connections or a smaller window"
        switch need.memoryBytes {
        case ...(facts.memoryBytes / 2): return Finding(name: "memory", severity: .ok, found: found)
        case ...facts.memoryBytes: return Finding(name: "memory", severity: .warning, found: found, remedy: remedy)
        default: return Finding(name: "memory", severity: .problem, found: found, remedy: remedy)
        }
    }

    private static func governor(_ facts: MachineFacts) -> Finding {
        guard let governor = facts.governor else {
            return Finding(name: "governor", severity: .ok, found: "not visible")
        }
        guard governor != "performance" else { return Finding(name: "governor", severity: .ok, found: governor) }
        return Finding(
            name: "governor", severity: .warning, found: "\(governor): the processor's speed changes during a run",
            remedy: "`cpupower frequency-set -g performance` before measuring")
    }

    private static func recordPath(_ facts: MachineFacts) -> Finding {
        guard let reason = facts.recordFailure else {
            return Finding(name: "record", severity: .ok, found: "\(facts.recordFolder) is writable")
        }
        return Finding(
            name: "record", severity: .problem, found: "\(facts.recordFolder): \(reason)",
            remedy: "choose another path for the record")
    }

    private static func http2(_ facts: MachineFacts) -> Finding {
        let tests = facts.nghttp2Version.map { "nghttp2 \($0)" } ?? "no nghttp2"
        let found = "tests and benchmarks have \(tests), the program needs none"
        guard let failure = facts.alpnFailure else {
            return Finding(name: "HTTP/2", severity: .ok, found: "chosen by ALPN; \(found)")
        }
        return Finding(
            name: "HTTP/2", severity: .problem, found: "not chosen by ALPN: \(failure); \(found)",
            remedy: "install a TLS library that knows ALPN (OpenSSL 3)")
    }

    private static func port(_ name: String, _ number: Int, _ failure: String?, _ need: RunNeed) -> Finding {
        let place = "\(need.simulatorAddress):\(number)"
        guard let reason = failure else {
            return Finding(
                name: name, severity: .ok,
                found: number == 0 ? "a free one on \(need.simulatorAddress)" : "\(place) is free")
        }
        return Finding(
            name: name, severity: .problem, found: "\(place): \(reason)",
            remedy: "choose another port or address for the simulator; port 0 takes a free one")
    }

    private static func acceptQueue(_ facts: MachineFacts, _ need: RunNeed) -> Finding {
        guard let available = facts.acceptQueue else {
            return Finding(name: "accept queue", severity: .ok, found: "not visible")
        }
        let needed = min(need.connections, RunNeed.backlog)
        let found = "needs \(needed), available \(available)"
        guard needed > available else { return Finding(name: "accept queue", severity: .ok, found: found) }
        return Finding(
            name: "accept queue", severity: .warning, found: found + "; more connections at once wait a second",
            remedy: "raise net.core.somaxconn")
    }

    private static func text(_ bytes: Int64) -> String { "\((bytes + 1_048_575) / 1_048_576) MiB" }
}
