import Harness
import Reports
import RunRecords

/// Where the result of a plan goes, which takes many runs: its record into files that are written again after each of them, and every
/// other form at the end.
struct PlanOutput {
    private let outputs: [OutputRequest]
    private let exit: ExitOptions
    private let isQuiet: Bool

    /// Reads where the result goes; `kind` is what the plan makes.
    init(_ parsed: ParsedCommand, of kind: ReportSubject.Kind) throws {
        outputs = try OutputRequest.read(parsed.values["output"] ?? [], of: kind)
        exit = ExitOptions(parsed)
        isQuiet = parsed.has("quiet")
    }

    /// Makes everything ready before the first run costs anything; signals ask for an end from here on.
    func begin() async throws -> Interrupts {
        for file in outputs.files() { try file.checkWritable() }
        let interrupts = SignalWatch.install()
        _ = await MachineLimits.auto.calibration(isQuiet: isQuiet)
        return interrupts
    }

    /// Keeps the record so far, so that each run that has ended is safe, whatever comes later.
    func keep(_ record: [UInt8]) throws {
        for file in outputs.files(of: .json) { try file.write(encoded: record) }
    }

    /// Tells of a run.
    func note(_ line: String) {
        if !isQuiet { Terminal.note(line) }
    }

    /// Writes the result everywhere, shows it, and returns the exit code.
    func finish(_ result: ReportSubject, _ verdict: VerdictRecord) throws -> Int32 {
        try ResultWriter(outputs, isQuiet: isQuiet).write(result) { style, failure in
            let head = failure.map { "NOT KEPT: \(style.shown($0))\n\n" } ?? ""
            let table = (try? OutputFormat.terminal.render(result, style: style)) ?? []
            return head + String(decoding: table, as: UTF8.self)
        }
        if isQuiet, verdict.exitCode != 0, !outputs.contains(where: { $0.destination == .standardOutput }) {
            // Without a table nobody would learn why the exit code is what it is.
            Terminal.complain("\(verdict.status.rawValue): \(verdict.reasons.joined(separator: "; "))")
        }
        return exit.code(Int32(verdict.exitCode ?? Int(ExitCode.internalError)), reasons: verdict.reasons)
    }
}
