/// A shell whose completions can be made from the table.
enum CompletedShell: String, CaseIterable {
    case bash, zsh, fish

    /// The script that the shell reads.
    var script: String {
        switch self {
        case .bash: BashCompletions.script
        case .zsh: ZshCompletions.script
        case .fish: FishCompletions.script
        }
    }
}

/// Completions for bash.
private enum BashCompletions {
    static var script: String {
        let names = CommandTable.commands.map(\.name).joined(separator: " ")
        return """
            # Completions of pushbench for bash: source <(pushbench completions bash)
            _pushbench() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options= kind=
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    mapfile -t COMPREPLY < <(compgen -W '\(names) --help --version' -- "$current")
                    return
                fi
                # Bash makes words of their own of equals signs.
                if [ "$current" = = ]; then current= previous==; fi
                case ${COMP_WORDS[1]} in
            \(CommandTable.commands.map(command).joined(separator: "\n"))
                esac
                if [ "$previous" = = ]; then kind=files; fi
                case $kind in
                files) mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames ;;
                folders) mapfile -t COMPREPLY < <(compgen -d -- "$current"); compopt -o filenames ;;
                nothing) ;;
                *)
                    mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$current")
                    case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac
                    ;;
                esac
            }
            complete -F _pushbench pushbench

            """
    }

    private static func command(_ command: CommandSpec) -> String {
        let options = command.shownOptions
        var lines = [
            "    \(command.name))",
            "        options='\(options.flatMap(\.names).joined(separator: " "))'",
            "        case $previous in",
        ]
        for option in options {
            guard let completion = option.completion else { continue }
            lines.append("        \(option.names.joined(separator: "|"))) kind='\(word(completion))' ;;")
        }
        lines += [
            "        *) case $current in -*) kind=$options ;; *) kind='\(word(command.completion))' ;; esac ;;",
            "        esac", "        ;;",
        ]
        return lines.joined(separator: "\n")
    }

    private static func word(_ completion: Completion) -> String {
        switch completion {
        case .files: "files"
        case .folders: "folders"
        case .words(let words): words.joined(separator: " ")
        case .nothing: "nothing"
        }
    }
}

/// Completions for zsh.
private enum ZshCompletions {
    static var script: String {
        let names = CommandTable.commands.map { quoted("\($0.name):\($0.summary)") }
        return """
            #compdef pushbench
            # Completions of pushbench for zsh: source <(pushbench completions zsh), or a file _pushbench in a folder of $fpath
            _pushbench() {
                local -a commands
                commands=(
            \(names.map { "        \($0)" }.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \(CommandTable.commands.map(command).joined(separator: "\n"))
                esac
            }
            # The file may be read by `source`, or be the function itself.
            if [[ $funcstack[1] == _pushbench ]]; then _pushbench "$@"; else compdef _pushbench pushbench; fi

            """
    }

    private static func command(_ command: CommandSpec) -> String {
        let specifications =
            command.shownOptions.flatMap { option in
                option.names.map { quoted("*\($0)[\(escaped(option.help))]" + value(option)) }
            } + [quoted("*:argument:\(action(command.completion))")]
        return "    \(command.name)) _arguments \(specifications.joined(separator: " ")) ;;"
    }

    private static func value(_ option: OptionSpec) -> String {
        guard let placeholder = option.placeholder, let completion = option.completion else { return "" }
        return ":\(escaped(placeholder)):\(action(completion))"
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .nothing: ""
        }
    }

    /// A text in which brackets and colons are no borders.
    private static func escaped(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    private static func quoted(_ text: String) -> String { singleQuoted(text, inner: #"'\''"#) }
}

/// Completions for fish.
private enum FishCompletions {
    static var script: String {
        let commands = CommandTable.commands.map { command in
            "complete -c pushbench -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))"
        }
        let start =
            ["# Completions of pushbench for fish: pushbench completions fish | source", "complete -c pushbench -f"]
        return (start + commands + CommandTable.commands.flatMap(lines)).map { $0 + "\n" }.joined()
    }

    private static func lines(_ command: CommandSpec) -> [String] {
        let start = "complete -c pushbench -n '__fish_seen_subcommand_from \(command.name)'"
        let options = command.shownOptions.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.completion.map { " -r" + action($0) } ?? ""
            return "\(start) -l \(option.long)\(short)\(value) -d \(quoted(option.help))"
        }
        let arguments = action(command.completion)
        return (arguments.isEmpty ? [] : [start + arguments]) + options
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .files: " -F"
        case .folders: " -a '(__fish_complete_directories)'"
        case .words(let words): " -a \(quoted(words.joined(separator: " ")))"
        case .nothing: ""
        }
    }

    private static func quoted(_ text: String) -> String {
        singleQuoted(text.map { $0 == "\\" ? "\\\\" : "\($0)" }.joined(), inner: #"\'"#)
    }
}

/// A text in single quotes, those in it written as the shell wants.
private func singleQuoted(_ text: String, inner: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: inner) + "'"
}
