import Analysis
import Reports
import RunRecords

/// Shows a record that was written before.
struct ReportCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() throws -> Int32 {
        let subject = try subject(at: parsed.arguments[0])
        let outputs = try OutputRequest.read(parsed.values["output"] ?? ["terminal=-"], of: subject.kind)
        let style = TerminalStyle(isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
        for output in outputs {
            if let bytes = try output.write(subject, style: style) { Terminal.output(bytes) }
        }
        return ExitCode.passed
    }

    /// The record, or the one of its runs that was asked for.
    private func subject(at path: String) throws -> ReportSubject {
        let subject = try ReportSubject.read(path)
        guard let text = parsed.last("run") else { return subject }
        let runs: [RunRecord]
        switch subject {
        case .run(let record): runs = [record]
        case .runs(let series): runs = series.runs
        case .capacity(let record): runs = record.probes.map(\.run)
        case .sweep, .comparison:
            throw UsageError(
                description: "--run picks one of a record's runs, and \(path) is \(subject.kind.title), "
                    + "which has figures of its runs and not their records")
        }
        guard let number = Int(text), runs.indices.contains(number - 1) else {
            throw UsageError(
                description: "--run \(text): "
                    + (runs.isEmpty ? "the record has no runs" : "the record has the runs 1 to \(runs.count)"))
        }
        return .run(runs[number - 1])
    }
}
