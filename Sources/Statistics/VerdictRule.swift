/// What a comparison says about one figure.
public enum Verdict: String, Codable, Sendable, CaseIterable {
    /// It got worse, by more than noise and more than chance.
    case regressed
    /// It got better, by more than noise and more than chance.
    case improved
    /// Whatever changed is less than noise.
    case equivalent
    /// Nothing is shown either way.
    case noEvidence
    /// The comparison could not have shown anything.
    case inconclusive
}

/// What was found out about one figure.
public struct ChangeEvidence: Equatable, Sendable {
    /// The change, with its interval, on a scale on which a rise and the fall that takes it back are of one size; positive is worse.
    public var change: EstimateInterval
    /// The probability of it without a cause, corrected for the family of figures.
    public var p: Double

    /// Names the evidence.
    public init(change: EstimateInterval, p: Double) {
        self.change = change
        self.p = p
    }

    /// The smallest change that so many runs, scattering as they did, could have shown: half of the interval's width.
    public var detectable: Double { (change.high - change.low) / 2 }
}

/// When a difference counts.
public struct VerdictRule: Equatable, Sendable {
    /// The error rate of the family.
    public var alpha: Double
    /// The smallest change that counts, on the scale of the evidence.
    public var noise: Double
    /// Whether ``noise`` was measured or declared; nothing is called equivalent by a mere default.
    public var isNoiseKnown: Bool
    /// The largest noise within which something may be called equivalent; what a larger one hides is inconclusive.
    public var noiseMost: Double

    /// Makes a rule.
    public init(alpha: Double, noise: Double, isNoiseKnown: Bool, noiseMost: Double = .infinity) {
        self.alpha = alpha
        self.noise = noise
        self.isNoiseKnown = isNoiseKnown
        self.noiseMost = noiseMost
    }

    /// The verdict: a change counts if chance does not explain it, its interval does not touch zero, and it is no less than noise.
    public func verdict(_ evidence: ChangeEvidence) -> Verdict {
        let change = evidence.change
        let isNoChance = evidence.p <= alpha && (change.low > 0 || change.high < 0)
        if isNoChance, change.low > 0, change.estimate >= noise { return .regressed }
        if isNoChance, change.high < 0, change.estimate <= -noise { return .improved }
        // A gate that calls everything noise could not fail.
        if isNoChance, noise > noiseMost { return .inconclusive }
        let small = min(noise, noiseMost)
        if isNoiseKnown, change.high < small, change.low > -small { return .equivalent }
        return .noEvidence
    }

    /// Whether samples of these sizes can show anything in a family of so many figures; if not, even the clearest change would
    /// look like chance. Fewer than three runs say nothing about their scatter, whatever the other side has.
    public func canDecide(_ baseCount: Int, _ candidateCount: Int, family: Int) -> Bool {
        guard min(baseCount, candidateCount) >= 3 else { return false }
        return MannWhitney.smallestP(baseCount, candidateCount) * Double(max(1, family)) <= alpha
    }

    /// The number of runs on each side from which on something can be shown.
    public func runsNeeded(family: Int) -> Int {
        // The smallest probability falls at least threefold with each run.
        (1...200).first { canDecide($0, $0, family: family) } ?? 200
    }
}
