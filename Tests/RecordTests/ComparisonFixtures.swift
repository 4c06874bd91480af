import Analysis
import Histograms
import Primitives
import RunRecords

/// A run that accepted so many notifications in a second.
func sampleRun(acceptedPerSecond rate: Int64) -> RunRecord {
    var run = sampleRecord()
    run.throughput = ThroughputRecord(accepted: rate, written: rate, bytes: rate * 150, over: .seconds(1))
    return run
}

/// Runs whose rates scatter by 2 % around a rate, as the seed says.
func scatteredRuns(_ count: Int, around rate: Double, seed: UInt64) -> [RunRecord] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in sampleRun(acceptedPerSecond: Int64(rate * (0.99 + 0.02 * random.unit()))) }
}

/// Compares runs with a plan that is the default one but for the changes.
func compare(
    _ base: [RunRecord], _ candidate: [RunRecord], _ change: (inout ComparisonPlan) -> Void = { _ in }
) -> Comparison {
    var plan = ComparisonPlan()
    plan.resamples = 400
    change(&plan)
    return Comparison(
        base: RunSample(label: "base", runs: base), candidate: RunSample(label: "candidate", runs: candidate),
        plan: plan)
}

extension Comparison {
    /// A figure by its name.
    func figure(_ name: String) -> MetricComparison? { metrics.first { $0.name == name } }
}
