/// One option of the command line: the row of the table from which parsing, help and environment variables come.
struct OptionSpec: Sendable, Equatable {
    /// What an option does.
    enum Effect: Sendable, Equatable {
        /// Its value replaces the profile's setting at a key path.
        case profile(keyPath: String)
        /// Its value is for the command itself; may be given more than once.
        case value
        /// It is present or not.
        case flag
        /// It stands between arguments; its value is how many stand before it.
        case divider
    }

    var long: String
    var short: Character?
    /// How the value is called in the help; nil for options without one.
    var placeholder: String?
    var effect: Effect
    var help: String
    /// Hidden options are for the program's own use.
    var isHidden = false
    /// Values, or beginnings of values, that shells offer.
    var choices: [String] = []

    /// The environment variable that sets the same profile setting.
    var environmentName: String { "PUSHBENCH_" + long.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() }

    static func setting(
        _ long: String, _ short: Character? = nil, _ placeholder: String, _ keyPath: String, _ help: String
    ) -> OptionSpec {
        OptionSpec(
            long: long, short: short, placeholder: placeholder, effect: .profile(keyPath: keyPath), help: help)
    }

    static func value(
        _ long: String, _ short: Character? = nil, _ placeholder: String, _ help: String, choices: [String] = []
    ) -> OptionSpec {
        OptionSpec(
            long: long, short: short, placeholder: placeholder, effect: .value, help: help, choices: choices)
    }

    static func flag(_ long: String, _ short: Character? = nil, _ help: String) -> OptionSpec {
        OptionSpec(long: long, short: short, placeholder: nil, effect: .flag, help: help)
    }
}

/// One command: its arguments, and its rows of the table.
struct CommandSpec: Sendable, Equatable {
    var name: String
    /// The positional arguments as the help prints them.
    var arguments: String
    /// How many positional arguments are accepted.
    var argumentCount: ClosedRange<Int>
    var summary: String
    var options: [OptionSpec]

    /// Whether it makes runs of a profile by other processes, each of them a `run`.
    var makesRuns: Bool { ["compare", "sweep", "capacity"].contains(name) }
}
