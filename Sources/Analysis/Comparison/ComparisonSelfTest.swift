import Primitives
public import RunRecords
import Statistics

/// Comparisons whose outcome is known: a gate that cannot fail is none.
public struct ComparisonSelfTest {
    /// What one of them showed.
    public struct Finding: Equatable, Sendable {
        /// What was planted and what was found.
        public var text: String
        /// Whether that is as it must be.
        public var isAsExpected: Bool
    }

    private let runs: [RunRecord]
    private let plan: ComparisonPlan
    private static let planted = 0.2

    /// Takes runs, whose scatter decides what can be found among them; without any, ten that scatter by 2 % are made up.
    public init(runs: [RunRecord] = [], plan: ComparisonPlan = ComparisonPlan()) {
        self.runs = runs.isEmpty ? Self.samples : runs
        self.plan = plan
    }

    /// All comparisons, in order.
    public var findings: [Finding] {
        let slow = runs.map { Self.slowed($0, by: Self.planted) }
        return [
            finding("a slowdown of 20 %", compare(runs, slow)) { $0.status == .regressed && $0.exitCode == 5 },
            finding("a speed-up of 25 %", compare(slow, runs)) { $0.status == .improved && $0.exitCode == 0 },
            finding("nothing", compare(runs, Array(runs.reversed()))) {
                [.equivalent, .noEvidence].contains($0.status) && $0.exitCode == 0
            },
            finding("a slowdown on another machine", compare(runs, slow.map(Self.moved))) {
                $0.status == .inconclusive && $0.exitCode == 4
            },
            finding("a slowdown in one run only", compare([runs[0]], [slow[0]])) {
                $0.status == .inconclusive && $0.exitCode == 4
            },
        ]
    }

    private func finding(
        _ planted: String, _ comparison: Comparison, _ isAsExpected: (ComparisonVerdict) -> Bool
    ) -> Finding {
        let verdict = comparison.verdict
        let reason = verdict.reasons.first.map { ": \($0)" } ?? ""
        return Finding(
            text: "planted \(planted), found \(verdict.status.rawValue), exit code \(verdict.exitCode)\(reason)",
            isAsExpected: isAsExpected(verdict))
    }

    private func compare(_ base: [RunRecord], _ candidate: [RunRecord]) -> Comparison {
        var plan = plan
        plan.gates = [.plain(.acceptedPerSecond)]
        plan.isAdvisory = false
        return Comparison(
            base: RunSample(label: "base", runs: base), candidate: RunSample(label: "candidate", runs: candidate),
            plan: plan)
    }

    // MARK: - Runs

    private static let samples: [RunRecord] = {
        var random = SeededRandom(seed: 20)
        return (0..<10).map { _ in
            var run = RunRecord()
            run.machine.cpuModel = "the first"
            run.verdict = VerdictRecord(status: .passed, exitCode: 0)
            run.throughput = rate(100_000 * (0.99 + 0.02 * random.unit()))
            return run
        }
    }()

    private static func slowed(_ run: RunRecord, by share: Double) -> RunRecord {
        var run = run
        run.throughput = rate((run.throughput.acceptedPerSecond ?? 0) * (1 - share))
        return run
    }

    private static func moved(_ run: RunRecord) -> RunRecord {
        var run = run
        run.machine.cpuModel = "another than \(run.machine.cpuModel)"
        return run
    }

    private static func rate(_ perSecond: Double) -> ThroughputRecord {
        // A hundred seconds, so that a rate is not rounded to whole notifications.
        let count = Int64((perSecond * 100).rounded())
        return ThroughputRecord(accepted: count, written: count, bytes: count, over: .seconds(100))
    }
}
