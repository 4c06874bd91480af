/// The two texts that Prometheus reads.
public enum MetricDialect: Sendable, CaseIterable {
    /// OpenMetrics 1.0, with units and an end.
    case openMetrics
    /// The older text format 0.0.4, which promtool and node_exporter's textfile collector read, too.
    case prometheus

    /// The media type of a document.
    public var mediaType: String {
        switch self {
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        }
    }

    /// A whole document.
    func document(_ families: [MetricFamily]) -> String {
        let text = families.map { $0.text(self) }.joined()
        return switch self {
        case .openMetrics: text + "# EOF\n"
        // An empty file looks like one that could not be written.
        case .prometheus: text.isEmpty ? "# no runs\n" : text
        }
    }
}

/// A family of metrics: its type, unit and help, and its samples, those of one set of labels together.
struct MetricFamily {
    enum Kind: String { case gauge, counter, histogram, info, stateset }

    typealias Labels = [(String, String)]

    private struct Sample {
        var suffix: String
        var labels: Labels
        var number: String
    }

    private let name: String
    private let kind: Kind
    /// The unit, which must be the end of the name; nil for numbers without one.
    private let unit: String?
    private let help: String
    private var samples: [Sample] = []

    init(_ name: String, _ help: String, _ kind: Kind = .gauge, unit: String? = nil) {
        self.name = unit.map { "\(name)_\($0)" } ?? name
        self.kind = kind
        self.unit = unit
        self.help = help
    }

    /// Adds a sample; none for a value that was not measured.
    mutating func add(_ value: Double?, _ labels: Labels) {
        guard let number = value.flatMap(numberText) else { return }
        let suffix =
            switch kind {
            case .counter: "_total"
            case .info: "_info"
            default: ""
            }
        samples.append(Sample(suffix: suffix, labels: labels, number: number))
    }

    /// Adds the samples of a state set: 1 for the state that is, 0 for the others.
    mutating func add(states: [String], _ state: String, _ labels: Labels) {
        for each in states { add(each == state ? 1 : 0, labels + [(name, each)]) }
    }

    /// Adds the samples of a histogram: how many values there are up to each bound, and their exact sum and number.
    mutating func add(_ series: LatencyFigures, _ labels: Labels) {
        for (bound, count) in series.buckets + [("+Inf", series.count)] {
            samples.append(Sample(suffix: "_bucket", labels: labels + [("le", bound)], number: "\(count)"))
        }
        guard let sum = numberText(series.sum) else { return }
        samples.append(Sample(suffix: "_sum", labels: labels, number: sum))
        samples.append(Sample(suffix: "_count", labels: labels, number: "\(series.count)"))
    }

    /// The family's lines; empty without a sample.
    func text(_ dialect: MetricDialect) -> String {
        guard !samples.isEmpty else { return "" }
        var (familyName, type, units) = (name, kind.rawValue, unit.map { "# UNIT \(name) \($0)\n" } ?? "")
        if dialect == .prometheus {
            units = ""
            switch kind {
            case .counter: familyName += "_total"
            case .info: (familyName, type) = (name + "_info", "gauge")
            case .stateset: type = "gauge"
            case .gauge, .histogram: break
            }
        }
        var text = "# TYPE \(familyName) \(type)\n\(units)# HELP \(familyName) \(help)\n"
        for sample in samples {
            let pairs = sample.labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
            text += "\(name)\(sample.suffix)\(pairs.isEmpty ? "" : "{\(pairs)}") \(sample.number)\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in withoutControls(text).unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
