import Glibc
import Harness
import RunRecords

/// Runs the real program, `pushbench run`, in a process of its own and reads the record that it leaves.
struct PushbenchProcess {
    let program: String

    /// What is asked of a run: no bad tokens, batches of 448 notifications or 64 KiB unless told otherwise, payloads for frames of
    /// 145 bytes.
    struct Order {
        var notifications: Int
        var connections: Int
        /// Notifications in a batch, at most; more than 448 may have as many bytes as they need.
        var batch = 448
        var judgesJSON = false
        /// Whether latencies are measured.
        var measuresLatencies = true
        /// How progress is shown.
        var progress = "none"
        /// Whether both processes do without the allocator's thread caches, so that its counts are exact.
        var countsExactly = false

        fileprivate var profile: String {
            """
            {
              name: "benchmark",
              latencies: \(measuresLatencies),
              target: { simulator: { judge: { payloadJSON: \(judgesJSON) } } },
              workload: { notifications: \(notifications), payload: { bytes: { p50: 100, p99: 130, max: 150 } } },
              sender: { connections: \(connections), batch: { notifications: \(batch), bytes: \(max(65_536, batch * 256)) } },
            }
            """
        }
    }

    /// Runs to the end.
    ///
    /// The books must balance and both sides agree, or the figures are worth nothing. The exit code is not looked at:
    /// that the generator is the limit is what one wants to see here.
    func run(_ order: Order) throws -> RunRecord {
        let result = try record(order)
        guard result.ledger.accepted == Int64(order.notifications), result.ledgerDifference == 0,
            result.ledger.duplicates == 0
        else {
            throw BenchmarkFailure(
                "a run is wrong: \(result.ledger.accepted) of \(order.notifications) accepted, difference "
                    + "\(result.ledgerDifference.map(String.init) ?? "unknown"), \(result.ledger.duplicates) duplicates"
            )
        }
        return result
    }

    /// Runs to the end, whatever comes of it.
    func record(_ order: Order) throws -> RunRecord {
        let folder = try makeFolder()
        defer { removeFolder(folder) }
        let profile = folder + "/profile.json5"
        try writeText(order.profile, to: profile)
        let record = folder + "/record.json"
        try execute(
            ["run", profile, "--quiet", "--progress", order.progress, "--output", "json=\(record)"],
            log: folder + "/log",
            environment: order.countsExactly ? ["MALLOC_CONF=tcache:false"] : [])
        return try RunRecord.read(record)
    }

    private func execute(_ words: [String], log: String, environment additions: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { (word: String) in strdup(word) }
        arguments.append(nil)
        let added: [UnsafeMutablePointer<CChar>?] = additions.map { (line: String) in strdup(line) }
        var environment = added
        for index in 0... {
            environment.append(environ[index])
            if environ[index] == nil { break }
        }
        defer {
            for text in arguments + added { free(text) }
            posix_spawn_file_actions_destroy(&actions)
        }
        var process: pid_t = 0
        let failure = posix_spawn(&process, program, &actions, nil, &arguments, &environment)
        guard failure == 0 else { throw BenchmarkFailure("\(program): \(String(cString: strerror(failure)))") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        // Codes up to 8 are verdicts about the run, whose record tells more.
        guard status & 0x7F == 0, status >> 8 & 0xFF != 1, status >> 8 & 0xFF != 2 else {
            let text = (try? readFile(log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            throw BenchmarkFailure("\(program) \(words.joined(separator: " ")) ended with status \(status): \(text)")
        }
    }

    private func makeFolder() throws -> String {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
        var template = Array("\(folder)/pushbench-benchmark-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchmarkFailure("no temporary folder") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func removeFolder(_ folder: String) {
        for name in ["profile.json5", "record.json", "log"] { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    private func writeText(_ text: String, to path: String) throws {
        let bytes = Array(text.utf8)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if descriptor >= 0 { close(descriptor) } }
        let count = bytes.withUnsafeBytes { descriptor < 0 ? -1 : write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw BenchmarkFailure("\(path): \(String(cString: strerror(errno)))") }
    }
}

extension RunRecord {
    /// Frame bytes of a notification, on average.
    var bytesPerNotification: Double {
        guard let bytes = throughput.bytesPerSecond, let written = throughput.writtenPerSecond else { return .nan }
        return bytes / written
    }

    /// Processor time of a process for one notification beyond what another run used, in nanoseconds.
    func processorNs(_ usage: ProcessResourcesRecord?, without other: ProcessResourcesRecord?) -> Double {
        guard let usage, let other else { return .nan }
        return Double(usage.cpuNs - other.cpuNs) / Double(ledger.accepted)
    }
}
