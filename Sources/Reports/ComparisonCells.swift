import Analysis
import Primitives
import RunRecords
import Statistics

/// A comparison's figures as cells, for every form with a table of them.
extension Comparison {
    /// What stands above the cells of each column.
    var columns: [String] {
        let confidence = decimalText((1 - method.alpha) * 100, places: 0)
        return ["figure", "baseline", "candidate", "change", "\(confidence) % interval", "p", ""]
    }

    /// A figure's row.
    func cells(of metric: MetricComparison) -> [String] {
        var interval = FigureText.missing
        if let low = metric.ratioLow, let high = metric.ratioHigh, base.runs > 1 {
            interval = "[\(percent(low)), \(percent(high))]"
        }
        return [
            metric.name, FigureText.value(metric.base.median, metric.unit),
            FigureText.value(metric.candidate.median, metric.unit),
            metric.ratio.map { percent($0) + " %" } ?? FigureText.missing, interval,
            base.runs > 1 ? metric.adjustedP.map(probabilityText) ?? FigureText.missing : FigureText.missing,
            word(metric),
        ]
    }

    /// How it was compared, and what else a reader should know, one line each.
    var remarks: [String] {
        let design = method.order.map { "interleaved \($0)" } ?? "apart"
        let noise = gating.map { "\($0.name) \(percentText($0.noise)) (\($0.noiseSource.rawValue))" }
        var lines = [
            "\(base.runs) runs against \(candidate.runs), \(design); seed \(method.seed), "
                + "alpha \(decimalText(method.alpha, places: 3))"
        ]
        if !noise.isEmpty { lines.append("smallest change that counts: \(noise.joined(separator: ", "))") }
        return lines + notes.map { "note: \($0)" }
    }

    /// A ratio as a change in percent.
    private func percent(_ ratio: Double) -> String {
        let text = decimalText((ratio - 1) * 100, places: 1)
        return ratio > 1 && text != "0.0" ? "+" + text : text
    }

    private func word(_ metric: MetricComparison) -> String {
        guard let verdict = metric.verdict else { return "" }
        return switch verdict {
        case .regressed: obstacles.isEmpty ? metric.isGating ? "regressed" : "worse" : ""
        case .improved: obstacles.isEmpty ? metric.isGating ? "improved" : "better" : ""
        case .equivalent: "same"
        case .noEvidence: "no evidence"
        case .inconclusive where metric.detectable != nil: "too noisy"
        case .inconclusive: metric.base.isComplete && metric.candidate.isComplete ? "too few runs" : "no data"
        }
    }
}
