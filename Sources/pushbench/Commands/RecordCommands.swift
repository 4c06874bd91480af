import Analysis
import Reports
import RunRecords

/// Shows a record that was written before.
struct ReportCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() throws -> Int32 {
        let outputs = try OutputRequest.read(parsed.values["output"] ?? ["terminal=-"])
        let subject = try subject(at: parsed.arguments[0])
        let style = TerminalStyle(isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
        for output in outputs {
            if let bytes = try output.write(subject, style: style) { Terminal.output(bytes) }
        }
        return ExitCode.passed
    }

    private func subject(at path: String) throws -> ReportSubject {
        let bytes = try RecordCoding.bytes(of: path)
        if try RecordCoding.schema(of: bytes, path: path) == Comparison.currentSchema {
            guard !parsed.has("run") else {
                throw UsageError(description: "--run picks one of a record's runs, and \(path) is a comparison")
            }
            return .comparison(try Comparison.decode(bytes, path: path))
        }
        let series = try RunSeriesRecord.decode(bytes, path: path)
        return try run(of: series).map { .run($0) } ?? .runs(series)
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
