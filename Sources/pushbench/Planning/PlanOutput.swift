import Harness
import Reports
import RunRecords

/// Where the record of a plan goes, which takes many runs: files that are written again after each of them, and the standard output at
/// the end.
struct PlanOutput {
    private let files: [RecordFile]
    private let writesRecord: Bool
    private let exit: ExitOptions
    private let isQuiet: Bool

    init(_ parsed: ParsedCommand) throws {
        let outputs = try OutputRequest.read(parsed.values["output"] ?? [], of: [.json])
        files = outputs.files()
        writesRecord = outputs.contains { $0.destination == .standardOutput }
        exit = ExitOptions(parsed)
        isQuiet = parsed.has("quiet")
    }

    /// Makes everything ready before the first run costs anything; signals ask for an end from here on.
    func begin() async throws -> Interrupts {
        for file in files { try file.checkWritable() }
        let interrupts = SignalWatch.install()
        _ = await MachineLimits.auto.calibration(isQuiet: isQuiet)
        return interrupts
    }

    /// Keeps the record so far, so that each run that has ended is safe, whatever comes later.
    func keep(_ record: [UInt8]) throws {
        for file in files { try file.write(encoded: record) }
    }

    /// Tells of a run.
    func note(_ line: String) {
        if !isQuiet { Terminal.note(line) }
    }

    /// Writes the record everywhere, shows the table, and returns the exit code.
    func finish(_ record: [UInt8], _ verdict: VerdictRecord, table: (TerminalStyle) -> String) throws -> Int32 {
        try keep(record)
        if writesRecord {
            Terminal.output(record)
        } else if !isQuiet {
            let style = TerminalStyle(
                isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
            Terminal.output(table(style))
        } else if verdict.exitCode != 0 {
            // Without a table nobody would learn why the exit code is what it is.
            Terminal.complain("\(verdict.status.rawValue): \(verdict.reasons.joined(separator: "; "))")
        }
        return exit.code(Int32(verdict.exitCode ?? Int(ExitCode.internalError)), reasons: verdict.reasons)
    }
}
