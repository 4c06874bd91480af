import Glibc

/// The way in: finds the command, runs it, and turns its outcome into an exit code.
@main
enum Main {
    static let version = "0.1.0"
    #if DEBUG
    static let build = "debug"
    #else
    static let build = "release"
    #endif

    static func main() async {
        Terminal.openMissing()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if ["--version", "-V"].contains(arguments.first) {
            Terminal.show("pushbench \(version)")
            end(ExitCode.passed)
        }
        if arguments.isEmpty || ["--help", "-h", "help"].contains(arguments[0]) {
            Terminal.show(HelpText.overview)
            end(arguments.isEmpty ? ExitCode.usage : ExitCode.passed)
        }
        do {
            let parsed = try CommandLineParser.parse(arguments, environment: ProcessEnvironment.variables)
            if parsed.has("help") {
                Terminal.show(HelpText.text(for: parsed.command))
                end(ExitCode.passed)
            }
            end(await code(parsed))
        } catch {
            end(failed(Failure(error)))
        }
    }

    /// Ends the process; what was shown and did not arrive is an error, however good the rest.
    private static func end(_ code: Int32) -> Never {
        guard let failure = Terminal.outputFailure else { exit(code) }
        exit(failed(Failure(failure)))
    }

    private static func code(_ parsed: ParsedCommand) async -> Int32 {
        do {
            return try await run(parsed)
        } catch {
            let failure = Failure(error)
            return ExitOptions(parsed).code(failed(failure), reasons: [failure.message])
        }
    }

    private static func failed(_ failure: Failure) -> Int32 {
        Terminal.complain(failure.message)
        return failure.exitCode
    }

    private static func run(_ parsed: ParsedCommand) async throws -> Int32 {
        switch parsed.command.name {
        case "run": try await RunCommand(parsed).execute()
        case "simulate": try await SimulateCommand(parsed).execute()
        case "feedback": try await FeedbackCommand(parsed).execute()
        case "generate": try GenerateCommand(parsed).execute()
        case "report": try ReportCommand(parsed).execute()
        case "compare": try await CompareCommand(parsed).execute()
        case "capacity": try await CapacityCommand(parsed).execute()
        case "sweep": try await SweepCommand(parsed).execute()
        case "certificates": try CertificatesCommand(parsed).execute()
        case "keys": try KeysCommand(parsed).execute()
        case "completions": try CompletionsCommand(parsed).execute()
        case "man": ManualCommand().execute()
        case "calibrate": try await CalibrateCommand(parsed).execute()
        default: try DoctorCommand(parsed).execute()
        }
    }
}
