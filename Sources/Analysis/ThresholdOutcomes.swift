import Primitives
public import RunRecords

extension Threshold {
    /// Holds the threshold against a record; without data it fails, since nothing shows that it holds.
    public func outcome(in record: RunRecord) -> ThresholdRecord { outcome(metric.value(in: record)) }

    fileprivate func outcome(_ value: Double?) -> ThresholdRecord {
        ThresholdRecord(text: text, value: value, passed: value.map { comparison.holds($0, bound) } ?? false)
    }
}

extension Profile {
    /// Holds all thresholds about single runs against a record, in the profile's order.
    public func thresholdOutcomes(in record: RunRecord) -> [ThresholdRecord] {
        thresholds.filter { !$0.isChange }.map { $0.outcome(in: record) }
    }
}

/// The thresholds that end a run as soon as they fail.
public struct ThresholdWatch: Sendable {
    private let thresholds: [Threshold]
    private let warmup: Interval

    /// Watches those of a profile.
    public init(_ profile: Profile) {
        thresholds = profile.thresholds.filter { $0.abortAfter != nil }
        warmup = profile.phases.warmup
    }

    /// The first threshold that has failed by now; nil if none has. What has no data yet has not failed.
    ///
    /// Rates are of the measured part so far, counts of the whole run so far.
    public func failure(in intervals: [IntervalRecord]) -> ThresholdRecord? {
        guard let last = intervals.last else { return nil }
        let elapsed = Interval(nanoseconds: last.startNs + last.lengthNs) - warmup
        for threshold in thresholds {
            guard let delay = threshold.abortAfter, elapsed >= delay, elapsed > .zero,
                let value = threshold.metric.liveValue(in: intervals, warmup: warmup)
            else { continue }
            let outcome = threshold.outcome(value)
            if !outcome.passed { return outcome }
        }
        return nil
    }
}

extension Metric {
    fileprivate func liveValue(in intervals: [IntervalRecord], warmup: Interval) -> Double? {
        let measured = intervals.filter { $0.startNs >= warmup.nanoseconds }
        func rate(_ count: (IntervalRecord) -> Int64?) -> Double? {
            let length = measured.reduce(0) { $0 + $1.lengthNs }
            let counts = measured.compactMap(count)
            guard length > 0, counts.count == measured.count else { return nil }
            return Double(counts.reduce(0, +)) * 1e9 / Double(length)
        }
        func sum(_ count: (IntervalRecord) -> Int64) -> Double { Double(intervals.reduce(0) { $0 + count($1) }) }
        return switch self {
        case .plain(.acceptedPerSecond): rate(\.accepted)
        case .plain(.writtenPerSecond): rate(\.written)
        case .plain(.bytesPerSecond): rate(\.bytes)
        case .plain(.rejected): sum(\.rejected)
        case .plain(.resent): sum(\.resent)
        case .plain(.reconnects): sum(\.reconnects)
        case .latency("residence", .max): measured.compactMap(\.residenceMaxNs).max().map(Double.init)
        default: nil
        }
    }
}
