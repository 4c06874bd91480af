/// A family of OpenMetrics 1.0 text: its type, unit and help, and its samples, those of one set of labels together.
struct MetricFamily {
    enum Kind: String { case gauge, summary, info, stateset }

    private let name: String
    private let kind: Kind
    /// The unit, which must be the end of the name; nil for numbers without one.
    private let unit: String?
    private let help: String
    private var samples: [String] = []

    init(_ name: String, _ help: String, _ kind: Kind = .gauge, unit: String? = nil) {
        self.name = unit.map { "\(name)_\($0)" } ?? name
        self.kind = kind
        self.unit = unit
        self.help = help
    }

    /// Adds a sample; none for a value that was not measured.
    mutating func add(_ value: Double?, _ labels: [(String, String)], suffix: String = "") {
        guard let number = value.flatMap(numberText) else { return }
        let pairs = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        samples.append("\(name)\(suffix)\(pairs.isEmpty ? "" : "{\(pairs)}") \(number)\n")
    }

    /// Adds the samples of a state set: 1 for the state that is, 0 for the others.
    mutating func add(states: [String], _ state: String, _ labels: [(String, String)]) {
        for each in states { add(each == state ? 1 : 0, labels + [(name, each)]) }
    }

    /// The family's lines; empty without a sample.
    var text: String {
        guard !samples.isEmpty else { return "" }
        let units = unit.map { "# UNIT \(name) \($0)\n" } ?? ""
        return "# TYPE \(name) \(kind.rawValue)\n\(units)# HELP \(name) \(Self.escaped(help))\n" + samples.joined()
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
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
