public import RunRecords
import Statistics

extension Comparison {
    /// Reads a comparison that was written as JSON.
    ///
    /// - Throws: ``RecordError`` saying what is wrong with the file.
    public static func read(_ path: String) throws(RecordError) -> Comparison {
        try decode(RecordCoding.bytes(of: path), path: path)
    }

    /// Reads a comparison from the bytes of its file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its name, for messages.
    /// - Returns: the comparison.
    /// - Throws: ``RecordError`` saying what is wrong with the bytes.
    public static func decode(_ bytes: [UInt8], path: String) throws(RecordError) -> Comparison {
        let comparison: Comparison = try RecordCoding.decoded(bytes, path: path, schema: currentSchema)
        for (index, metric) in comparison.metrics.enumerated() {
            for (name, side, sample) in [
                ("base", comparison.base, metric.base), ("candidate", comparison.candidate, metric.candidate),
            ] where side.runs != sample.values.count {
                throw .malformed(
                    path: path, keyPath: "metrics[\(index)].\(name).values",
                    reason: "has \(sample.values.count) values of \(side.runs) runs")
            }
        }
        return comparison
    }

    /// The ratios of the pairs' values, by the figures' names: what a comparison of something with itself shows of the machine's noise.
    /// Figures that lack a value or have one that is not positive are left out.
    public var pairRatios: [String: [Double]] {
        var ratios: [String: [Double]] = [:]
        for metric in metrics
        where metric.base.isComplete && metric.candidate.isComplete && metric.direction != .neither {
            let pairs = zip(metric.base.present, metric.candidate.present)
            guard pairs.allSatisfy({ $0 > 0 && $1 > 0 }) else { continue }
            ratios[metric.name] = pairs.map { $1 / $0 }
        }
        return ratios
    }

    /// Says that a signal ended the runs before all were made; what those that were made say decides nothing.
    ///
    /// - Parameters:
    ///   - pairs: how many pairs were to be made.
    ///   - exitCode: the exit code of the signal.
    ///   - plan: how the runs were compared.
    public mutating func interrupt(pairs: Int, exitCode: Int, plan: ComparisonPlan) {
        obstacles.insert("interrupted by the user after \(candidate.runs) of \(pairs) pairs", at: 0)
        errorCode = exitCode
        conclude(plan)
    }

    /// Takes back each regression, and each failure of a threshold about a change, that a second series of the same runs does not show again.
    ///
    /// - Parameters:
    ///   - second: the comparison of the second series.
    ///   - plan: how the first one was compared.
    public mutating func confirm(with second: Comparison, plan: ComparisonPlan) {
        confirmation = second.gating
        for index in metrics.indices where metrics[index].isGating && metrics[index].verdict == .regressed {
            guard second.gating.first(where: { $0.name == metrics[index].name })?.verdict != .regressed else {
                continue
            }
            metrics[index].verdict = .noEvidence
            metrics[index].reason = "unconfirmed: it regressed once, and not when the runs were made again"
        }
        for index in thresholds.indices where !thresholds[index].passed && thresholds[index].value != nil {
            let threshold = thresholds[index]
            guard second.thresholds.first(where: { $0.text == threshold.text })?.passed == true else { continue }
            thresholds[index] = ThresholdRecord(text: threshold.text, value: threshold.value, passed: true)
            notes.append("unconfirmed: \(threshold.text) failed once, and not when the runs were made again")
        }
        errorCode = errorCode ?? second.errorCode
        candidateFailures = candidateFailures ?? second.candidateFailures
        obstacles += second.obstacles.filter { !obstacles.contains($0) }
        conclude(plan)
    }
}
