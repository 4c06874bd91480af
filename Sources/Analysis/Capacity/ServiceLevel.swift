public import Primitives
public import RunRecords
import Statistics

/// What a rate has to hold to count as sustainable: conditions on the run's figures, in the language of thresholds.
///
/// A condition on a quantile of a latency, such as `response.p99 < 20ms`, is about a share: at least 99 of 100 must be below 20 ms. It is
/// judged by Wilson's interval of that share, so that few samples are undecided and not failed.
public struct ServiceLevel: Equatable, Sendable {
    /// The conditions, all of which must hold.
    public var conditions: [Threshold]

    /// Takes conditions.
    public init(_ conditions: [Threshold]) { self.conditions = conditions }

    /// What one run says of one condition.
    public enum Answer: Equatable, Sendable {
        /// It holds for certain.
        case holds
        /// It does not.
        case fails(String)
        /// There are too few samples to say.
        case undecided(String)
        /// The run has no such figure.
        case missing(String)
    }

    /// The shortest bound on a latency among the conditions; nil if there is none.
    public var latencyBound: Interval? {
        conditions.compactMap { condition -> Interval? in
            guard case .latency(_, .quantile) = condition.metric else { return nil }
            return Interval(nanoseconds: Int64(condition.bound))
        }.min()
    }

    /// What a run says of each condition, in their order.
    public func answers(of record: RunRecord) -> [Answer] { conditions.map { Self.answer(of: record, to: $0) } }

    private static func answer(of record: RunRecord, to condition: Threshold) -> Answer {
        if case .latency(let series, .quantile(let share)) = condition.metric, condition.comparison.isUpperBound {
            return attainment(of: record.latency[series], share: share, condition: condition)
                ?? .missing(missingText(condition, record))
        }
        let outcome = condition.outcome(in: record)
        guard let value = outcome.value else { return .missing(missingText(condition, record)) }
        return outcome.passed ? .holds : .fails("\(condition.text): it is \(condition.metric.unit.text(value))")
    }

    private static func missingText(_ condition: Threshold, _ record: RunRecord) -> String {
        let series = record.latency.filter { $0.value.count > 0 }.keys
        let known = Metric.ordered(series).joined(separator: ", ")
        return "\(condition.text): a run of this profile has no such figure; series that it has: \(known)"
    }

    private static func attainment(of series: LatencyRecord?, share: Double, condition: Threshold) -> Answer? {
        guard let series, series.count > 0, let within = series.count(upTo: Int64(condition.bound)),
            let interval = WilsonInterval(successes: within, trials: series.count)
        else { return nil }
        let text =
            "\(condition.text): \(decimalText(100 * interval.share, places: 3)) % of \(series.count) are within it"
        if interval.low >= share { return .holds }
        return interval.high < share ? .fails(text) : .undecided(text)
    }
}

extension Threshold.Comparison {
    fileprivate var isUpperBound: Bool { self == .below || self == .atMost }
}
