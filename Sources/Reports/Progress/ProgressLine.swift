public import RunRecords

/// The state of a run on one plain line, for logs.
public struct ProgressLine {
    private let figures: ProgressFigures

    /// Takes the state of a run.
    public init(_ progress: RunProgress) { figures = ProgressFigures(progress) }

    /// The line without its end, in what the style's terminal can show.
    public func text(_ style: TerminalStyle) -> String {
        let share = figures.share.map { ["\(Int($0 * 100)) %"] } ?? []
        let parts: [[String]] = [
            [figures.time], share, figures.rates, figures.connections, figures.latencies, figures.errors,
            figures.processors,
        ]
        return style.shown(parts.flatMap { $0 }.joined(separator: " · "))
    }
}
