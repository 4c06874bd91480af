public import Analysis
import Primitives

/// Two records side by side on a terminal.
public struct ComparisonTable {
    private let comparison: RecordComparison
    private let style: TerminalStyle

    /// Makes the table of a comparison for a terminal.
    public init(_ comparison: RecordComparison, style: TerminalStyle) {
        self.comparison = comparison
        self.style = style
    }

    /// The table's text; ends with a line break.
    public var text: String {
        var table = TextTable([.left, .right, .right, .right, .left])
        table.add(["figure", "baseline", "candidate", "ratio", ""])
        for row in comparison.rows {
            table.add(
                [
                    row.name, FigureText.value(row.base, row.unit), FigureText.value(row.candidate, row.unit),
                    row.ratio.map { decimalText($0, places: 3) } ?? FigureText.missing, word(row.change),
                ])
        }
        return (heading + table.lines(style)).joined(separator: "\n") + "\n"
    }

    private var heading: [String] {
        guard !comparison.isComparable else { return ["One run each: a difference may be chance.", ""] }
        return [style.colored("NOT COMPARABLE", .yellow)]
            + comparison.obstacles.map { style.shown("  - \($0)") } + [""]
    }

    /// What a difference means; nothing, if the two runs cannot be compared.
    private func word(_ change: RecordComparison.Change) -> String {
        switch change {
        case .better: comparison.isComparable ? "better" : ""
        case .worse: comparison.isComparable ? "worse" : ""
        case .same: "same"
        case .different: ""
        case .unknown: "no data"
        }
    }
}
