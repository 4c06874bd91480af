/// Help texts, made from the tables of commands and options.
enum HelpText {
    private static let margin = 30

    /// All commands.
    static var overview: String {
        var lines = [
            "pushbench: load tests for Apple-push provider connections", "", "usage: pushbench COMMAND [OPTION...]", "",
        ]
        lines += CommandName.allCases.map { row("\($0.rawValue) \($0.operandText)", $0.summary) }
        lines += ["", "pushbench COMMAND --help tells a command's options; pushbench --version the version."]
        return lines.joined(separator: "\n") + "\n"
    }

    /// One command and its options.
    static func command(_ command: CommandName) -> String {
        let operands = command.operandText.isEmpty ? "" : " \(command.operandText)"
        var lines = ["usage: pushbench \(command.rawValue)\(operands) [OPTION...]", "", command.summary, ""]
        if command == .generate {
            lines += ["KIND is one of " + GeneratedKind.allCases.map(\.rawValue).joined(separator: ", "), ""]
        }
        lines += (command.options + [.help]).map(\.description).filter { !$0.meaning.isEmpty }.map {
            row(form(of: $0), $0.meaning)
        }
        if command.options.contains(.set) {
            lines += [
                "",
                "An option with a value may come from the environment, as \(OptionName.seed.description.variable)=7.",
                "The command line beats the environment, which beats the profile.",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func form(of option: OptionDescription) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--\(option.long)" + (option.value.map { " \($0)" } ?? "")
    }

    private static func row(_ left: String, _ right: String) -> String {
        "  " + left + String(repeating: " ", count: max(2, margin - left.count)) + right
    }
}
