public import RunRecords
public import Statistics

/// What two sets of runs say about each other, figure by figure, and the verdict.
///
/// A plain value that any writer can render; its JSON has the schema `pushbench.compare/1`. Ratios are candidate ÷ baseline, changes are
/// relative and positive when worse.
public struct Comparison: Codable, Equatable, Sendable {
    /// The schema that this version writes.
    public static let currentSchema = "pushbench.compare/1"

    /// The schema's name and version.
    public var schema = Comparison.currentSchema
    /// What was decided.
    public var verdict = ComparisonVerdict()
    /// How it was decided.
    public var method: ComparisonMethod
    /// The first side.
    public var base: ComparisonSide
    /// The other side.
    public var candidate: ComparisonSide
    /// Why the two sides cannot be compared, one sentence each; empty if they can.
    public var obstacles: [String] = []
    /// What a reader should know and what decides nothing, one sentence each.
    public var notes: [String] = []
    /// The figures, those that decide first; figures that no run has are left out.
    public var metrics: [MetricComparison] = []
    /// Outcomes of the thresholds about changes.
    public var thresholds: [ThresholdRecord] = []
    /// The deciding figures of the series that was run to confirm a regression; null if none was.
    @ExplicitNull public var confirmation: [MetricComparison]?
    /// How many runs of the candidate failed by their own conditions, and why the first one did; null if none did.
    @ExplicitNull public var candidateFailures: String?
    /// The exit code of a run that was none, or of a signal, which goes before that of any verdict; in the JSON it is the verdict's.
    var errorCode: Int?

    private enum CodingKeys: String, CodingKey {
        case schema, verdict, method, base, candidate, obstacles, notes, metrics, thresholds, confirmation
        case candidateFailures
    }

    /// Makes a comparison without figures.
    init(method: ComparisonMethod, base: ComparisonSide, candidate: ComparisonSide) {
        self.method = method
        self.base = base
        self.candidate = candidate
    }

    /// The figures that decide.
    public var gating: [MetricComparison] { metrics.filter(\.isGating) }
}

/// What a comparison says as a whole.
public struct ComparisonVerdict: Codable, Equatable, Sendable {
    /// The worst that a deciding figure says.
    public var status = Verdict.inconclusive
    /// Why, one sentence each.
    public var reasons: [String] = []
    /// The process's exit status: 0, 3 for a failed threshold or run, 4 inconclusive, 5 regressed; 1 or 8 if a run ended so.
    public var exitCode = 4
}

/// How a comparison was made.
public struct ComparisonMethod: Codable, Equatable, Sendable {
    /// How the runs of the two sides were made.
    public enum Design: String, Codable, Sendable {
        /// In pairs, one of each side, right after each other.
        case interleaved
        /// Each side by itself; what drifts between them looks like a change.
        case apart
    }

    /// How the runs were made.
    public var design: Design
    /// The error rate of all deciding figures together; intervals hold the true value with 1 less this.
    public var alpha: Double
    /// The seed of the resampling.
    public var seed: UInt64
    /// How often was resampled.
    public var resamples: Int
    /// The order of interleaved runs, such as `ABBABAAB`; null if they were made apart.
    @ExplicitNull public var order: String?
}

/// One side of a comparison.
public struct ComparisonSide: Codable, Equatable, Sendable {
    /// What it is called: file or profile names.
    public var label: String
    /// How many runs it has.
    public var runs: Int
    /// When the first of them began, ISO 8601 in UTC.
    public var startedAt: String
    /// The profile's hash.
    public var profileHash: String
    /// The program that ran.
    public var tool: ToolRecord
    /// The machine.
    public var machine: MachineRecord

    /// Describes the runs of one side; of no runs nothing but the label.
    init(label: String, runs: [RunRecord]) {
        self.label = label
        self.runs = runs.count
        startedAt = runs.map(\.startedAt).min() ?? ""
        profileHash = runs.first?.profileHash ?? ""
        tool = runs.first?.tool ?? ToolRecord()
        machine = runs.first?.machine ?? MachineRecord()
    }
}

/// One figure of both sides.
public struct MetricComparison: Codable, Equatable, Sendable {
    /// Where the smallest change that counts comes from.
    public enum NoiseSource: String, Codable, Sendable {
        /// A comparison of something with itself on this machine.
        case measured
        /// The command line.
        case declared
        /// A threshold about the figure's change, which tolerates so much.
        case tolerated
        /// Nothing is known about this machine; nothing is called equivalent then.
        case assumed
    }

    /// The figure's name, by which thresholds know it.
    public var name: String
    /// The unit of values and shift.
    public var unit: MetricUnit
    /// Which way is better.
    public var direction: MetricDirection
    /// Whether the figure decides, or only informs.
    public var isGating: Bool
    /// The baseline's values.
    public var base: MetricSample
    /// The candidate's values.
    public var candidate: MetricSample
    /// The median candidate ÷ the median baseline, or the median of the pairs' ratios; null if a value is missing or not positive.
    @ExplicitNull public var ratio: Double?
    /// The interval's lower end.
    @ExplicitNull public var ratioLow: Double?
    /// The interval's upper end.
    @ExplicitNull public var ratioHigh: Double?
    /// The ratio by Hodges and Lehmann.
    @ExplicitNull public var hodgesLehmannRatio: Double?
    /// The shift by Hodges and Lehmann, in the figure's unit.
    @ExplicitNull public var shift: Double?
    /// The probability of such a difference without a cause, by the rank test; null without values.
    @ExplicitNull public var p: Double?
    /// The same, corrected for all deciding figures; of a figure that informs the same as ``p``.
    @ExplicitNull public var adjustedP: Double?
    /// The smallest change that counts.
    public var noise: Double
    /// Where that comes from.
    public var noiseSource: NoiseSource
    /// The smallest change that these runs could have shown; null if it cannot be told.
    @ExplicitNull public var detectable: Double?
    /// What the figure says; null if it has no better and worse.
    @ExplicitNull public var verdict: Verdict?
    /// Why it says no more; null if nothing is to be said.
    @ExplicitNull public var reason: String?

    /// Whether every run of both sides has the same value.
    var isTheSameInAllRuns: Bool {
        base.isComplete && candidate.isComplete && Set(base.present + candidate.present).count == 1
    }

    /// The relative change, positive when worse; null without a ratio.
    public var change: Double? {
        guard let ratio else { return nil }
        return switch direction {
        case .higher: 1 - ratio
        case .lower, .neither: ratio - 1
        }
    }
}

/// The values of one figure on one side.
public struct MetricSample: Codable, Equatable, Sendable {
    /// One for each run, in their order; null where a run has none.
    public var values: [Double?]
    /// The median of those that there are; null of none.
    @ExplicitNull public var median: Double?

    /// Takes values; those that are not finite count as missing.
    init(_ values: [Double?]) {
        self.values = values.map { $0.flatMap { $0.isFinite ? $0 : nil } }
        median = Statistics.median(present)
    }

    /// The values that there are.
    public var present: [Double] { values.compactMap { $0 } }
    /// Whether no run lacks the figure, and there is a run.
    public var isComplete: Bool { !values.isEmpty && !values.contains(nil) }
}
