/// Help texts, made from the table.
enum HelpText {
    /// The overview of all commands.
    static var overview: String {
        var lines = [
            "pushbench: load tests and benchmarks for Apple-push provider connections", "",
            "usage: pushbench COMMAND [OPTIONS] [ARGUMENTS]", "",
        ]
        for command in CommandTable.commands { lines.append("  " + padded(command.name, 12) + command.summary) }
        lines += [
            "", "pushbench COMMAND --help tells the options of a command; pushbench --version the version.",
            "Exit codes:",
        ]
        lines += ExitCode.meanings.map { "  " + padded("\($0.code)", 12) + $0.meaning }
        return lines.joined(separator: "\n")
    }

    /// The options of one command.
    static func text(for command: CommandSpec) -> String {
        let arguments = command.arguments.isEmpty ? "" : " \(command.arguments)"
        var lines = ["usage: pushbench \(command.name) [OPTIONS]\(arguments)", "", command.summary, ""]
        for option in command.shownOptions {
            let short = option.short.map { "-\($0), " } ?? "    "
            let name = "  \(short)--\(option.long)" + (option.placeholder.map { " \($0)" } ?? "")
            lines.append(padded(name, 34) + option.help)
        }
        if command.options.contains(where: { if case .profile = $0.effect { true } else { false } }) {
            lines += [
                "",
                "Each of these that changes a profile setting is also read from PUSHBENCH_NAME; the command line wins.",
            ]
        }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
