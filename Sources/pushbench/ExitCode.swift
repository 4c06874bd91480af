import Harness
import Primitives
import Reports
import RunRecords

/// The program's exit codes.
enum ExitCode {
    static let passed: Int32 = 0
    static let internalError: Int32 = 1
    static let usage: Int32 = 2
    static let thresholdFailed: Int32 = 3
    static let inconclusive: Int32 = 4
    static let regressed: Int32 = 5
    static let scheduleNotMet: Int32 = 7
    static let unreachable: Int32 = 8
    static let interrupted: Int32 = 130
    static let terminated: Int32 = 143

    /// What each of them means, for help and manual.
    static let meanings: [(code: Int32, meaning: String)] = [
        (passed, "passed"), (internalError, "internal error"), (usage, "usage, profile or other input is wrong"),
        (thresholdFailed, "a threshold failed or had no data, or notifications were lost, unknown or unsent"),
        (inconclusive, "inconclusive, or not comparable"), (regressed, "a comparison found a regression"),
        (scheduleNotMet, "the schedule was not met, or the generator was the limit of a capacity asked for"),
        (unreachable, "the target is unreachable, or answers nothing"), (interrupted, "interrupted (SIGINT)"),
        (terminated, "interrupted (SIGTERM)"),
    ]

    /// The codes that a verdict has, which an advisory job may want to pass.
    static let verdicts: Set<Int32> = [thresholdFailed, inconclusive, regressed, scheduleNotMet]
}

/// What a command line asks about the exit code: `--exit-zero` and `--explain-exit`.
struct ExitOptions {
    private let isAdvisory: Bool
    private let isExplained: Bool

    init(_ parsed: ParsedCommand) {
        isAdvisory = parsed.has("exit-zero")
        isExplained = parsed.has("explain-exit")
    }

    /// The code to end with: 0 in place of a verdict's if that was asked for; errors and signals keep theirs.
    ///
    /// The line about it stands on the standard error, where the user wants it.
    func code(_ verdict: Int32, reasons: [String]) -> Int32 {
        let failure = Terminal.outputFailure
        let code = failure == nil ? verdict : ExitCode.usage
        let reasons = failure.map { ["\($0)"] } ?? reasons
        let passes = isAdvisory && ExitCode.verdicts.contains(code)
        if isExplained {
            let meaning = ExitCode.meanings.first { $0.code == code }?.meaning ?? "unknown"
            let reason = reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")
            let line = passes ? "exit 0 by --exit-zero in place of \(code)" : "exit \(code)"
            Terminal.note(TerminalStyle.plain.shown("pushbench: \(line), \(meaning)\(reason)"))
        }
        return passes ? ExitCode.passed : code
    }
}

/// An error as the user sees it: one message, one exit code. The only place where errors become texts and codes.
struct Failure {
    var message: String
    var exitCode: Int32

    init(_ error: any Error) {
        switch error {
        case let error as UsageError: self.init("\(error); see pushbench --help", ExitCode.usage)
        case let error as ProfileError: self.init("\(error)", ExitCode.usage)
        case let error as QuantityError: self.init("\(error)", ExitCode.usage)
        case let error as RecordError: self.init("\(error)", ExitCode.usage)
        case let error as FileFailure: self.init("\(error)", ExitCode.usage)
        case let error as OutputRequestError: self.init("\(error)", ExitCode.usage)
        case let error as TargetRefusal: self.init("\(error)", ExitCode.usage)
        case let error as HarnessError:
            switch error {
            case .invalidInput, .localLimit: self.init(error.description, ExitCode.usage)
            case .unreachable: self.init(error.description, ExitCode.unreachable)
            case .internalFailure: self.init(error.description, ExitCode.internalError)
            }
        default: self.init("\(error)", ExitCode.internalError)
        }
    }

    private init(_ message: String, _ exitCode: Int32) {
        self.message = message
        self.exitCode = exitCode
    }
}
