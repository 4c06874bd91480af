import RunRecords
import SecureChannel
import Testing

@testable import Harness

@Suite struct DoctorTests {
    /// A machine on which nothing is wrong.
    private static let healthy: MachineFacts = {
        var facts = MachineFacts()
        facts.descriptorsSoft = 1_024
        facts.descriptorsHard = 20_000
        facts.clockSource = "tsc"
        facts.libraryVersion = "OpenSSL 3.0.19"
        facts.libraryHeaderVersion = "OpenSSL 3.0.19"
        facts.processors = 4
        facts.memoryBytes = 8 << 30
        facts.governor = "performance"
        facts.acceptQueue = 4_096
        return facts
    }()

    private func need(connections: Int = 8, window: Int = 65_536) -> RunNeed {
        var profile = Profile()
        profile.sender.connections = connections
        profile.sender.window = window
        return RunNeed(profile)
    }

    private func finding(
        _ name: String, connections: Int = 8, window: Int = 65_536, _ change: (inout MachineFacts) -> Void = { _ in }
    ) throws -> Finding {
        var facts = Self.healthy
        change(&facts)
        let findings = Doctor.findings(facts, need: need(connections: connections, window: window))
        return try #require(findings.first { $0.name == name })
    }

    @Test func `a healthy machine has no warning and no remedy`() {
        let findings = Doctor.findings(Self.healthy, need: need())
        #expect(findings.count == 13)
        #expect(findings.allSatisfy { $0.severity == .ok && $0.remedy == nil })
        #expect(Set(findings.map(\.name)).count == findings.count)
    }

    @Test func `too few descriptors are a problem that names both numbers`() throws {
        let found = try finding("descriptors", connections: 20_000)
        #expect(found.severity == .problem)
        #expect(found.found == "needs 20064, available 20000")
        #expect(found.remedy?.contains("ulimit -Hn") == true)
    }

    @Test func `descriptors up to the hard limit are enough, since the soft one is raised`() throws {
        let exact = try finding("descriptors", connections: 19_936)
        #expect(exact.severity == .ok)
        #expect(exact.found.contains("soft limit of 1024 is raised"))
        #expect(try !finding("descriptors").found.contains("soft limit"))
    }

    @Test(arguments: [(14_116, Finding.Severity.ok), (14_117, .warning), (28_232, .warning), (28_233, .problem)])
    func `more connections than ephemeral ports are a problem, more than half a warning`(
        connections: Int, severity: Finding.Severity
    ) throws {
        let found = try finding("ephemeral ports", connections: connections)
        #expect(found.severity == severity)
        #expect((found.remedy == nil) == (severity == .ok))
    }

    @Test(arguments: [
        ("tsc", 1, Finding.Severity.ok), ("kvm-clock", 1, .ok), ("hpet", 1, .warning), ("tsc", 4_000_000, .warning),
    ])
    func `a slow or coarse clock is a warning`(source: String, resolution: Int, severity: Finding.Severity) throws {
        let found = try finding("clock") {
            $0.clockSource = source
            $0.clockResolutionNs = resolution
        }
        #expect(found.severity == severity)
    }

    @Test func `a library of another version than the headers is a problem`() throws {
        let found = try finding("TLS library") {
            $0.libraryMatchesHeaders = false
            $0.libraryVersion = "OpenSSL 1.1.1"
        }
        #expect(found.severity == .problem)
        #expect(found.found == "OpenSSL 1.1.1, built for OpenSSL 3.0.19")
    }

    @Test func `an allocator that does not count is a warning`() throws {
        #expect(try finding("allocator") { $0.countsAllocations = false }.severity == .warning)
    }

    @Test func `one processor for sender and simulator is a warning, for the sender alone it is not`() throws {
        #expect(try finding("processors") { $0.processors = 1 }.severity == .warning)
        var facts = Self.healthy
        facts.processors = 1
        var alone = need()
        alone.hasSimulator = false
        let findings = Doctor.findings(facts, need: alone)
        #expect(findings.first { $0.name == "processors" }?.severity == .ok)
        #expect(!findings.contains { $0.name == "port" || $0.name == "accept queue" })
    }

    @Test func `memory is judged by window times connections`() throws {
        // 1,000 connections: 250 KiB for two ends and 1.5 MiB of window each.
        #expect(try finding("memory", connections: 1_000).severity == .ok)
        #expect(try finding("memory", connections: 1_000) { $0.memoryBytes = 2 << 30 }.severity == .warning)
        #expect(try finding("memory", connections: 1_000) { $0.memoryBytes = 1 << 30 }.severity == .problem)
        #expect(try finding("memory", connections: 1_000, window: 100) { $0.memoryBytes = 1 << 30 }.severity == .ok)
    }

    @Test func `an immense window does not overflow the estimate`() throws {
        #expect(try finding("memory", connections: 100_000, window: .max / 32).severity == .problem)
    }

    @Test func `a governor that changes the speed is a warning, none in sight is not`() throws {
        #expect(try finding("governor") { $0.governor = "powersave" }.severity == .warning)
        #expect(try finding("governor") { $0.governor = nil }.severity == .ok)
    }

    @Test func `a port that cannot be had is a problem with the system's reason`() throws {
        let found = try finding("port") { $0.portFailure = "Address already in use" }
        #expect(found.severity == .problem)
        #expect(found.found == "127.0.0.1:0: Address already in use")
    }

    @Test func `the port of HTTP/2 is looked at, too`() throws {
        let found = try finding("HTTP/2 port") { $0.http2PortFailure = "Address already in use" }
        #expect(found.severity == .problem && found.found == "127.0.0.1:0: Address already in use")
        #expect(try finding("port") { $0.http2PortFailure = "Address already in use" }.severity == .ok)
    }

    @Test func `a library without ALPN is a problem, a machine without nghttp2 is not`() throws {
        #expect(
            try finding("HTTP/2").found
                == "chosen by ALPN; tests and benchmarks have no nghttp2, the program needs none")
        let found = try finding("HTTP/2") { ($0.alpnFailure, $0.nghttp2Version) = ("why", "1.52.0") }
        #expect(found.severity == .problem && found.found.hasPrefix("not chosen by ALPN: why; "))
        #expect(found.found.contains("nghttp2 1.52.0"))
    }

    @Test func `the memory of HTTP/2 is that of its streams`() {
        var profile = Profile()
        profile.sender.connections = 1_000
        let binary = RunNeed(profile).memoryBytes
        profile.protocolName = .http2
        let narrow = RunNeed(profile).memoryBytes
        profile.sender.streams *= 10
        #expect(narrow < binary && RunNeed(profile).memoryBytes > narrow)
    }

    @Test func `a key that cannot sign is a problem with its reason`() throws {
        let folder = try ScratchFolder()
        var profile = Profile()
        profile.protocolName = .http2
        #expect(Doctor.signingKey(profile) == nil)
        profile.sender.http2.keyFile = try folder.file("none.p8", "no key")
        #expect(Doctor.signingKey(profile)?.severity == .problem)
        profile.sender.http2.keyFile = "\(folder.path)/missing.p8"
        #expect(Doctor.signingKey(profile)?.found.contains("missing.p8") == true)
        profile.sender.http2.keyFile = try folder.file("good.p8", try SigningKey().privateKeyPEM())
        #expect(Doctor.signingKey(profile)?.severity == .ok)
    }

    @Test func `a short accept queue is a warning only for many connections`() throws {
        #expect(try finding("accept queue", connections: 128) { $0.acceptQueue = 128 }.severity == .ok)
        #expect(try finding("accept queue", connections: 129) { $0.acceptQueue = 128 }.severity == .warning)
        #expect(try finding("accept queue", connections: 10_000).severity == .ok)
    }

    @Test func `a record that cannot be written is a problem`() throws {
        #expect(try finding("record") { $0.recordFailure = "Permission denied" }.severity == .problem)
    }

    @Test func `this machine is looked at without a fault`() {
        let findings = Doctor.examine(profile: nil, recordPath: "/dev/null/record.json")
        #expect(findings.count == 13)
        let record = findings.first { $0.name == "record" }
        #expect(record?.severity == .problem)
        #expect(record?.found.hasPrefix("/dev/null: ") == true)
        #expect(findings.first { $0.name == "TLS library" }?.severity == .ok)
        #expect(findings.first { $0.name == "port" }?.severity == .ok)
        #expect(findings.first { $0.name == "HTTP/2" }?.severity == .ok)
    }
}
