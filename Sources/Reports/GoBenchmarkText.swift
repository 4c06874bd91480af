import Analysis
import RunRecords

/// Go's benchmark text (golang.org/design/14313-benchmark-format): one line for each run, which benchstat joins by their names.
///
/// Only what must be equal to be compared stands in configuration lines, since benchstat makes a table for each configuration.
enum GoBenchmarkText: ReportText {
    static let summary = "Go's benchmark text, one line for each run, which benchstat reads"

    static func text(_ series: RunSeriesRecord) -> String {
        guard let first = series.runs.first else { return "# no runs\n" }
        let metrics = FigureSelection.metrics(in: series.runs)
        var lines = [
            "# pushbench \(line(first.tool.version)), \(line(first.tool.build))",
            "cpu: \(line(first.machine.cpuModel))", "profile-hash: \(line(first.profileHash))",
        ]
        lines += metrics.map { unitLine($0.name, $0.unit, $0.direction) }
        for run in series.runs {
            var pairs: [(value: Double?, unit: String)] = metrics.map {
                ($0.comparableValue(in: run), unit($0.name, $0.unit))
            }
            if let rate = run.throughput.acceptedPerSecond, rate > 0 { pairs.insert((1e9 / rate, "ns/op"), at: 0) }
            lines.append(result(name(run), iterations: max(1, run.ledger.accepted), pairs))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The runs of both sides, to be told apart with `benchstat -col /side`.
    static func text(_ comparison: Comparison) -> String {
        let metrics = comparison.metrics.filter { $0.direction != .neither }
        var lines = ["# pushbench compare; benchstat -col /side sets the sides beside each other"]
        lines += metrics.map { unitLine($0.name, $0.unit, $0.direction) }
        let sides: [(String, Int, KeyPath<MetricComparison, [Double?]>)] = [
            ("base", comparison.base.runs, \.base.values), ("candidate", comparison.candidate.runs, \.candidate.values),
        ]
        for (side, runs, values) in sides {
            for run in 0..<runs {
                let pairs: [(value: Double?, unit: String)] = metrics.map {
                    ($0[keyPath: values][run], unit($0.name, $0.unit))
                }
                lines.append(result("BenchmarkComparison/side=\(side)", iterations: 1, pairs))
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// A run's line; one without any figure is a comment, since a line must have one.
    private static func result(_ name: String, iterations: Int64, _ pairs: [(value: Double?, unit: String)]) -> String {
        let fields = pairs.compactMap { pair in pair.value.flatMap(numberText).map { "\($0) \(pair.unit)" } }
        return fields.isEmpty ? "# \(name): no figures" : "\(name) \(iterations) " + fields.joined(separator: " ")
    }

    private static func unitLine(_ name: String, _ unit: MetricUnit, _ direction: MetricDirection) -> String {
        "Unit \(self.unit(name, unit)) better=\(direction.rawValue)"
    }

    /// The name of the profile and what it varies; a hyphen with a number at the end would be taken for processors.
    private static func name(_ run: RunRecord) -> String {
        let profile = run.profile
        var parts = ["Benchmark" + word(run.name).capitalizedFirst]
        if let name = profile.text("protocol") { parts.append("protocol=\(word(name))") }
        if let count = profile.integer("sender", "connections") { parts.append("connections=\(count)") }
        if profile.text("protocol") == "http2" {
            if let count = profile.integer("sender", "streams") { parts.append("streams=\(count)") }
        } else if let count = profile.integer("sender", "batch", "notifications") {
            parts.append("batch=\(count)")
        }
        return parts.joined(separator: "/")
    }

    /// The unit, which says what is measured, too; its last part is the one that benchstat knows.
    private static func unit(_ name: String, _ unit: MetricUnit) -> String {
        let words = name.split(whereSeparator: { $0 == "." || $0 == "/" }).map { word(String($0), and: "%") }
        let joined = words.joined(separator: "-")
        return switch unit {
        case .rate: name
        case .bytesPerSecond: "B/s"
        case .time: joined + "-ns"
        case .size: joined + "-B"
        case .count, .number: joined
        }
    }

    /// Letters, digits and underlines.
    private static func word(_ text: String, and others: String = "") -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) || others.contains($0) ? $0 : "_" })
    }

    /// A text on one line.
    private static func line(_ text: String) -> String {
        withoutControls(String(text.map { $0.isNewline ? " " : $0 }))
    }
}

extension String {
    /// The text with its first letter as a capital.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
