import Harness
import Primitives
import RunRecords

/// What the user asked for.
struct ParsedCommand: Equatable {
    var command: CommandSpec
    var arguments: [String] = []
    /// Changes of the profile, environment first, in rising precedence.
    var overrides: [ProfileOverride] = []
    /// Values of the command's own options, by long name.
    var values: [String: [String]] = [:]

    func last(_ name: String) -> String? { values[name]?.last }
    func has(_ name: String) -> Bool { values[name] != nil }
}

/// A command line that cannot be understood.
struct UsageError: Error, Equatable, CustomStringConvertible {
    var description: String
}

/// Reads command lines by the table.
///
/// Not by libc's `getopt_long`: its global state cannot be used from Swift 6 code, and it takes abbreviations silently,
/// where an unknown name shall be an error that names the nearest one.
enum CommandLineParser {
    /// Understands `arguments`, without the program's name.
    static func parse(_ arguments: [String], environment: [String: String]) throws(UsageError) -> ParsedCommand {
        guard let name = arguments.first else { throw UsageError(description: "a command is missing") }
        guard let command = CommandTable.commands.first(where: { $0.name == name }) else {
            throw unknown("command", name, among: CommandTable.commands.map(\.name))
        }
        var parsed = ParsedCommand(command: command)
        // What makes runs takes the variables of a run, though it has other options.
        for option in command.makesRuns ? CommandTable.run.options : command.options {
            if case .profile(let keyPath) = option.effect, let text = environment[option.environmentName] {
                parsed.overrides += changes(keyPath: keyPath, text: text, origin: option.environmentName)
            }
        }
        try checkNames(in: environment)
        try scan(Array(arguments.dropFirst()), into: &parsed)
        guard parsed.has("help") || command.argumentCount.contains(parsed.arguments.count) else {
            let expected = command.arguments.isEmpty ? "no arguments" : command.arguments
            throw UsageError(
                description: "\(name) takes \(expected), and \(parsed.arguments.count) arguments were given")
        }
        return parsed
    }

    /// A misspelt variable would otherwise change nothing, silently.
    private static func checkNames(in environment: [String: String]) throws(UsageError) {
        let known =
            CommandTable.commands.flatMap(\.options).compactMap { option -> String? in
                if case .profile = option.effect { option.environmentName } else { nil }
            } + [IdentityPassphrase.variable]
        for name in environment.keys.sorted() where name.hasPrefix("PUSHBENCH_") && !known.contains(name) {
            throw unknown("environment variable", name, among: known)
        }
    }

    /// Takes `--name value`, `--name=value`, `-nVALUE`, `-n VALUE` and joined flags; `--` ends the options.
    private static func scan(_ arguments: [String], into parsed: inout ParsedCommand) throws(UsageError) {
        let table = parsed.command.options
        var rest = arguments[...]
        while let text = rest.popFirst() {
            if text == "--" {
                parsed.arguments += rest
                return
            } else if text.hasPrefix("--") {
                try scanLong(text, &rest, table, into: &parsed)
            } else if text.hasPrefix("-") && text.count > 1 {
                try scanShort(text, &rest, table, into: &parsed)
            } else {
                parsed.arguments.append(text)
            }
        }
    }

    private static func scanLong(
        _ text: String, _ rest: inout ArraySlice<String>, _ table: [OptionSpec], into parsed: inout ParsedCommand
    ) throws(UsageError) {
        let parts = text.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let row = table.first(where: { $0.long == parts[0] }) else {
            throw unknown("option", text, among: table.filter { !$0.isHidden }.map { "--\($0.long)" })
        }
        let inline = parts.count > 1 ? String(parts[1]) : nil
        guard let placeholder = row.placeholder else {
            if inline != nil { throw UsageError(description: "--\(row.long) takes no value") }
            return try apply(row, value: nil, to: &parsed)
        }
        guard let value = inline ?? rest.popFirst() else {
            throw UsageError(description: "--\(row.long) needs a value (\(placeholder))")
        }
        try apply(row, value: value, to: &parsed)
    }

    private static func scanShort(
        _ text: String, _ rest: inout ArraySlice<String>, _ table: [OptionSpec], into parsed: inout ParsedCommand
    ) throws(UsageError) {
        var letters = text.dropFirst()
        while let letter = letters.popFirst() {
            guard let row = table.first(where: { $0.short == letter }) else {
                let shorts = table.compactMap { row in row.short.map { "-\($0)" } }.joined(separator: " ")
                throw UsageError(
                    description: "unknown option -\(letter); accepted: \(shorts), and the long ones of --help")
            }
            guard let placeholder = row.placeholder else {
                try apply(row, value: nil, to: &parsed)
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw UsageError(description: "-\(letter) needs a value (\(placeholder))")
            }
            return try apply(row, value: value, to: &parsed)
        }
    }

    private static func apply(
        _ row: OptionSpec, value: String?, to parsed: inout ParsedCommand
    ) throws(UsageError) {
        switch row.effect {
        case .profile(let keyPath):
            parsed.overrides += changes(keyPath: keyPath, text: value ?? "", origin: "--\(row.long)")
        case .value where row.long == "set":
            parsed.overrides.append(try setting(value ?? "", option: "--set"))
        case .value: parsed.values[row.long, default: []].append(value ?? "")
        case .flag: parsed.values[row.long, default: []].append("")
        case .divider: parsed.values[row.long, default: []].append("\(parsed.arguments.count)")
        }
    }

    /// Reads `KEY=VALUE`.
    static func setting(_ text: String, option: String) throws(UsageError) -> ProfileOverride {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw UsageError(description: "\(option) \(text) is not KEY=VALUE")
        }
        return ProfileOverride(
            keyPath: String(text[..<equals]), text: String(text[text.index(after: equals)...]), origin: option)
    }

    /// What an option changes in the profile; a rate is also what makes a loop open.
    private static func changes(keyPath: String, text: String, origin: String) -> [ProfileOverride] {
        let change = ProfileOverride(keyPath: keyPath, text: text, origin: origin)
        guard keyPath == "load.rate" else { return [change] }
        return [ProfileOverride(keyPath: "load.loop", text: "open", origin: origin), change]
    }

    private static func unknown(_ what: String, _ name: String, among names: [String]) -> UsageError {
        let bare = String(name.prefix { $0 != "=" })
        let hint = nearestName(to: bare, among: names).map { "; did you mean \($0)?" } ?? ""
        return UsageError(description: "unknown \(what) \(bare)\(hint)")
    }
}
