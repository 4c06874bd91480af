import Primitives
import RunRecords
import Statistics

/// Where latency begins to climb with the rate: of the curve of p99 over rate, both from 0 to 1, the point that lies furthest below its
/// chord.
///
/// A second opinion beside a search: it follows from the shape of the curve alone, whatever was asked of the target.
public struct LatencyKnee: Codable, Equatable, Sendable {
    /// The series whose p99 it is.
    public var series: String
    /// The rate at the knee, per second.
    public var ratePerSecond: Double
    /// The p99 there, in nanoseconds.
    public var p99Ns: Int64

    /// With fewer rates a curve has no shape.
    static let fewestRates = 5
    /// A point nearer to the chord than this share of the curve's height is none that stands out.
    static let leastDepth = 0.1

    /// Finds the knee of a curve; nil if it has none, or too few rates.
    ///
    /// - Parameters:
    ///   - series: whose p99 it is.
    ///   - points: rates per second and the p99 at each, in nanoseconds, in any order; of a rate that was tried several times the
    ///     median counts.
    init?(series: String, points: [(ratePerSecond: Double, p99Ns: Int64)]) {
        let curve = Dictionary(grouping: points, by: \.ratePerSecond)
            .compactMap { rate, tries in median(tries.map { Double($0.p99Ns) }).map { (rate: rate, p99: $0) } }
            .sorted { $0.rate < $1.rate }
        guard curve.count >= Self.fewestRates, let first = curve.first, let last = curve.last else { return nil }
        let (width, height) = (last.rate - first.rate, last.p99 - first.p99)
        guard width > 0, height > 0 else { return nil }
        func depth(_ point: (rate: Double, p99: Double)) -> Double {
            (point.rate - first.rate) / width - (point.p99 - first.p99) / height
        }
        guard let knee = curve.max(by: { depth($0) < depth($1) }), depth(knee) >= Self.leastDepth else { return nil }
        self.series = series
        ratePerSecond = knee.rate
        p99Ns = Int64(knee.p99)
    }
}

extension CapacityRecord {
    /// The latency that was asked about; else the one that tells how long an answer takes; nil without any.
    public var latencySeries: String? {
        let asked = serviceLevel.lazy.compactMap { $0.split(separator: ".").first.map(String.init) }
            .first { Metric.seriesNames.contains($0) }
        guard asked == nil, let run = probes.first?.run else { return asked }
        return ["response", "acceptance", "errorReply"].first { run.latency[$0] != nil }
    }

    /// The knee of what was tried; tries that say nothing of the target are no part of the curve.
    var latencyKnee: LatencyKnee? {
        guard let series = latencySeries else { return nil }
        let points = probes.compactMap { probe -> (Double, Int64)? in
            guard probe.outcome != .generatorLimited, probe.outcome != .unusable,
                let p99 = probe.run.latency[series]?.quantiles.p99
            else { return nil }
            return (probe.ratePerSecond, p99)
        }
        return LatencyKnee(series: series, points: points)
    }
}
