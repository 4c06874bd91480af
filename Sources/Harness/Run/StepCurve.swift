import Primitives
import RunRecords

/// A number that rises over time, known at some instants and taken as even between them.
struct StepCurve {
    private var points: [(at: Instant, value: Double)] = []

    /// What a simulator had accepted. It reports only what is new, so that in a pause longer than others nothing was accepted until just
    /// before the report that ends it.
    init(simulator progress: [SimulatorProgress], total: Int64, endNs: Int64) {
        let reports = progress + [SimulatorProgress(atNs: endNs, accepted: total, cpuNs: 0)]
        let sorted = reports.sorted { $0.atNs < $1.atNs }
        let usual = zip(sorted.dropFirst(), sorted).map { $0.atNs - $1.atNs }.filter { $0 > 50_000_000 }.min()
        let pause = Interval(nanoseconds: usual ?? 100_000_000)
        for report in sorted {
            let at = Instant(nanoseconds: report.atNs)
            if let last = points.last, at - last.at > pause * 2 {
                points.append((at + Interval(nanoseconds: -pause.nanoseconds), last.value))
            }
            points.append((at, Double(report.accepted)))
        }
    }

    /// What was written for the first time; nil without any.
    init?(_ bins: ThroughputBins) {
        guard !bins.bins.isEmpty else { return nil }
        var sum = 0.0
        points = [(bins.origin, 0)]
        for (index, bin) in bins.bins.enumerated() {
            sum += Double(bin.fresh)
            points.append((bins.origin + bins.width * Int64(index + 1), sum))
        }
    }

    /// The number at an instant; before the first known one that one, behind the last the last.
    func value(at instant: Instant) -> Double {
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].at <= instant { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return points.isEmpty ? 0 : points[0].value }
        guard low < points.count else { return points[low - 1].value }
        let (before, after) = (points[low - 1], points[low])
        let share = (instant - before.at).seconds / (after.at - before.at).seconds
        return before.value + (after.value - before.value) * share
    }
}
