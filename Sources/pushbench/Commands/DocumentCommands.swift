import Glibc

/// Writes the completions for a shell.
struct CompletionsCommand {
    private let shell: CompletedShell

    init(_ parsed: ParsedCommand) throws(UsageError) {
        guard let shell = CompletedShell(rawValue: parsed.arguments[0]) else {
            let names = CompletedShell.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(description: "there are no completions for \(parsed.arguments[0]); accepted: \(names)")
        }
        self.shell = shell
    }

    func execute() -> Int32 {
        Terminal.output(shell.script)
        return ExitCode.passed
    }
}

/// Writes the manual page.
struct ManualCommand {
    func execute() -> Int32 {
        Terminal.output(ManualPage.text)
        return ExitCode.passed
    }
}
