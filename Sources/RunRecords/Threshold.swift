public import Primitives

/// A condition on a run's figures, such as `accepted/s >= 500k` or `errorReply.p99 < 20ms`.
///
/// `accepted/s >= 500k abort after 10s` ends the run as soon as it fails, though not in the first ten seconds of the measured part.
/// `compare(accepted/s) > -5%` is about the change from a baseline, which a comparison knows and a single run does not.
public struct Threshold: Equatable, Sendable {
    /// How the figure must stand to the bound.
    public enum Comparison: String, Sendable, CaseIterable {
        /// At least.
        case atLeast = ">="
        /// At most.
        case atMost = "<="
        /// Equal.
        case equal = "=="
        /// Anything else.
        case notEqual = "!="
        /// More.
        case above = ">"
        /// Less.
        case below = "<"

        /// Whether a value stands so to a bound.
        public func holds(_ value: Double, _ bound: Double) -> Bool {
            switch self {
            case .atLeast: value >= bound
            case .atMost: value <= bound
            case .equal: value == bound
            case .notEqual: value != bound
            case .above: value > bound
            case .below: value < bound
            }
        }
    }

    /// The condition as written.
    public let text: String
    /// The figure that it is about.
    public let metric: Metric
    /// How the figure must stand to the bound.
    public let comparison: Comparison
    /// The bound, in the metric's unit; of a change as a share, so that -5 % is -0.05.
    public let bound: Double
    /// Whether it is about the change from a baseline.
    public let isChange: Bool
    /// From when on, after the warm-up, its failing ends the run; nil if it is judged at the end only.
    public let abortAfter: Interval?

    /// Reads `metric op value`, with `abort` or `abort after TIME` behind it, or `compare(metric) op percent`; blanks around the operator
    /// may be left out.
    ///
    /// - Throws: ``ThresholdError``, which says what is accepted.
    public init(_ text: String) throws(ThresholdError) {
        let (condition, abortAfter) = try Self.separated(text)
        let operators: Set<Character> = ["<", ">", "=", "!"]
        guard let start = condition.firstIndex(where: operators.contains) else { throw .noComparison(text) }
        let end = condition[start...].firstIndex { !operators.contains($0) } ?? condition.endIndex
        guard let comparison = Comparison(rawValue: String(condition[start..<end])) else {
            throw .unknownComparison(text, found: String(condition[start..<end]))
        }
        self.text = text
        self.comparison = comparison
        self.abortAfter = abortAfter
        let subject = trimmed(condition[..<start])
        isChange = subject.hasPrefix("compare(") && subject.hasSuffix(")")
        metric = try Metric(isChange ? trimmed(subject.dropFirst(8).dropLast()) : subject)
        let value = trimmed(condition[end...])
        bound = isChange ? try Self.share(value) : try metric.bound(of: value)
        guard abortAfter == nil || metric.isLive && !isChange else { throw .notLive(subject) }
    }

    /// The condition, and what stands behind it about aborting.
    private static func separated(_ text: String) throws(ThresholdError) -> (Substring, Interval?) {
        let words = text.split(separator: " ")
        guard let place = words.firstIndex(of: "abort") else { return (text[...], nil) }
        let condition = text[..<words[place].startIndex]
        let rest = words[(place + 1)...]
        if rest.isEmpty { return (condition, .zero) }
        guard rest.count == 2, rest.first == "after", let time = rest.last else { throw .badAbort(text) }
        do throws(QuantityError) { return (condition, try Interval(text: String(time))) } catch {
            throw .badBound(error)
        }
    }

    private static func share(_ text: String) throws(ThresholdError) -> Double {
        guard text.hasSuffix("%"), let percent = Double(trimmed(text.dropLast())), percent.isFinite else {
            throw .noPercentage(text)
        }
        return percent / 100
    }
}

/// A threshold that cannot be understood.
public enum ThresholdError: Error, Equatable, Sendable {
    /// There is no operator.
    case noComparison(String)
    /// The operator is none of the known ones.
    case unknownComparison(String, found: String)
    /// There is no such figure.
    case unknownMetric(String, nearest: String?)
    /// The bound is not a value of the metric's unit, or the time not one.
    case badBound(QuantityError)
    /// The bound of a change is not one in percent.
    case noPercentage(String)
    /// What stands behind `abort` is not understood.
    case badAbort(String)
    /// The figure is not known while a run goes on, so that it cannot end one.
    case notLive(String)
}

extension ThresholdError: CustomStringConvertible {
    /// What was found and what is accepted.
    public var description: String {
        switch self {
        case .noComparison(let text):
            "\(shortened(text)) has no comparison; expected: metric, one of \(Self.operators), value"
        case .unknownComparison(let text, let found):
            "\(shortened(text)) has the unknown comparison \(shortened(found)); expected one of \(Self.operators)"
        case .unknownMetric(let name, let nearest):
            "unknown metric \(shortened(name))\(nearest.map { ", did you mean \"\($0)\"?" } ?? "")"
                + "; accepted: \(Metric.plainNames.joined(separator: ", ")), SERIES.STATISTIC such as errorReply.p99"
        case .badBound(let error): "\(error)"
        case .noPercentage(let text): "\(shortened(text)) is no change; expected a percentage such as -5%"
        case .badAbort(let text): "\(shortened(text)): expected \"abort\" or \"abort after TIME\" at the end"
        case .notLive(let name):
            "\(shortened(name)) is not known while a run goes on, so that it cannot abort one; accepted before \"abort\": "
                + Metric.liveNames.joined(separator: ", ")
        }
    }

    private static var operators: String { Threshold.Comparison.allCases.map(\.rawValue).joined(separator: " ") }
}

func trimmed(_ text: Substring) -> String {
    let head = text.drop { $0.isWhitespace }
    return String(head.reversed().drop { $0.isWhitespace }.reversed())
}
