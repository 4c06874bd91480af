import Glibc
import Harness
import Reports
import RunRecords

/// `run --repeat N`: the same run again and again, each as a process of its own, and one record of all of them.
struct RepeatedRun {
    let parsed: ParsedCommand
    let count: Int
    let outputs: [OutputRequest]
    let progress: ProgressStyle

    /// The option's number; 1 without it.
    static func count(_ parsed: ParsedCommand) throws(UsageError) -> Int {
        guard let text = parsed.last("repeat") else { return 1 }
        guard let count = Int(text), (1...1_000).contains(count) else {
            throw UsageError(description: "--repeat \(text): a number from 1 to 1000 is accepted")
        }
        return count
    }

    /// Carries all of them out; a series that is interrupted has the runs so far.
    func execute(interrupts: Interrupts) async throws -> Int32 {
        var order = RunOrder(parsed, profile: parsed.arguments[0])
        order.progress = progress.resolved.rawValue
        order.arguments += MetricsOptions.words(parsed)
        let folder = try ScratchFolder()
        var series = RunSeriesRecord()
        for number in 1...count {
            if progress != .none { Terminal.note("run \(number) of \(count)") }
            series.add(try await RunProcess(order, in: folder).run(interrupts: interrupts))
            // Each run that has ended is safe, whatever comes later.
            for file in outputs.files(of: .json) { try file.write(series) }
            if interrupts.value > 0 { break }
        }
        if series.verdict.status == .interrupted { series.verdict.exitCode = Int(SignalWatch.exitCode) }
        try write(series)
        return ExitOptions(parsed).code(
            Int32(series.verdict.exitCode ?? Int(ExitCode.internalError)), reasons: series.verdict.reasons)
    }

    private func write(_ series: RunSeriesRecord) throws {
        try ResultWriter(outputs, isQuiet: parsed.has("quiet")).write(.runs(series)) { style, failure in
            var shown = series
            if let failure { shown.verdict = shown.verdict.notKept(failure) }
            return SeriesSummary(shown, style: style).text
        }
    }
}
