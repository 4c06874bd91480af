import Glibc
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

/// Reads command lines by the table; the scanning is libc's `getopt_long`.
enum CommandLineParser {
    /// Understands `arguments`, without the program's name.
    static func parse(_ arguments: [String], environment: [String: String]) throws(UsageError) -> ParsedCommand {
        guard let name = arguments.first else { throw UsageError(description: "a command is missing") }
        guard let command = CommandTable.commands.first(where: { $0.name == name }) else {
            throw unknown("command", name, among: CommandTable.commands.map(\.name))
        }
        var parsed = ParsedCommand(command: command)
        for option in command.options {
            if case .profile(let keyPath) = option.effect, let text = environment[option.environmentName] {
                parsed.overrides.append(
                    ProfileOverride(keyPath: keyPath, text: text, origin: option.environmentName))
            }
        }
        try scan(Array(arguments.dropFirst()), into: &parsed)
        guard parsed.has("help") || command.argumentCount.contains(parsed.arguments.count) else {
            let expected = command.arguments.isEmpty ? "no arguments" : command.arguments
            throw UsageError(
                description: "\(name) takes \(expected), and \(parsed.arguments.count) arguments were given")
        }
        return parsed
    }

    private static func scan(_ arguments: [String], into parsed: inout ParsedCommand) throws(UsageError) {
        let table = parsed.command.options
        var texts = (["pushbench"] + arguments).map { strdup($0) }
        let names = table.map { strdup($0.long) }
        defer {
            for text in texts { free(text) }
            for name in names { free(name) }
        }
        texts.append(nil)
        var rows = zip(table, names).enumerated().map { index, row in
            option(
                name: row.1.map { UnsafePointer($0) }, has_arg: row.0.placeholder == nil ? no_argument : required_argument,
                flag: nil, val: Int32(1_000 + index))
        }
        rows.append(option())
        var shorts = ":"
        for option in table {
            if let short = option.short { shorts += String(short) + (option.placeholder == nil ? "" : ":") }
        }
        optind = 0
        opterr = 0
        while true {  // ends with the arguments
            let found = getopt_long(Int32(texts.count - 1), &texts, shorts, rows, nil)
            if found == -1 { break }
            let row = Int(found) >= 1_000 ? table[Int(found) - 1_000] : table.first { $0.short?.asciiValue == UInt8(found) }
            guard let row else {
                let index = Int(optind) - 1
                let text = index < arguments.count + 1 && index > 0 ? arguments[index - 1] : "?"
                throw complaint(about: text, isValueMissing: found == Int32(UInt8(ascii: ":")), table)
            }
            try apply(row, value: optarg.map { String(cString: $0) }, to: &parsed)
        }
        let rest = Int(optind)
        parsed.arguments = texts[rest..<texts.count - 1].compactMap { $0.map { String(cString: $0) } }
    }

    private static func apply(
        _ row: OptionSpec, value: String?, to parsed: inout ParsedCommand
    ) throws(UsageError) {
        switch row.effect {
        case .profile(let keyPath):
            parsed.overrides.append(ProfileOverride(keyPath: keyPath, text: value ?? "", origin: "--\(row.long)"))
            // A rate is what makes a loop open.
            if keyPath == "load.rate" {
                parsed.overrides.append(ProfileOverride(keyPath: "load.loop", text: "open", origin: "--\(row.long)"))
            }
        case .profileFlag(let keyPath, let text):
            parsed.overrides.append(ProfileOverride(keyPath: keyPath, text: text, origin: "--\(row.long)"))
        case .value where row.long == "set":
            guard let value, let equals = value.firstIndex(of: "="), equals > value.startIndex else {
                throw UsageError(description: "--set \(value ?? "") is not KEY=VALUE")
            }
            parsed.overrides.append(
                ProfileOverride(
                    keyPath: String(value[..<equals]), text: String(value[value.index(after: equals)...]),
                    origin: "--set"))
        case .value: parsed.values[row.long, default: []].append(value ?? "")
        case .flag: parsed.values[row.long, default: []].append("")
        }
    }

    private static func complaint(about text: String, isValueMissing: Bool, _ table: [OptionSpec]) -> UsageError {
        let name = String(text.drop { $0 == "-" }.prefix { $0 != "=" })
        if let row = table.first(where: { $0.long == name }) {
            let rule = row.placeholder == nil ? "takes no value" : "needs a value (\(row.placeholder ?? ""))"
            return UsageError(description: "--\(name) \(rule)")
        }
        if isValueMissing { return UsageError(description: "\(text) needs a value") }
        if !text.hasPrefix("--") {
            let shorts = table.compactMap { row in row.short.map { "-\($0)" } }.joined(separator: " ")
            return UsageError(description: "unknown option \(text); accepted: \(shorts), and the long ones of --help")
        }
        return unknown("option", text, among: table.filter { !$0.isHidden }.map { "--\($0.long)" })
    }

    private static func unknown(_ what: String, _ name: String, among names: [String]) -> UsageError {
        let bare = String(name.prefix { $0 != "=" })
        let hint = nearestName(to: bare, among: names).map { "; did you mean \($0)?" } ?? ""
        return UsageError(description: "unknown \(what) \(bare)\(hint)")
    }
}
