public import Primitives

/// A condition on a run's figures, such as `accepted/s >= 500k` or `errorReply.p99 < 20ms`.
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
    /// The bound, in the metric's unit.
    public let bound: Double

    /// Reads `metric op value`; blanks around the operator may be left out.
    ///
    /// - Throws: ``ThresholdError``, which says what is accepted.
    public init(_ text: String) throws(ThresholdError) {
        let operators: Set<Character> = ["<", ">", "=", "!"]
        guard let start = text.firstIndex(where: operators.contains) else { throw .noComparison(text) }
        let end = text[start...].firstIndex { !operators.contains($0) } ?? text.endIndex
        guard let comparison = Comparison(rawValue: String(text[start..<end])) else {
            throw .unknownComparison(text, found: String(text[start..<end]))
        }
        self.text = text
        self.comparison = comparison
        metric = try Metric(trimmed(text[..<start]))
        bound = try metric.unit.value(of: trimmed(text[end...]))
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
    /// The bound is not a value of the metric's unit.
    case badBound(QuantityError)
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
        }
    }

    private static var operators: String { Threshold.Comparison.allCases.map(\.rawValue).joined(separator: " ") }
}

func trimmed(_ text: Substring) -> String {
    let head = text.drop { $0.isWhitespace }
    return String(head.reversed().drop { $0.isWhitespace }.reversed())
}
