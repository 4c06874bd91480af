public import RunRecords
import Statistics

/// The runs of one side and how they are called.
public struct RunSample: Sendable {
    /// File or profile names.
    public var label: String
    /// The runs, in the order in which they were made.
    public var runs: [RunRecord]

    /// Names runs.
    public init(label: String, runs: [RunRecord]) {
        self.label = label
        self.runs = runs
    }
}

extension Comparison {
    /// Compares two sets of runs; each run gives one value of each figure.
    public init(base: RunSample, candidate: RunSample, plan asked: ComparisonPlan) {
        var plan = asked
        plan.thresholds += Self.thresholds(of: candidate.runs.first).filter { !asked.thresholds.contains($0) }
        let isPaired = plan.order != nil && base.runs.count == candidate.runs.count
        let method = ComparisonMethod(
            design: isPaired ? .interleaved : .apart, alpha: plan.alpha, seed: plan.seed, resamples: plan.resamples,
            order: isPaired ? plan.order : nil)
        self.init(
            method: method, base: ComparisonSide(label: base.label, runs: base.runs),
            candidate: ComparisonSide(label: candidate.label, runs: candidate.runs))
        obstacles = ComparisonObstacle.all(base.runs, candidate.runs, mayDiffer: plan.mayDiffer).map(\.description)
        notes = Self.notes(base.runs, candidate.runs, plan)
        let gates = plan.gates.isEmpty ? base.runs.first.map(Metric.gates) ?? [] : plan.gates
        var others = Metric.compared(in: base.runs + candidate.runs).filter { !gates.contains($0) }
        for metric in plan.thresholds.map(\.metric) where !gates.contains(metric) && !others.contains(metric) {
            others.append(metric)
        }
        metrics = gates.map { compared($0, base.runs, candidate.runs, isGating: true, plan) }
        metrics += others.map { compared($0, base.runs, candidate.runs, isGating: false, plan) }
            .filter { !$0.base.present.isEmpty || !$0.candidate.present.isEmpty }
        correctForFamily()
        for index in metrics.indices { judge(&metrics[index], plan) }
        thresholds = plan.thresholds.map(outcome)
        errorCode = RunOutcomes.errorCode(base.runs + candidate.runs)
        candidateFailures = RunOutcomes.failures(of: candidate.runs, side: .candidate)
        conclude(plan)
    }

    /// The thresholds about changes that a run's profile has.
    private static func thresholds(of run: RunRecord?) -> [Threshold] {
        guard case .object(let members)? = run?.profile, case .array(let texts)? = members["thresholds"] else {
            return []
        }
        return texts.compactMap { text in
            guard case .string(let text) = text, let threshold = try? Threshold(text) else { return nil }
            return threshold.isChange ? threshold : nil
        }
    }

    /// A threshold about a change fails when it is not held and chance does not explain that; without data it fails, too.
    private func outcome(_ threshold: Threshold) -> ThresholdRecord {
        let figure = metrics.first { $0.name == threshold.metric.name }
        guard obstacles.isEmpty, let figure, figure.verdict != .inconclusive,
            let ratio = figure.isTheSameInAllRuns ? 1 : figure.ratio, let p = figure.adjustedP
        else { return ThresholdRecord(text: threshold.text, value: nil, passed: false) }
        let holds = threshold.comparison.holds(ratio - 1, threshold.bound) || p > method.alpha
        return ThresholdRecord(text: threshold.text, value: ratio - 1, passed: holds)
    }

    private static func notes(_ base: [RunRecord], _ candidate: [RunRecord], _ plan: ComparisonPlan) -> [String] {
        var notes: [String] = []
        if plan.mayDiffer, let first = base.first, let other = candidate.first, first.profileHash != other.profileHash {
            notes += JSONValue.differences(first.profile, other.profile).map { "compared on purpose: \($0)" }
        }
        if let sentence = RunOutcomes.failures(of: base, side: .baseline) { notes.append(sentence) }
        if base.count > 1, candidate.count > 1, plan.order == nil {
            notes.append("the sides were run apart: what changed on the machine meanwhile looks like a change")
        }
        return notes
    }

    // MARK: - One figure

    private func compared(
        _ metric: Metric, _ base: [RunRecord], _ candidate: [RunRecord], isGating: Bool, _ plan: ComparisonPlan
    ) -> MetricComparison {
        let name = metric.name
        var (noise, source) = noise(of: name, pairs: base.count, plan)
        // What a threshold tolerates is no regression.
        let tolerated =
            plan.thresholds.filter { $0.metric == metric }.map { Self.tolerated($0.bound, metric.direction) }.max() ?? 0
        if tolerated > noise { (noise, source) = (tolerated, .tolerated) }
        var figure = MetricComparison(
            name: name, unit: metric.unit, direction: metric.direction, isGating: isGating,
            base: MetricSample(base.map(metric.comparableValue)),
            candidate: MetricSample(candidate.map(metric.comparableValue)), noise: noise, noiseSource: source)
        let (left, right) = (figure.base.present, figure.candidate.present)
        guard !left.isEmpty, !right.isEmpty else { return figure }
        let p = MannWhitney(left, right).p
        figure.p = p
        figure.adjustedP = p
        figure.shift = HodgesLehmann.shift(base: left, candidate: right)
        figure.hodgesLehmannRatio = HodgesLehmann.ratio(base: left, candidate: right)
        if let interval = ratioInterval(figure), interval.high.isFinite {
            figure.ratio = interval.estimate
            figure.ratioLow = interval.low
            figure.ratioHigh = interval.high
        }
        return figure
    }

    /// The noise that stands for the bound of a threshold: a fall by 20 % for a rise by 25 %.
    private static func tolerated(_ bound: Double, _ direction: MetricDirection) -> Double {
        direction == .higher ? 1 / max(0.01, 1 + bound) - 1 : bound
    }

    private func noise(
        of name: String, pairs: Int, _ plan: ComparisonPlan
    ) -> (Double, MetricComparison.NoiseSource) {
        if let floor = plan.noise[name],
            let threshold = method.design == .interleaved
                ? floor.threshold(pairs: pairs, seed: plan.seed) : floor.thresholdApart
        {
            return (threshold, .measured)
        }
        if let declared = plan.declaredNoise { return (declared, .declared) }
        return (ComparisonPlan.assumedNoise, .assumed)
    }

    private var bootstrap: Bootstrap {
        Bootstrap(resamples: method.resamples, seed: method.seed, alpha: method.alpha)
    }

    private func ratioInterval(_ figure: MetricComparison) -> EstimateInterval? {
        let (base, candidate) = (figure.base.present, figure.candidate.present)
        guard method.design == .interleaved else {
            return bootstrap.ratioOfMedians(base: base, candidate: candidate)
        }
        guard (base + candidate).allSatisfy({ $0 > 0 }) else { return nil }
        return bootstrap.median(of: pairs(figure).map { $1 / $0 })
    }

    private func differenceInterval(_ figure: MetricComparison) -> EstimateInterval? {
        guard method.design == .interleaved else {
            return bootstrap.differenceOfMedians(base: figure.base.present, candidate: figure.candidate.present)
        }
        return bootstrap.median(of: pairs(figure).map { $1 - $0 })
    }

    /// The pairs of which both runs have the figure.
    private func pairs(_ figure: MetricComparison) -> [(Double, Double)] {
        zip(figure.base.values, figure.candidate.values).compactMap { left, right in
            if let left, let right { (left, right) } else { nil }
        }
    }

    // MARK: - Verdicts

    /// Corrects the probabilities of the deciding figures for their number.
    private mutating func correctForFamily() {
        let indices = metrics.indices.filter { metrics[$0].isGating && metrics[$0].p != nil }
        let adjusted = Holm.adjusted(indices.compactMap { metrics[$0].p })
        for (index, p) in zip(indices, adjusted) { metrics[index].adjustedP = p }
    }

    private func judge(_ figure: inout MetricComparison, _ plan: ComparisonPlan) {
        guard figure.direction != .neither else {
            if figure.isGating {
                figure.verdict = .inconclusive
                figure.reason = "\(figure.name) has no better and worse"
            }
            return
        }
        let rule = VerdictRule(
            alpha: method.alpha, noise: RatioScale.place(ofRise: figure.noise),
            isNoiseKnown: figure.noiseSource != .assumed,
            noiseMost: figure.noiseSource == .measured ? RatioScale.place(ofRise: NoiseFloor.most) : .infinity)
        guard figure.base.isComplete, figure.candidate.isComplete, let p = figure.adjustedP else {
            figure.verdict = .inconclusive
            figure.reason = missing(figure)
            return
        }
        let family = figure.isGating ? gating.count : 1
        let (left, right) = (figure.base.present, figure.candidate.present)
        if !rule.canDecide(left.count, right.count, family: family) {
            figure.verdict = .inconclusive
            figure.reason =
                "too few runs: \(left.count) against \(right.count), and \(rule.runsNeeded(family: family)) of each are needed"
        } else if let ratio = figure.ratio, let low = figure.ratioLow, let high = figure.ratioHigh {
            let change = RatioScale.places(of: EstimateInterval(estimate: ratio, low: low, high: high))
            let evidence = ChangeEvidence(change: Self.worsening(change, figure), p: p)
            figure.verdict = rule.verdict(evidence)
            figure.detectable = RatioScale.rise(at: evidence.detectable)
            if figure.verdict == .inconclusive { figure.reason = Self.hidden(figure) }
        } else if figure.isTheSameInAllRuns {
            figure.verdict = .equivalent
        } else if let difference = differenceInterval(figure) {
            // Without a ratio there is no noise threshold either: what is not chance counts.
            let certain = VerdictRule(alpha: method.alpha, noise: 0, isNoiseKnown: false)
            figure.verdict = certain.verdict(ChangeEvidence(change: Self.worsening(difference, figure), p: p))
        }
    }

    private static func hidden(_ figure: MetricComparison) -> String {
        "it changed by \(figure.changeText ?? "something"), and the noise of \(percentText(figure.noise)) measured on this machine "
            + "hides that; noise above \(percentText(NoiseFloor.most)) decides nothing: calibrate it anew on a quieter "
            + "machine or with longer runs"
    }

    private func missing(_ figure: MetricComparison) -> String {
        let sides = [("baseline", figure.base), ("candidate", figure.candidate)].filter { !$0.1.isComplete }
        return "no data: "
            + sides.map { "\($0.1.values.count - $0.1.present.count) of \($0.1.values.count) runs of the \($0.0)" }
            .joined(separator: ", ") + " lack it"
    }

    /// An interval of differences with its sign turned so that positive is worse.
    private static func worsening(_ interval: EstimateInterval, _ figure: MetricComparison) -> EstimateInterval {
        guard figure.direction == .higher else { return interval }
        return EstimateInterval(estimate: -interval.estimate, low: -interval.high, high: -interval.low)
    }
}
