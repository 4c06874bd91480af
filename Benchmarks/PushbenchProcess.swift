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
        /// Whether the provider API over HTTP/2 is spoken, and not the binary interface.
        var isHTTP2 = false
        /// Whether both processes do without the allocator's thread caches, so that its counts are exact.
        var countsExactly = false

        fileprivate var profile: String {
            """
            {
              name: "benchmark",
              latencies: \(measuresLatencies),
              protocol: "\(isHTTP2 ? "http2" : "enhanced")",
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
        try record(
            profile: order.profile, words: ["--progress", order.progress], countsExactly: order.countsExactly
        ).record
    }

    /// Runs a profile to the end; returns what the record says, and the processor time of the program in nanoseconds.
    func record(
        profile text: String, words: [String] = [], countsExactly: Bool = false
    ) throws -> (record: RunRecord, processorNs: Int64) {
        let folder = try WorkFolder()
        defer { folder.remove() }
        let profile = try folder.file("profile.json5", text)
        let record = folder.path + "/record.json"
        let process = try ChildProcess(
            program, ["run", profile, "--quiet", "--output", "json=\(record)"] + words, log: folder.path + "/log",
            environment: countsExactly ? ["MALLOC_CONF=tcache:false"] : [])
        let (code, processorNs) = try process.wait()
        // Codes up to 8 are verdicts about the run, whose record tells more.
        guard code != 1, code != 2 else {
            throw BenchmarkFailure("\(program) run ended with \(code): \(process.output)")
        }
        return (try RunRecord.read(record), processorNs)
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
