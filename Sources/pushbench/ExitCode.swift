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
