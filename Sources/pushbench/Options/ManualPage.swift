import Harness
import Reports

/// The manual page in man(7)'s macros, made from the table.
enum ManualPage {
    /// The whole page.
    static var text: String {
        (heading + commands + formats + exitStatus + environment).map { $0 + "\n" }.joined()
    }

    private static var heading: [String] {
        let description =
            "Sends synthetic push notifications over many TLS connections to a gateway, its own simulator by default, and tells "
            + "afterwards what became of every single one. Results go to standard output, everything else to standard error."
        return [
            ".TH PUSHBENCH 1 \"\" \"pushbench \(Main.version)\" \"User Commands\"", ".SH NAME",
            "pushbench \\- load tests and benchmarks for Apple\\-push provider connections", ".SH SYNOPSIS",
            bold("pushbench") + " \\fICOMMAND\\fR [OPTIONS] [ARGUMENTS]", ".SH DESCRIPTION", escaped(description),
        ]
    }

    private static var commands: [String] { [".SH COMMANDS"] + CommandTable.commands.flatMap(command) }

    private static var formats: [String] {
        [".SH OUTPUT FORMATS", escaped("The forms of -o FORMAT=PATH; a PATH of - is standard output.")]
            + OutputFormat.allCases.flatMap { item(bold($0.rawValue), format($0)) }
    }

    private static var exitStatus: [String] {
        [".SH EXIT STATUS"] + ExitCode.meanings.flatMap { item(bold("\($0.code)"), $0.meaning) }
    }

    private static var environment: [String] {
        let variables = [
            (
                "PUSHBENCH_NAME",
                "what the option --name sets in the profile, where there is one that does; the command line wins"
            ),
            (IdentityPassphrase.variable, "opens keys and bundles without a --passphrase-file"),
            ("XDG_CACHE_HOME", "the folder in which what is known of the machine is kept"),
            ("NO_COLOR", "no colours"), ("CI", "no lines that are drawn over"),
        ]
        return [".SH ENVIRONMENT"] + variables.flatMap { item(bold($0.0), $0.1) }
    }

    private static func command(_ command: CommandSpec) -> [String] {
        let arguments = command.arguments.isEmpty ? "" : " " + command.arguments
        return [".SS " + bold("pushbench \(command.name)") + escaped(" [OPTIONS]\(arguments)")]
            + [sentence(command.summary)] + command.shownOptions.flatMap(option)
    }

    private static func option(_ option: OptionSpec) -> [String] {
        let names = option.names.map(bold).joined(separator: ", ")
        let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
        var help = option.help
        if case .profile(let keyPath) = option.effect { help += "; sets \(keyPath)" }
        // Many begin with a value, which must stay as it is typed.
        return [".TP", names + value, escaped(help) + "."]
    }

    private static func format(_ format: OutputFormat) -> String {
        let kinds = format.kinds
        let isOfAll = kinds.count == ReportSubject.Kind.allCases.count
        return format.summary + (isOfAll ? "" : "; of " + kinds.map(\.title).joined(separator: ", "))
    }

    private static func item(_ tag: String, _ text: String) -> [String] { [".TP", tag, sentence(text)] }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// A text that begins with a capital, unless it begins with a name, and ends with a full stop.
    private static func sentence(_ text: String) -> String {
        let isWord = text.prefix { $0 != " " }.allSatisfy { $0.isLowercase || ",:;".contains($0) }
        return escaped((isWord ? text.prefix(1).uppercased() : String(text.prefix(1))) + text.dropFirst()) + "."
    }

    /// A text that roff prints as it is.
    private static func escaped(_ text: some StringProtocol) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "`": escaped += "\\(ga"
            case "^": escaped += "\\(ha"
            case "~": escaped += "\\(ti"
            case "\n": escaped += " "
            default: escaped.append(character)
            }
        }
        // A line that begins with a point is a request.
        return escaped.first == "." ? "\\&" + escaped : escaped
    }
}
