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
        var lines = [style.colored(title, color)]
        lines += verdict.reasons.map { style.shown("  - \($0)") }
        lines += comparison.thresholds.filter(\.passed).map { outcome in
            style.shown("  - \(outcome.text) holds: \(outcome.value.map(percentText) ?? FigureText.missing)")
        }
        return lines
    }

    private var title: String {
        if !comparison.obstacles.isEmpty { return "NOT COMPARABLE" }
        if comparison.verdict.exitCode == 3 { return "A THRESHOLD FAILED" }
        return switch comparison.verdict.status {
        case .regressed: "REGRESSED"
        case .improved: "IMPROVED"
        case .equivalent: "EQUIVALENT"
        case .noEvidence: "NO EVIDENCE OF A CHANGE"
        case .inconclusive: "INCONCLUSIVE"
        }
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
        table.add(["figure", "baseline", "candidate", "change", "\(confidence) interval", "p", ""])
        for metric in comparison.metrics { table.add(row(metric)) }
        return table.lines(style)
    }

    private var confidence: String { decimalText((1 - comparison.method.alpha) * 100, places: 0) + " %" }

    private func row(_ metric: MetricComparison) -> [String] {
        var interval = FigureText.missing
        if let low = metric.ratioLow, let high = metric.ratioHigh, comparison.base.runs > 1 {
            interval = "[\(percent(low)), \(percent(high))]"
        }
        return [
            (metric.isGating ? "* " : "  ") + metric.name, FigureText.value(metric.base.median, metric.unit),
            FigureText.value(metric.candidate.median, metric.unit),
            metric.ratio.map { percent($0) + " %" } ?? FigureText.missing, interval,
            comparison.base.runs > 1 ? metric.adjustedP.map(probabilityText) ?? FigureText.missing : FigureText.missing,
            word(metric),
        ]
    }

    /// A ratio as a change in percent.
    private func percent(_ ratio: Double) -> String {
        let text = decimalText((ratio - 1) * 100, places: 1)
        return ratio > 1 && text != "0.0" ? "+" + text : text
    }

    private func word(_ metric: MetricComparison) -> String {
        guard let verdict = metric.verdict else { return "" }
        return switch verdict {
        case .regressed: comparison.obstacles.isEmpty ? metric.isGating ? "regressed" : "worse" : ""
        case .improved: comparison.obstacles.isEmpty ? metric.isGating ? "improved" : "better" : ""
        case .equivalent: "same"
        case .noEvidence: "no evidence"
        case .inconclusive: metric.base.isComplete && metric.candidate.isComplete ? "too few runs" : "no data"
        }
    }

    // MARK: - Footing

    private var footing: [String] {
        let method = comparison.method
        let design = method.order.map { "interleaved \($0)" } ?? "apart"
        let noise = comparison.gating.map { "\($0.name) \(percentText($0.noise)) (\($0.noiseSource.rawValue))" }
        var lines = [
            "", "* decides; the others inform",
            "\(comparison.base.runs) runs against \(comparison.candidate.runs), \(design); seed \(method.seed), "
                + "alpha \(decimalText(method.alpha, places: 3))",
        ]
        if !noise.isEmpty { lines.append("smallest change that counts: \(noise.joined(separator: ", "))") }
        return (lines + comparison.notes.map { "note: \($0)" }).map(style.shown)
    }
}
