import Primitives
import RunRecords
import Statistics

extension Comparison {
    /// Joins what the deciding figures say: the worst counts, and what cannot be compared says nothing.
    mutating func conclude(_ plan: ComparisonPlan) {
        var reasons = obstacles
        var status = Verdict.inconclusive
        if obstacles.isEmpty {
            status = Self.worst(gating.compactMap(\.verdict))
            for figure in gating { reasons.append(contentsOf: sentence(figure).map { [$0] } ?? []) }
        }
        for threshold in thresholds where !threshold.passed { reasons.append(sentence(threshold)) }
        if let candidateFailures { reasons.append(candidateFailures) }
        verdict = ComparisonVerdict(status: status, reasons: reasons, exitCode: exitCode(status, plan))
    }

    /// The worst counts, and what is known before what is not: a run that was no run, a regression, a condition that was seen to fail. What
    /// cannot be told is let pass on request only; a condition without data then goes with it.
    private func exitCode(_ status: Verdict, _ plan: ComparisonPlan) -> Int {
        if let errorCode { return errorCode }
        if status == .regressed { return 5 }
        if hasFailedThreshold || candidateFailures != nil { return 3 }
        if status == .inconclusive { return plan.isAdvisory ? 0 : 4 }
        return thresholds.allSatisfy(\.passed) ? 0 : 3
    }

    /// Whether something was found that runs made once more could take back.
    public var needsConfirmation: Bool { errorCode == nil && (verdict.status == .regressed || hasFailedThreshold) }

    /// Whether a threshold about a change failed by a change that was seen.
    var hasFailedThreshold: Bool { thresholds.contains { !$0.passed && $0.value != nil } }

    private func sentence(_ threshold: ThresholdRecord) -> String {
        if let change = threshold.value { return "\(threshold.text) failed: it is \(signedPercent(change)) %" }
        let name = threshold.metric?.name
        guard obstacles.isEmpty, let figure = metrics.first(where: { $0.name == name }),
            figure.verdict != .inconclusive,
            figure.base.isComplete, figure.candidate.isComplete
        else { return "\(threshold.text) failed: there is no data for it" }
        return "\(threshold.text) failed: it went \(figure.mediansText), which is no percentage"
    }

    private static func worst(_ verdicts: [Verdict]) -> Verdict {
        if verdicts.contains(.regressed) { return .regressed }
        if verdicts.isEmpty || verdicts.contains(.inconclusive) { return .inconclusive }
        if verdicts.contains(.improved) { return .improved }
        return verdicts.allSatisfy { $0 == .equivalent } ? .equivalent : .noEvidence
    }

    /// What a deciding figure says, with its change and the power of the comparison.
    private func sentence(_ figure: MetricComparison) -> String? {
        if let reason = figure.reason { return "\(figure.name): \(reason)" }
        guard let verdict = figure.verdict else { return nil }
        let change = " " + (figure.changeText ?? figure.mediansText)
        switch verdict {
        case .regressed: return "\(figure.name) regressed:\(change)"
        case .improved: return "\(figure.name) improved:\(change)"
        case .equivalent where figure.ratio == nil: return "\(figure.name) is equivalent: it is the same in all runs"
        case .equivalent:
            return "\(figure.name) is equivalent:\(change), within \(figure.noiseText)"
        case .noEvidence:
            let power = figure.detectable.map { "; a change of \(percentText($0)) could have been seen" } ?? ""
            return "\(figure.name): no evidence of a change:\(change)\(power)"
        case .inconclusive: return "\(figure.name) is inconclusive"
        }
    }
}

extension MetricComparison {
    /// The change as it is read, with its interval and probability: `-17.3 % [-18.1, -16.7], p 0.0000108`; nil without a ratio.
    public var changeText: String? {
        guard let ratio, let ratioLow, let ratioHigh, let adjustedP else { return nil }
        let (low, high) = (signedPercent(ratioLow - 1), signedPercent(ratioHigh - 1))
        return "\(signedPercent(ratio - 1)) % [\(low), \(high)], p \(probabilityText(adjustedP))"
    }
}

extension MetricComparison {
    /// What is too small to count, as the end of a sentence.
    fileprivate var noiseText: String {
        switch noiseSource {
        case .tolerated: "the \(percentText(noise)) that a threshold tolerates"
        case .measured: "the noise of \(percentText(min(noise, NoiseFloor.most)))"
        case .declared, .assumed: "the noise of \(percentText(noise))"
        }
    }

    /// How the medians changed, where there is no ratio of them.
    fileprivate var mediansText: String {
        let texts = [base.median, candidate.median].map { $0.map(unit.text) ?? "nothing" }
        return "from \(texts[0]) to \(texts[1]), p \(adjustedP.map(probabilityText) ?? "unknown")"
    }
}

/// A share in percent with one place and its sign.
private func signedPercent(_ share: Double) -> String {
    let text = decimalText(share * 100, places: 1)
    return share > 0 && text.contains { "123456789".contains($0) } ? "+" + text : text
}

/// A share in percent with one place.
public func percentText(_ share: Double) -> String { decimalText(share * 100, places: 1) + " %" }

/// A probability with two digits that count.
public func probabilityText(_ p: Double) -> String {
    guard p > 0, p < 0.1 else { return decimalText(p, places: 2) }
    var places = 2
    var scaled = p * 100
    while scaled < 10, places < 12 {
        scaled *= 10
        places += 1
    }
    return decimalText(p, places: places)
}
