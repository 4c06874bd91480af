import Primitives
import Reports

/// A command line, or a variable of the environment, that cannot be understood; the exit status is 2.
enum UsageError: Error, Equatable {
    case noCommand
    case unknownCommand(String)
    case unknownOption(String, command: CommandName)
    case unknownVariable(String)
    case missingValue(option: String, value: String)
    case needlessValue(option: String, found: String)
    case badValue(option: String, found: String, expected: String)
    case missingOperand(command: CommandName)
    case needlessOperand(String, command: CommandName)
    case badOutput(option: String, OutputRequestError)

    /// The process's exit status.
    static let exitCode: Int32 = 2
}

extension UsageError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noCommand: "no command; expected one of \(Self.commands.joined(separator: ", "))"
        case .unknownCommand(let name):
            "unknown command \(name.debugDescription)\(Self.hint(name, Self.commands))"
                + "; expected one of \(Self.commands.joined(separator: ", "))"
        case .unknownOption(let option, let command):
            "\(command.rawValue): unknown option \(option.debugDescription)"
                + "\(Self.hint(option, command.optionForms)); see pushbench \(command.rawValue) --help"
        case .unknownVariable(let name):
            "unknown variable \(name)\(Self.hint(name, CommandLineParser.variables)) in the environment"
        case .missingValue(let option, let value): "\(option): missing \(value)"
        case .needlessValue(let option, let found): "\(option): takes no value, found \(found.debugDescription)"
        case .badValue(let option, let found, let expected):
            "\(option): found \(found.debugDescription), expected \(expected)"
        case .missingOperand(let command):
            "\(command.rawValue): missing operand; usage: pushbench \(command.rawValue) \(command.operandText) [OPTION...]"
        case .needlessOperand(let operand, let command):
            "\(command.rawValue): needless operand \(operand.debugDescription)"
                + "; usage: \(("pushbench \(command.rawValue) \(command.operandText)").trimmed) [OPTION...]"
        case .badOutput(let option, let error): "\(option): \(error)"
        }
    }

    private static var commands: [String] { CommandName.allCases.map(\.rawValue) }

    private static func hint(_ name: String, _ names: [String]) -> String {
        nearestName(to: name, among: names).map { ", did you mean \"\($0)\"?" } ?? ""
    }
}

extension String {
    fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}

extension CommandName {
    /// All ways to write the command's options, for hints.
    var optionForms: [String] {
        (options + [.help]).map(\.description).filter { !$0.meaning.isEmpty }.map { "--\($0.long)" }
    }
}
