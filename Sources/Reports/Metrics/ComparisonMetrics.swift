import Analysis
import RunRecords
import Statistics

/// A comparison as metrics.
struct ComparisonMetrics {
    private let comparison: Comparison

    init(_ comparison: Comparison) { self.comparison = comparison }

    var families: [MetricFamily] {
        var verdict = MetricFamily("pushbench_comparison_verdict", "What the comparison says.", .stateset)
        var medians = MetricFamily(
            "pushbench_comparison_median", "Medians of both sides, in the unit that the label names.")
        var ratios = MetricFamily("pushbench_comparison_ratio", "Candidate by baseline.")
        var lows = MetricFamily("pushbench_comparison_ratio_low", "The lower end of the ratio's interval.")
        var highs = MetricFamily("pushbench_comparison_ratio_high", "The upper end of the ratio's interval.")
        var chances = MetricFamily(
            "pushbench_comparison_p", "The probability of such a difference without a cause, corrected.")
        verdict.add(states: Verdict.allCases.map(\.rawValue), comparison.verdict.status.rawValue, [])
        for figure in comparison.metrics {
            let labels = [("metric", figure.name), ("gating", "\(figure.isGating)")]
            for (side, sample) in [("baseline", figure.base), ("candidate", figure.candidate)] {
                medians.add(sample.median, labels + [("side", side), ("unit", figure.unit.rawValue)])
            }
            ratios.add(figure.ratio, labels)
            lows.add(figure.ratioLow, labels)
            highs.add(figure.ratioHigh, labels)
            chances.add(figure.adjustedP, labels)
        }
        return [verdict, medians, ratios, lows, highs, chances]
    }
}
