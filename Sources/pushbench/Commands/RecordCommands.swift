import Glibc
import Reports
import RunRecords

/// Shows a record that was written before.
struct ReportCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() throws -> Int32 {
        let outputs = try OutputRequest.read(parsed.values["output"] ?? ["terminal=-"])
        let series = try RunSeriesRecord.read(parsed.arguments[0])
        let single = try run(of: series)
        let style = TerminalStyle(isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
        for output in outputs {
            guard let bytes = try output.write(single.map { ReportSubject.run($0) } ?? .runs(series), style: style)
            else { continue }
            _ = bytes.withUnsafeBytes { Terminal.write($0, to: STDOUT_FILENO) }
        }
        return ExitCode.passed
    }

    /// The run that was asked for, or the only one; nil if all of several are meant.
    private func run(of series: RunSeriesRecord) throws -> RunRecord? {
        guard let text = parsed.last("run") else { return series.runs.count == 1 ? series.runs[0] : nil }
        guard let number = Int(text), series.runs.indices.contains(number - 1) else {
            throw UsageError(description: "--run \(text): the record has the runs 1 to \(series.runs.count)")
        }
        return series.runs[number - 1]
    }
}
