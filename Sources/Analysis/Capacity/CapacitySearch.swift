public import Primitives

/// The search for the highest rate at which a target holds what was asked of it: rise by doubling, halve the gap, try the edges again, confirm.
///
/// A machine without clock and processes: it says which rate to try next, is told what came of it, and says in the end what was found.
public struct CapacitySearch: Equatable, Sendable {
    /// How it searches.
    public struct Plan: Equatable, Sendable {
        /// The first rate tried.
        public var start = Rate(perSecond: 1_000)
        /// No rate above is tried; nil for no bound but the machine.
        public var highest: Rate?
        /// The search ends when the bracket's ends are within this share of each other, above 0.
        public var tolerance = 0.05
        /// How long a rate is tried.
        public var probe = Interval.seconds(10)
        /// How long the rate that was found is tried in the end.
        public var confirmation = Interval.seconds(60)

        /// The defaults.
        public init() {}
    }

    /// Why a rate is tried.
    public enum Stage: String, Codable, Sendable, CaseIterable {
        /// Up or down by doubling until one rate holds and one fails.
        case rise
        /// Between a rate that held and one that failed.
        case bisect
        /// Once more at an edge of the bracket, since chance may have decided.
        case edge
        /// Once more after a try that decided nothing, for longer.
        case extend
        /// For long, at the rate that was found.
        case confirm
    }

    /// One rate to try.
    public struct Probe: Equatable, Sendable {
        /// Notifications per second.
        public var rate: Rate
        /// For how long they are measured.
        public var length: Interval
        /// Why.
        public var stage: Stage
    }

    /// What came of a try.
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        /// All that was asked for held.
        case holds
        /// Something clearly did not.
        case fails
        /// Neither can be said of so few.
        case undecided
        /// The load generator or its machine could not make the load; this says nothing about the target.
        case generatorLimited
        /// The run cannot be used: interrupted, target gone, no figures.
        case unusable
    }

    /// What the search found.
    public enum Finding: Equatable, Sendable {
        /// The target holds `sustainable` and not `failing`; `isConfirmed` if the long try at it held as well.
        case found(sustainable: Rate, failing: Rate, isConfirmed: Bool)
        /// Everything held up to the highest rate that was allowed.
        case atLeast(Rate)
        /// Everything held up to a rate that this machine cannot generate; nil if no rate could be tried at all.
        case generatorLimited(held: Rate?, tried: Rate)
        /// Not even the lowest rate held.
        case nothingHolds(tried: Rate)
        /// A run could not be used.
        case stopped(tried: Rate)
    }

    /// No lower rate is tried.
    public static let lowest = Rate(perSecond: 1)
    /// How often edges may contradict what was found, and confirmations fail.
    private static let patience = 3
    /// How many times as long a rate is tried again that was undecided.
    private static let extendedTimes: Int64 = 3

    /// What bounds the search from above.
    private struct UpperEdge: Equatable {
        var rate: Rate
        /// Whether it was the generator that could not reach it, and not the target.
        var isGenerators = false
    }

    private let plan: Plan
    private var held: Rate?
    private var upper: UpperEdge?
    private var next: Probe
    /// Edges still to be tried again, the next one last.
    private var edges: [Rate] = []
    /// The bracket whose edges were, or are, tried again.
    private var triedBracket: [Rate] = []
    private var failedConfirmations = 0
    /// How often an edge of the bracket said another thing than before: a measure of how noisy target and machine are.
    public private(set) var contradictions = 0
    /// What was found; nil as long as it searches.
    public private(set) var finding: Finding?

    /// Begins a search.
    public init(_ plan: Plan) {
        self.plan = plan
        let start = max(Self.lowest, plan.highest.map { min($0, plan.start) } ?? plan.start)
        next = Probe(rate: start, length: plan.probe, stage: .rise)
    }

    /// The rate to try now; nil when the search is over.
    public var probe: Probe? { finding == nil ? next : nil }

    /// Takes what came of the present ``probe``.
    public mutating func take(_ outcome: Outcome) {
        guard let probe else { return }
        switch outcome {
        case .holds: takeHold(of: probe)
        case .fails: takeFailure(of: probe)
        case .undecided:
            // Twice in doubt is not held.
            guard probe.stage != .extend, probe.stage != .confirm else { return takeFailure(of: probe) }
            next = Probe(rate: probe.rate, length: probe.length * Self.extendedTimes, stage: .extend)
        case .generatorLimited: takeGeneratorLimit(of: probe)
        case .unusable: finding = .stopped(tried: probe.rate)
        }
    }

    // MARK: - Outcomes

    private mutating func takeHold(of probe: Probe) {
        if probe.stage == .confirm { return conclude(isConfirmed: true) }
        let isContradiction = upper.map { probe.rate >= $0.rate } ?? false
        held = max(held ?? probe.rate, probe.rate)
        guard !isContradiction else {
            contradict()
            upper = nil
            return rise(by: 1 + plan.tolerance)
        }
        if upper == nil { rise(by: 2) } else { narrow() }
    }

    private mutating func takeFailure(of probe: Probe) {
        if probe.stage == .confirm { return takeFailedConfirmation(of: probe) }
        let isContradiction = held.map { probe.rate <= $0 } ?? false
        upper = UpperEdge(rate: min(upper?.rate ?? probe.rate, probe.rate))
        guard !isContradiction else {
            contradict()
            held = nil
            return fall(by: 1 + plan.tolerance)
        }
        if held == nil { fall(by: 2) } else { narrow() }
    }

    private mutating func takeFailedConfirmation(of probe: Probe) {
        failedConfirmations += 1
        upper = UpperEdge(rate: probe.rate)
        held = max(Self.lowest, Rate(perSecond: probe.rate.perSecond / (1 + plan.tolerance)))
        if failedConfirmations < Self.patience { confirm() } else { conclude(isConfirmed: false) }
    }

    /// Below what the generator reaches, the target may have a limit of its own.
    private mutating func takeGeneratorLimit(of probe: Probe) {
        if probe.stage == .confirm || held.map({ probe.rate <= $0 }) ?? false {
            // The same rate went before: the machine has other work now.
            contradict()
            finding = .generatorLimited(held: held, tried: probe.rate)
            return
        }
        // Other work of the machine may have been in the way for once.
        guard probe.stage == .edge else { return attempt(probe.rate, .edge) }
        upper = UpperEdge(rate: probe.rate, isGenerators: true)
        if held == nil { fall(by: 2) } else { narrow() }
    }

    private mutating func contradict() {
        contradictions += 1
        edges = []
    }

    // MARK: - Next rates

    private mutating func rise(by factor: Double) {
        guard let held else { return }
        if let highest = plan.highest, held >= highest {
            finding = .atLeast(highest)
            return
        }
        let higher = Rate(perSecond: held.perSecond * factor)
        attempt(plan.highest.map { min($0, higher) } ?? higher, .rise)
    }

    private mutating func fall(by factor: Double) {
        guard let upper else { return }
        guard upper.rate > Self.lowest else {
            finding =
                upper.isGenerators
                ? .generatorLimited(held: nil, tried: upper.rate) : .nothingHolds(tried: upper.rate)
            return
        }
        attempt(max(Self.lowest, Rate(perSecond: upper.rate.perSecond / factor)), .rise)
    }

    /// Halves the gap by ratio; tries both edges again once it is narrow enough; confirms at last.
    private mutating func narrow() {
        guard let held, let upper else { return }
        guard upper.rate.perSecond / held.perSecond <= (1 + plan.tolerance) * 1.000_001 else {
            return attempt(Rate(perSecond: (held.perSecond * upper.rate.perSecond).squareRoot()), .bisect)
        }
        if upper.isGenerators {
            finding = .generatorLimited(held: held, tried: upper.rate)
            return
        }
        if triedBracket != [held, upper.rate], contradictions < Self.patience {
            triedBracket = [held, upper.rate]
            edges = [upper.rate, held]
        }
        if let edge = edges.popLast() { attempt(edge, .edge) } else { confirm() }
    }

    private mutating func attempt(_ rate: Rate, _ stage: Stage) {
        next = Probe(rate: rate, length: plan.probe, stage: stage)
    }

    private mutating func confirm() {
        guard let held else { return }
        next = Probe(rate: held, length: plan.confirmation, stage: .confirm)
    }

    private mutating func conclude(isConfirmed: Bool) {
        guard let held, let upper else { return }
        finding = .found(sustainable: held, failing: upper.rate, isConfirmed: isConfirmed)
    }
}
