import Analysis
import Primitives
import RunRecords

/// What every form says of a sweep.
extension SweepRecord {
    /// A combination as a setting: what can be chosen of it, and the conditions under which.
    func setting(ofCell cell: Int) -> String {
        func text(_ axes: [(SweepGrid.Axis, String)]) -> String {
            axes.map { "\($0.key)=\($1)" }.joined(separator: " ")
        }
        let all = Array(zip(grid.axes, grid.values(ofCell: cell)))
        let (choices, conditions) = (all.filter { !$0.0.isCondition }, all.filter(\.0.isCondition))
        guard !choices.isEmpty, !conditions.isEmpty else { return text(all) }
        return "\(text(choices)) under \(text(conditions))"
    }

    /// Why the recommended combination is the one, and what else a reader should know of it, a sentence each.
    func explanations(_ findings: SweepFindings) -> [String] {
        var lines = [findings.reason]
        if let cheaper = findings.cheapestNotBehind {
            lines.append(
                "runs scatter by \(percentText(findings.scatter)): \(grid.text(ofCell: cheaper)), which is cheaper, is not "
                    + "clearly behind; more runs would tell")
        }
        if let scalability = findings.scalability { lines.append(scalability.sentence) }
        lines += verdict.reasons.filter { $0 != findings.reason }
        return lines
    }

    /// How many runs there were, in what time and order, and what was given up.
    func extent(_ findings: SweepFindings) -> String {
        let givenUp = findings.cells.indices.count { isGivenUp($0, findings) }
        let runs = FigureText.count(Int64(self.runs.count), of: "run")
        let combinations = FigureText.count(Int64(findings.cells.count), of: "combination")
        return "\(runs) of \(combinations) in \(Interval(nanoseconds: elapsedNs)), order seed \(seed)"
            + (givenUp > 0
                ? "; \(FigureText.count(Int64(givenUp), of: "combination")) \(givenUp == 1 ? "was" : "were") given up as clearly slower"
                : "")
    }

    /// Whether the race had no more runs for a combination.
    ///
    /// The record does not say it; what was run less often than the others is either that, or the sweep ended before.
    func isGivenUp(_ cell: Int, _ findings: SweepFindings) -> Bool {
        let most = findings.cells.map(\.runs).max() ?? 0
        let isWhole = [.passed, .failed, .inconclusive].contains(verdict.status) && most == repeats && budgetNs == nil
        let figures = findings.cells[cell]
        // A round that was cut short leaves combinations one run behind.
        return isRace && figures.runs > 0 && figures.incompleteRuns == 0 && figures.runs < (isWhole ? most : most - 1)
    }

    /// What makes a combination another than the recommended one, where that is one value.
    func difference(of cell: Int, from other: Int?) -> String {
        let values = grid.values(ofCell: cell)
        let others = other.map { grid.values(ofCell: $0) } ?? []
        let changed = zip(grid.axes, zip(values, others)).first { $1.0 != $1.1 }
        return changed.map { "\($0.key)=\($1.0)" } ?? grid.text(ofCell: cell)
    }

    /// The combinations with runs that did not pass: how many of them, and what the first one said.
    var troubles: [(cell: Int, count: Int, reason: String)] {
        let failed = Dictionary(grouping: runs.filter { $0.status != .passed }, by: \.cell)
        return failed.sorted { $0.key < $1.key }.map { cell, runs in
            let reason = runs.first.map { $0.reasons.isEmpty ? $0.status.rawValue : $0.reasons.joined(separator: "; ") }
            return (cell, runs.count, reason ?? "")
        }
    }

    /// The combinations from the fastest on; those without a rate come last.
    func ranking(_ findings: SweepFindings) -> [Int] {
        findings.cells.indices.sorted {
            (findings.cells[$0].acceptedPerSecond ?? -1, $1) > (findings.cells[$1].acceptedPerSecond ?? -1, $0)
        }
    }

    /// What a reader must know of a combination beside its figures.
    func remarks(on cell: Int, _ findings: SweepFindings) -> [SweepRemark] {
        let figures = findings.cells[cell]
        var remarks: [SweepRemark] = []
        if cell == findings.recommended { remarks.append(.recommended) }
        if figures.runs == 0 { remarks.append(.notRun) }
        if figures.incompleteRuns > 0 { remarks.append(.incomplete) }
        if figures.runs > 0, figures.incompleteRuns == 0, !figures.holdsThresholds { remarks.append(.thresholdsFail) }
        if figures.isUneven { remarks.append(.uneven) }
        if isGivenUp(cell, findings) { remarks.append(.givenUp) }
        return remarks
    }
}

/// What stands beside a combination's figures.
enum SweepRemark: CaseIterable {
    case recommended, notRun, incomplete, thresholdsFail, uneven, givenUp

    /// The remark in a word or two.
    var text: String {
        switch self {
        case .recommended: "recommended"
        case .notRun: "not run"
        case .incomplete: "incomplete"
        case .thresholdsFail: "thresholds fail"
        case .uneven: "uneven"
        case .givenUp: "given up"
        }
    }
}

/// The first two axes of a sweep as a map. Of further axes it shows the values that the recommended combination has, or else the best one.
struct SweepMap {
    let record: SweepRecord
    let findings: SweepFindings
    private let others: [Int]
    private let fields: [Int]
    private let bests: [Int: Double]

    /// - Returns: nil where there is one axis.
    init?(_ record: SweepRecord, _ findings: SweepFindings) {
        guard record.grid.axes.count > 1 else { return nil }
        self.record = record
        self.findings = findings
        fields = record.fields
        bests = Dictionary(
            zip(fields, findings.cells.map { $0.acceptedPerSecond ?? 0 }), uniquingKeysWith: { max($0, $1) })
        others = Array(record.grid.place(ofCell: findings.recommended ?? findings.best ?? 0).dropFirst(2))
    }

    var rows: SweepGrid.Axis { record.grid.axes[0] }
    var columns: SweepGrid.Axis { record.grid.axes[1] }

    /// The combination at a place of the map.
    func cell(row: Int, column: Int) -> Int { record.grid.cell(at: [row, column] + others) ?? 0 }

    /// A combination's rate as a share of the best under the same conditions; nil where it has none.
    func share(ofCell cell: Int) -> Double? {
        guard let best = bests[fields[cell]], best > 0 else { return nil }
        return findings.cells[cell].acceptedPerSecond.map { $0 / best }
    }

    /// What shares are of.
    var yardstick: String { Set(fields).count > 1 ? "the best under the same conditions" : "the best" }

    /// The values of the further axes, as a condition; empty if there are none.
    var condition: String {
        zip(record.grid.axes.dropFirst(2), others).map { "\($0.key)=\($0.values[$1])" }.joined(separator: ", ")
    }
}

extension SweepScalability {
    /// What the law says, or why it does not apply.
    var sentence: String {
        let rest = setting.isEmpty ? "" : " with \(setting.joined(separator: " "))"
        let left =
            generatorLimitedLevels > 0 ? "; \(generatorLimitedLevels) left out, where the generator was the limit" : ""
        let head = "scalability over \(key)\(rest), \(levels) values\(left): "
        guard objections.isEmpty, let contention, let coherency, let rateOfOnePerSecond, let relativeError else {
            return head + "the model does not apply: " + objections.joined(separator: "; ")
        }
        let coefficients =
            "one gives \(MetricUnit.rate.text(rateOfOnePerSecond)), contention \(Self.text(contention)), coherency "
            + "\(Self.text(coherency)), off by \(percentText(relativeError))"
        guard let peakLevel, let peakPerSecond else { return head + coefficients + "; no peak within the data" }
        return head + coefficients
            + "; the peak is at \(decimalText(peakLevel.estimate, places: 1)) [\(decimalText(peakLevel.low, places: 1)), "
            + "\(decimalText(peakLevel.high, places: 1))] with \(MetricUnit.rate.text(peakPerSecond.estimate))"
    }

    private static func text(_ figure: Figure) -> String {
        "\(probabilityText(figure.estimate)) [\(probabilityText(figure.low)), \(probabilityText(figure.high))]"
    }
}
