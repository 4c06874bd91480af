import Primitives
import Reports

/// Writes what a command has found to all the places that were asked for, and then shows it, so that no verdict stands on the screen before
/// it is known that everything could be kept.
struct ResultWriter {
    private let outputs: [OutputRequest]
    private let style = TerminalStyle(
        isTerminal: Terminal.outputIsTerminal, environment: ProcessEnvironment.variables)
    private let isQuiet: Bool

    init(_ outputs: [OutputRequest], isQuiet: Bool) {
        self.outputs = outputs
        self.isQuiet = isQuiet
    }

    /// Writes everything that can be written.
    ///
    /// - Parameters:
    ///   - subject: what was found.
    ///   - summary: the text for the screen, unless an output has the standard output or the user wants none; told what could not
    ///     be written, if something could not.
    /// - Throws: the first failure, after all is done.
    func write(_ subject: ReportSubject, summary: (TerminalStyle, String?) -> String) throws {
        var failure: (any Error)?
        for output in outputs {
            do {
                guard let bytes = try output.write(subject, style: style) else { continue }
                Terminal.output(bytes)
            } catch {
                failure = failure ?? error
            }
        }
        if !isQuiet, !outputs.contains(where: { $0.destination == .standardOutput }) {
            Terminal.output(summary(style, failure.map { Failure($0).message }))
        }
        if let failure { throw failure }
    }
}
