import Analysis
import Glibc
import Reports
import RunRecords

/// Shows a record that was written before.
struct ReportCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() throws -> Int32 {
        let outputs = try OutputRequest.read(parsed.values["output"] ?? ["terminal=-"])
        let record = try RunRecord.read(parsed.arguments[0])
        let style = TerminalStyle(isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
        for output in outputs {
            guard let bytes = try output.write(record, style: style) else { continue }
            _ = bytes.withUnsafeBytes { Terminal.write($0, to: STDOUT_FILENO) }
        }
        return ExitCode.passed
    }
}

/// Shows two records side by side.
struct CompareCommand {
    private let parsed: ParsedCommand

    init(_ parsed: ParsedCommand) { self.parsed = parsed }

    func execute() throws -> Int32 {
        let comparison = RecordComparison(
            base: try RunRecord.read(parsed.arguments[0]), candidate: try RunRecord.read(parsed.arguments[1]))
        let style = TerminalStyle(isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
        Terminal.write(ComparisonTable(comparison, style: style).text, to: STDOUT_FILENO)
        return comparison.isComparable ? ExitCode.passed : ExitCode.notComparable
    }
}
