import Analysis
import Foundation
import Glibc
import Harness
import Primitives
import Reports
import RunRecords
import SecureChannel
import Synchronization

/// One run: profile in, load out, record and summary.
struct RunCommand {
    private let parsed: ParsedCommand
    private let profile: Profile
    private let outputs: [OutputRequest]
    private let progress: ProgressPrinter.Style
    private let limits: MachineLimits

    init(_ parsed: ParsedCommand) throws {
        self.parsed = parsed
        profile = try Profile.read(
            file: parsed.arguments[0], faultsFile: parsed.last("faults"), overrides: parsed.overrides)
        try TargetPolicy.check(profile.target, allowedHosts: parsed.values["allow-host"] ?? [])
        outputs = try OutputRequest.read(parsed.values["output"] ?? [])
        progress = try ProgressPrinter.Style(option: parsed.last("progress"), isQuiet: parsed.has("quiet"))
        limits = try MachineLimits(option: parsed.last("calibration"))
    }

    func execute() async throws -> Int32 {
        if parsed.has("dry-run") {
            print(profile.effectiveJSON.canonicalText)
            return ExitCode.passed
        }
        // A path that cannot be written is found before the run costs anything.
        let files = outputs.compactMap { output -> RecordFile? in
            guard case .file(let path) = output.destination else { return nil }
            return RecordFile(path: path)
        }
        for file in files { try file.checkWritable() }
        for warning in profile.warnings where !parsed.has("quiet") { Terminal.complain("warning: \(warning)") }
        let calibration = await limits.calibration(isQuiet: parsed.has("quiet"))
        let interrupts = SignalWatch.install()
        var start = RunRecord()
        describe(&start)
        start.calibration = calibration
        let printer = ProgressPrinter(style: progress)
        let keeper = RecordKeeper(record: start, files: jsonFiles)
        let logs = try logPaths.map { try IntervalLogFile(path: $0, record: start) }
        var options = RunOptions(
            program: "/proc/self/exe", profileJSON: profile.effectiveJSON.canonicalText, interrupts: interrupts,
            onInterval: { interval in
                printer.show(interval)
                keeper.keep(interval)
                for log in logs { log.add(interval.intervals) }
            })
        options.keepsIntervalHistograms = outputs.contains { $0.format == .hlog }
        options.calibration = calibration
        var record = try await RunEngine(profile: profile, options: options).run()
        printer.end()
        record.startedAt = start.startedAt
        describeTool(&record)
        record.conclude(thresholds: profile.thresholdOutcomes(in: record))
        if record.verdict.status == .interrupted { record.verdict.exitCode = Int(SignalWatch.exitCode) }
        // Without a summary nobody would learn why nothing was sent.
        if parsed.has("quiet"), record.verdict.status == .unreachable {
            Terminal.complain(record.verdict.reasons.joined(separator: "; "))
        }
        try write(record)
        return Int32(record.verdict.exitCode ?? Int(ExitCode.internalError))
    }

    private var logPaths: [String] {
        outputs.compactMap { output in
            guard output.format == .hlog, case .file(let path) = output.destination else { return nil }
            return path
        }
    }

    private var jsonFiles: [RecordFile] {
        outputs.compactMap { output in
            guard output.format == .json, case .file(let path) = output.destination else { return nil }
            return RecordFile(path: path)
        }
    }

    private func describe(_ record: inout RunRecord) {
        record.startedAt = Date().formatted(.iso8601)
        record.machine = Machine.fingerprint()
        record.profile = profile.effectiveJSON
        record.profileHash = profile.hash
        record.ledger.hasIdentifiers = profile.protocolName.hasIdentifiers
        describeTool(&record)
    }

    private func describeTool(_ record: inout RunRecord) {
        record.tool.version = Main.version
        record.tool.build = Main.build
        record.tool.libraries = ["openssl": TLSLibrary.version]
    }

    private func write(_ record: RunRecord) throws {
        let style = TerminalStyle(
            isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
        let wantsSummary = !parsed.has("quiet") && !outputs.contains { $0.destination == .standardOutput }
        if wantsSummary { Terminal.write(RunSummary(record, style: style).text, to: STDOUT_FILENO) }
        for output in outputs {
            guard let bytes = try output.write(record, style: style) else { continue }
            _ = bytes.withUnsafeBytes { Terminal.write($0, to: STDOUT_FILENO) }
        }
    }
}

/// Keeps the record on disk up to the last interval, in case the process is killed.
private final class RecordKeeper: Sendable {
    private let record: RunRecord
    private let files: [RecordFile]
    private let draft = Mutex(RecordDraft())

    init(record: RunRecord, files: [RecordFile]) {
        self.record = record
        self.files = files
    }

    func keep(_ progress: RunProgress) {
        guard !files.isEmpty else { return }
        var record = record
        record.intervals = progress.intervals
        record.durationNs = progress.elapsed.nanoseconds
        // Until the end nothing is proved: what was written is unknown, the rest unsent.
        let rejected = progress.intervals.reduce(0) { $0 + $1.rejected }
        let resent = progress.intervals.reduce(0) { $0 + $1.resent }
        let written = progress.intervals.reduce(0) { $0 + $1.written } - resent
        record.ledger.generated = max(Int64(progress.planned ?? UInt64(written)), written)
        record.ledger.rejected = rejected
        record.ledger.unknown = written - rejected
        record.ledger.unsent = record.ledger.generated - written
        record.ledger.resent = resent
        // A disk that is full now may have room at the end; then the error is reported.
        guard let text = try? draft.withLock({ draft throws(RecordError) in try draft.encoded(record) }) else { return }
        for file in files { try? file.writeInterval(text) }
    }
}
