import Analysis
import Glibc
import Primitives
import Reports
import RunRecords
import Statistics

/// Says whether one set of runs is worse than another.
struct CompareCommand {
    private let parsed: ParsedCommand
    private let output: ComparisonOutput
    private let options: ComparisonOptions

    /// What the command does beside comparing records, each by an option of its name, and the options that only these take.
    private enum Mode: String, CaseIterable {
        case run, calibrateNoise = "calibrate-noise", selfTest = "self-test"

        static let ownOptions: [(name: String, modes: [Mode])] = [
            ("pairs", [.run, .calibrateNoise]), ("order-seed", [.run, .calibrateNoise]),
            ("set", [.run, .calibrateNoise]),
            ("allow-host", [.run, .calibrateNoise]), ("faults", [.run, .calibrateNoise]), ("set-a", [.run]),
            ("set-b", [.run]), ("binary-a", [.run]), ("binary-b", [.run]), ("confirm", [.run]), ("keep", [.run]),
        ]

        /// The options that would change nothing.
        var uselessOptions: [String] {
            switch self {
            case .run: []
            case .selfTest: ["output", "gate", "threshold", "advisory"]
            case .calibrateNoise: ["output", "gate", "threshold", "advisory", "noise", "alpha"]
            }
        }
    }

    init(_ parsed: ParsedCommand) throws {
        self.parsed = parsed
        options = try ComparisonOptions(parsed)
        output = try ComparisonOutput(parsed)
    }

    func execute() async throws -> Int32 {
        let modes = Mode.allCases.filter { parsed.has($0.rawValue) }
        guard modes.count < 2 else {
            throw UsageError(
                description: modes.map { "--\($0.rawValue)" }.joined(separator: " and ") + " exclude each other")
        }
        guard !parsed.has("confirm") || modes.contains(.run) else {
            throw UsageError(
                description:
                    "--confirm makes the runs once more, and records do not hold the programs and targets that "
                    + "made them; compare --run PROFILE [PROFILE] --confirm makes the runs of both sides itself")
        }
        for (name, accepted) in Mode.ownOptions where parsed.has(name) && !accepted.contains(where: modes.contains) {
            throw UsageError(
                description: "--\(name) goes with "
                    + accepted.map { "--\($0.rawValue)" }.joined(separator: " or ") + " only")
        }
        if let mode = modes.first, let name = mode.uselessOptions.first(where: parsed.has) {
            throw UsageError(description: "--\(name) changes nothing about --\(mode.rawValue)")
        }
        return switch modes.first {
        case .run: try await InterleavedComparison(parsed, options: options, output: output).execute()
        case .calibrateNoise: try await NoiseMeasurement(parsed).execute()
        case .selfTest: try compareItself()
        case nil: try compareRecords()
        }
    }

    private func compareRecords() throws -> Int32 {
        let (basePaths, candidatePaths) = try sides
        let base = try basePaths.map(RunSeriesRecord.read)
        let candidate = try candidatePaths.map(RunSeriesRecord.read)
        var plan = options.plan
        plan.order = Self.order(base, candidate)
        // What was run side by side differs on purpose.
        plan.mayDiffer = plan.mayDiffer || plan.order != nil
        let left = RunSample(label: basePaths.joined(separator: " "), runs: base.flatMap(\.runs))
        let right = RunSample(label: candidatePaths.joined(separator: " "), runs: candidate.flatMap(\.runs))
        plan.noise = MachineNoise.floors(for: left.runs.first)
        var comparison = Comparison(base: left, candidate: right, plan: plan)
        for path in Set(basePaths).intersection(candidatePaths).sorted() {
            comparison.notes.append("\(path) stands on both sides: nothing can be found between a record and itself")
        }
        return try output.finish(comparison)
    }

    private func compareItself() throws -> Int32 {
        let series = try parsed.arguments.map(RunSeriesRecord.read)
        let runs = series.flatMap(\.runs)
        var plan = options.plan
        plan.noise = MachineNoise.floors(for: runs.first)
        let findings = ComparisonSelfTest(runs: runs, plan: plan).findings
        for finding in findings { Terminal.show("\(finding.isAsExpected ? "ok    " : "FAILED") \(finding.text)") }
        let exit = ExitOptions(parsed)
        guard let failure = findings.first(where: { !$0.isAsExpected }) else {
            return exit.code(ExitCode.passed, reasons: [])
        }
        // Runs of one's own may scatter too much to show anything; those that are made up do not.
        return exit.code(runs.isEmpty ? ExitCode.internalError : ExitCode.inconclusive, reasons: [failure.text])
    }

    /// The files of the two sides: those before and behind `--against`, or one each.
    private var sides: (base: [String], candidate: [String]) {
        get throws {
            let arguments = parsed.arguments
            guard let dividers = parsed.values["against"] else {
                guard arguments.count == 2 else {
                    throw UsageError(
                        description: "compare takes BASE CANDIDATE, or BASE... --against CANDIDATE..., and "
                            + "\(arguments.count) arguments were given")
                }
                return ([arguments[0]], [arguments[1]])
            }
            guard dividers.count == 1, let place = Int(dividers[0]), place > 0, place < arguments.count else {
                throw UsageError(
                    description: "--against stands once, between records of the baseline and the candidate's")
            }
            return (Array(arguments[..<place]), Array(arguments[place...]))
        }
    }

    /// The order of two series that were run as pairs; nil for all others.
    private static func order(_ base: [RunSeriesRecord], _ candidate: [RunSeriesRecord]) -> String? {
        guard base.count == 1, candidate.count == 1, let left = base[0].interleaving,
            let right = candidate[0].interleaving, left.comparison == right.comparison, left.side != right.side
        else { return nil }
        return left.order
    }
}

/// Where a comparison goes, and which exit code it gives.
struct ComparisonOutput {
    private let outputs: [OutputRequest]
    private let isQuiet: Bool
    private let exit: ExitOptions

    init(_ parsed: ParsedCommand) throws {
        exit = ExitOptions(parsed)
        outputs = try OutputRequest.read(parsed.values["output"] ?? [], of: .comparison)
        isQuiet = parsed.has("quiet")
    }

    /// Checks, before runs cost anything, that what was asked for can be written.
    func checkWritable() throws {
        for file in outputs.files() { try file.checkWritable() }
    }

    /// Writes a comparison everywhere, and returns its exit code.
    func finish(_ comparison: Comparison) throws -> Int32 {
        try ResultWriter(outputs, isQuiet: isQuiet).write(.comparison(comparison)) { style, failure in
            let head = failure.map { "NOT KEPT: \(style.shown($0))\n\n" } ?? ""
            return head + ComparisonTable(comparison, style: style).text
        }
        let verdict = comparison.verdict
        if isQuiet, verdict.exitCode != 0 {
            Terminal.complain("\(verdict.status.rawValue): \(verdict.reasons.joined(separator: "; "))")
        }
        let isLetPass = verdict.status == .inconclusive && verdict.exitCode == ExitCode.passed
        return exit.code(
            Int32(verdict.exitCode),
            reasons: (isLetPass ? ["inconclusive, which --advisory lets pass"] : []) + verdict.reasons)
    }
}
