import RunRecords

/// What a shell offers at a place of the command line.
enum Completion: Equatable {
    case files
    case folders
    /// Words, those with `=` at their ends to be gone on with.
    case words([String])
    /// Nothing: the value is the user's own.
    case nothing
}

extension OptionSpec {
    /// What stands for the option's value; nil for options without one.
    var completion: Completion? {
        guard let placeholder else { return nil }
        if !choices.isEmpty { return .words(choices) }
        return switch placeholder {
        case "FILE": .files
        case "FOLDER": .folders
        // What has no better and worse cannot decide.
        case "METRIC": .words(Metric.plainNames.filter { (try? Metric($0))?.direction != .neither })
        default: .nothing
        }
    }

    /// The option's names as they are typed.
    var names: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }
}

extension CommandSpec {
    /// What stands for the command's arguments.
    var completion: Completion {
        if ["PROFILE", "RECORD", "BASE"].contains(where: arguments.contains) { return .files }
        if arguments == "FOLDER" { return .folders }
        let words = arguments.split(separator: "|").map(String.init)
        return words.count > 1 ? .words(words) : .nothing
    }

    /// The options that users see.
    var shownOptions: [OptionSpec] { options.filter { !$0.isHidden } }
}
