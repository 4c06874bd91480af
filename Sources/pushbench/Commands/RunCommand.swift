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
    private let progress: ProgressStyle
    private let metrics: MetricsOptions?
    private let limits: MachineLimits
    private let count: Int

    init(_ parsed: ParsedCommand) throws {
        self.parsed = parsed
        profile = try Profile.read(
            file: parsed.arguments[0], faultsFile: parsed.last("faults"), overrides: parsed.overrides)
        try profile.checkThresholds()
        try TargetPolicy.check(profile.target, allowedHosts: parsed.values["allow-host"] ?? [])
        count = try RepeatedRun.count(parsed)
        outputs = try OutputRequest.read(
            parsed.values["output"] ?? [], of: count > 1 ? .runs : .run)
        metrics = try MetricsOptions(parsed)
        progress = try ProgressStyle(option: parsed.last("progress"), isQuiet: parsed.has("quiet"))
        limits = try MachineLimits(option: parsed.last("calibration"))
    }

    func execute() async throws -> Int32 {
        if parsed.has("dry-run") {
            Terminal.show(profile.effectiveJSON.canonicalText)
            return ExitCode.passed
        }
        // From here on a signal ends the run in order, with a record.
        let interrupts = SignalWatch.install()
        // A path that cannot be written is found before the run costs anything.
        for file in outputs.files() { try file.checkWritable() }
        for warning in profile.warnings where !parsed.has("quiet") { Terminal.complain("warning: \(warning)") }
        for threshold in profile.thresholds where threshold.isChange && !parsed.has("quiet") {
            Terminal.complain("warning: \(threshold.text) is about a change, which pushbench compare judges")
        }
        let calibration = await limits.calibration(isQuiet: parsed.has("quiet"))
        if count > 1 {
            let repeated = RepeatedRun(parsed: parsed, count: count, outputs: outputs, progress: progress)
            return try await repeated.execute(interrupts: interrupts)
        }
        var start = RunRecord()
        describe(&start)
        start.calibration = calibration
        let page = try metrics.map { try MetricsPage($0, draft: start, warmup: profile.phases.warmup) }
        let printer = ProgressPrinter(style: progress, title: start.name)
        defer { printer.end() }
        let keeper = RecordKeeper(record: start, files: outputs.files(of: .json))
        let logs = try outputs.files(of: .hlog).map { try IntervalLogFile(path: $0.path, record: start) }
        let watch = ThresholdWatch(profile)
        let failure = Mutex<(outcome: ThresholdRecord, elapsed: Interval)?>(nil)
        var options = RunOptions(
            program: "/proc/self/exe", profileJSON: profile.effectiveJSON.canonicalText, interrupts: interrupts,
            onProgress: { interval in
                printer.show(interval)
                page?.take(interval)
                guard interval.endsInterval else { return }
                keeper.keep(interval)
                for log in logs { log.add(interval.intervals) }
                guard ![.draining, .ended].contains(interval.phase), let failed = watch.failure(in: interval.intervals)
                else { return }
                let isFirst = failure.withLock { kept in
                    defer { kept = kept ?? (failed, interval.elapsed) }
                    return kept == nil
                }
                if isFirst { interrupts.add() }
            })
        options.keepsIntervalHistograms = outputs.contains { $0.format == .hlog }
        options.tellsLatencies = page != nil
        options.calibration = calibration
        let engine = try RunEngine(profile: profile, options: options)
        for warning in engine.warnings where !parsed.has("quiet") { Terminal.complain("warning: \(warning)") }
        var record = try await engine.run()
        printer.end()
        record.startedAt = start.startedAt
        describeTool(&record)
        conclude(&record, abortedBy: failure.withLock { $0 })
        if record.verdict.status == .interrupted { record.verdict.exitCode = Int(SignalWatch.exitCode) }
        // Without a summary nobody would learn why the exit code is what it is.
        if parsed.has("quiet"), record.verdict.status != .passed {
            Terminal.complain("\(record.verdict.status.rawValue): \(record.verdict.reasons.joined(separator: "; "))")
        }
        try write(record)
        await page?.linger(over: record, interrupts: interrupts)
        return ExitOptions(parsed).code(
            Int32(record.verdict.exitCode ?? Int(ExitCode.internalError)), reasons: record.verdict.reasons)
    }

    /// Judges the run; one that a threshold ended has failed, and was not interrupted.
    private func conclude(_ record: inout RunRecord, abortedBy failure: (outcome: ThresholdRecord, elapsed: Interval)?)
    {
        var outcomes = profile.thresholdOutcomes(in: record)
        if let failure, record.verdict.status == .interrupted {
            let seconds = Int(failure.elapsed.seconds.rounded())
            record.verdict = VerdictRecord()
            record.verdict.reasons = ["stopped after \(seconds) s by a threshold that had failed"]
            outcomes = outcomes.map { $0.text == failure.outcome.text ? failure.outcome : $0 }
        }
        record.conclude(thresholds: outcomes)
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
        try ResultWriter(outputs, isQuiet: parsed.has("quiet")).write(.run(record)) { style, failure in
            var shown = record
            if let failure { shown.verdict = shown.verdict.notKept(failure) }
            return RunSummary(shown, style: style).text
        }
    }
}

extension VerdictRecord {
    /// The verdict of a run whose results could not all be written.
    func notKept(_ failure: String) -> VerdictRecord {
        VerdictRecord(status: .failed, reasons: ["not kept: \(failure)"] + reasons, exitCode: Int(ExitCode.usage))
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
        record.tell(progress)
        // A disk that is full now may have room at the end; then the error is reported.
        guard let text = try? draft.withLock({ draft throws(RecordError) in try draft.encoded(record) }) else { return }
        for file in files { try? file.writeInterval(text) }
    }
}
