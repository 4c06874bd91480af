import Reports
import RunRecords

/// What a command line asks for.
enum CommandLineRequest: Equatable {
    /// A command is to be carried out.
    case command(Invocation)
    /// A help text is to be printed on the standard output.
    case help(String)
    /// The version is to be printed on the standard output.
    case version
}

/// One command with everything it was given.
struct Invocation: Equatable {
    /// The command.
    var command: CommandName
    /// What stands beside the options: files, or the kind to generate.
    var operands: [String] = []
    /// Changes of the profile in rising precedence: environment, then command line, a new target first.
    var overrides: [ProfileOverride] = []
    /// Where records are to be written, in order.
    var outputs: [OutputRequest] = []
    /// Values of all options, in order, those of settings and outputs among them.
    var values: [OptionName: [String]] = [:]

    /// The last value of an option; nil if it was not given.
    func value(_ option: OptionName) -> String? { values[option]?.last }
    /// Whether an option without a value was given.
    func has(_ option: OptionName) -> Bool { values[option] != nil }
    /// Hosts that the command line allows.
    var allowedHosts: [String] { values[.allowHost] ?? [] }
    /// Whether only results and errors are to be printed.
    var isQuiet: Bool { has(.quiet) }
    /// How live progress is shown; automatic unless told otherwise, none if quiet.
    var progress: ProgressMode { isQuiet ? .none : value(.progress).flatMap(ProgressMode.init) ?? .auto }
    /// What `generate` makes; nil for other commands.
    var generatedKind: GeneratedKind? { command == .generate ? operands.first.flatMap(GeneratedKind.init) : nil }
}

/// Reads command lines by the option table, without looking at anything but its arguments.
///
/// `getopt_long` would do the scanning, but it keeps its state in globals, prints its own messages, and knows nothing
/// of nearest names.
struct CommandLineParser {
    /// One option as it was given.
    private struct Occurrence {
        var option: OptionName
        var value: String
        var origin: String
    }

    private let command: CommandName
    private var operands: [String] = []
    private var occurrences: [Occurrence] = []
    private var wantsHelp = false

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: the words after the program's name.
    ///   - environment: the process's variables; those that begin with `PUSHBENCH_` stand for options.
    /// - Returns: what is asked for.
    /// - Throws: ``UsageError``.
    static func parse(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws(UsageError) -> CommandLineRequest {
        guard let first = arguments.first else { throw .noCommand }
        switch first {
        case "-h", "--help", "help":
            return .help(
                arguments.dropFirst().first.flatMap(CommandName.init).map(HelpText.command) ?? HelpText.overview)
        case "--version": return .version
        default: break
        }
        guard let command = CommandName(rawValue: first) else { throw .unknownCommand(first) }
        var parser = CommandLineParser(command: command)
        try parser.read(arguments.dropFirst())
        if parser.wantsHelp { return .help(HelpText.command(command)) }
        return .command(try parser.invocation(environment))
    }

    /// Every variable that stands for an option of some command.
    static var variables: [String] {
        let all = OptionName.allCases.filter { ![.help, .version].contains($0) }.map(\.description)
        return Set(all.filter { $0.environment != .never }.map(\.variable)).sorted()
    }

    private init(command: CommandName) { self.command = command }

    private mutating func read(_ arguments: ArraySlice<String>) throws(UsageError) {
        var rest = arguments
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            if word.hasPrefix("--") {
                try readLong(word, &rest)
            } else if word.hasPrefix("-"), word.count > 1 {
                try readShort(word, &rest)
            } else {
                operands.append(word)
            }
        }
    }

    /// Reads `--name`, `--name=value` or `--name value`.
    private mutating func readLong(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let sign = word.firstIndex(of: "=")
        let name = String(word[..<(sign ?? word.endIndex)])
        let found = (command.options + [.help]).first { "--" + $0.description.long == name }
        guard let option = found else { throw .unknownOption(name, command: command) }
        let attached = sign.map { String(word[word.index(after: $0)...]) }
        guard let valueName = option.description.value else {
            if let attached { throw .needlessValue(option: name, found: attached) }
            note(option, "", origin: name)
            return
        }
        guard let value = attached ?? rest.popFirst() else { throw .missingValue(option: name, value: valueName) }
        note(option, value, origin: name)
    }

    /// Reads `-c 8`, `-c8`, or several options without values in one word.
    private mutating func readShort(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            let found = (command.options + [.help]).first { $0.description.short == letter }
            guard let option = found else { throw .unknownOption(name, command: command) }
            guard let valueName = option.description.value else {
                note(option, "", origin: name)
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw .missingValue(option: name, value: valueName)
            }
            note(option, value, origin: name)
            return
        }
    }

    private mutating func note(_ option: OptionName, _ value: String, origin: String) {
        if option == .help { wantsHelp = true }
        occurrences.append(Occurrence(option: option, value: value, origin: origin))
    }

    private func invocation(_ environment: [String: String]) throws(UsageError) -> Invocation {
        try checkOperands()
        var invocation = Invocation(command: command, operands: operands)
        // A target replaces the profile's as a whole, so what else is said about it must come after.
        let all = try variables(in: environment) + occurrences
        let ordered = all.filter { $0.option == .target } + all.filter { $0.option != .target }
        for occurrence in ordered {
            let (option, value, origin) = (occurrence.option, occurrence.value, occurrence.origin)
            invocation.values[option, default: []].append(value)
            invocation.overrides += try option.overrides(value, origin: origin)
            try Self.checkWord(option, value, origin)
            guard option == .output else { continue }
            do throws(OutputRequestError) {
                invocation.outputs.append(try OutputRequest(value))
            } catch {
                throw .badOutput(option: origin, error)
            }
        }
        return invocation
    }

    private func checkOperands() throws(UsageError) {
        let counts = command.operandCounts
        guard operands.count >= counts.lowerBound else { throw .missingOperand(command: command) }
        guard operands.count <= counts.upperBound else {
            throw .needlessOperand(operands[counts.upperBound], command: command)
        }
        guard command == .generate, GeneratedKind(rawValue: operands[0]) == nil else { return }
        throw .badValue(
            option: "generate", found: operands[0],
            expected: "one of " + GeneratedKind.allCases.map(\.rawValue).joined(separator: ", "))
    }

    private static func checkWord(_ option: OptionName, _ value: String, _ origin: String) throws(UsageError) {
        guard option == .progress, ProgressMode(rawValue: value) == nil else { return }
        let names = ProgressMode.allCases.map(\.rawValue).joined(separator: ", ")
        throw .badValue(option: origin, found: value, expected: "one of \(names)")
    }

    /// The environment's variables as options, in a fixed order; those of other commands say nothing here.
    private func variables(in environment: [String: String]) throws(UsageError) -> [Occurrence] {
        let given = environment.keys.filter { $0.hasPrefix("PUSHBENCH_") }.sorted()
        let known = Self.variables
        if let unknown = given.first(where: { !known.contains($0) }) { throw .unknownVariable(unknown) }
        var found: [Occurrence] = []
        for option in command.options {
            let description = option.description
            guard description.environment != .never, let value = environment[description.variable] else { continue }
            let isReplaced = description.environment == .replaced && occurrences.contains { $0.option == option }
            guard !isReplaced else { continue }
            if description.value != nil {
                found.append(Occurrence(option: option, value: value, origin: description.variable))
            } else if try Self.isOn(value, description.variable) {
                found.append(Occurrence(option: option, value: "", origin: description.variable))
            }
        }
        return found
    }

    private static func isOn(_ value: String, _ variable: String) throws(UsageError) -> Bool {
        switch value {
        case "1", "true": return true
        case "", "0", "false": return false
        default: throw .badValue(option: variable, found: value, expected: "1 or 0")
        }
    }
}
