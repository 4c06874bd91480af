public import Analysis
import Primitives
import RunRecords
import Statistics

/// A comparison on a terminal: the verdict with its reasons, then figure by figure.
public struct ComparisonTable {
    private let comparison: Comparison
    private let style: TerminalStyle

    /// Makes the table of a comparison for a terminal.
    public init(_ comparison: Comparison, style: TerminalStyle) {
        self.comparison = comparison
        self.style = style
    }

    /// The table's text; ends with a line break.
    public var text: String { (heading + [""] + table + footing).joined(separator: "\n") + "\n" }

    // MARK: - Heading

    private var heading: [String] {
        let verdict = comparison.verdict
        var lines = [style.colored(comparison.title, color)]
        lines += verdict.reasons.map { style.shown("  - \($0)") }
        lines += comparison.thresholds.filter(\.passed).map { outcome in
            style.shown("  - \(outcome.text) holds: \(outcome.value.map(percentText) ?? FigureText.missing)")
        }
        return lines
    }

    private var color: TerminalStyle.Color {
        if comparison.verdict.exitCode == 3 { return .red }
        return switch comparison.verdict.status {
        case .regressed: .red
        case .improved, .equivalent: .green
        case .noEvidence: .bold
        case .inconclusive: .yellow
        }
    }

    // MARK: - Figures

    private var table: [String] {
        var table = TextTable([.left, .right, .right, .right, .right, .right, .left])
        table.add(comparison.columns)
        for metric in comparison.metrics {
            var cells = comparison.cells(of: metric)
            cells[0] = (metric.isGating ? "* " : "  ") + cells[0]
            table.add(cells)
        }
        return table.lines(style)
    }

    // MARK: - Footing

    private var footing: [String] {
        (["", "* decides; the others inform"] + comparison.remarks).map(style.shown)
    }
}
