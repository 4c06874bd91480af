public import Analysis
import Primitives
import RunRecords

/// What a sweep found, on a terminal: the recommended setting, the map of rates, what lies around it, and what each axis does.
public struct SweepTable {
    private let record: SweepRecord
    private let style: TerminalStyle

    /// Makes the table of a sweep for a terminal.
    public init(_ record: SweepRecord, style: TerminalStyle) {
        self.record = record
        self.style = style
    }

    /// The table's text; ends with a line break.
    public var text: String {
        guard let findings = record.findings else { return "no run was made\n" }
        var lines = heading(findings)
        if record.grid.axes.count >= 2 { lines += [""] + map(findings) }
        lines += [""] + cells(findings) + [""] + effects(findings)
        if let badTokens = findings.badTokens {
            lines += [""] + BadTokenTable(badTokens, of: record.grid).lines(style)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One run, while the sweep goes on.
    public static func line(_ run: SweepRunRecord, of grid: SweepGrid, round: Int, left: Int) -> String {
        let rate = run.acceptedPerSecond.map { MetricUnit.rate.text($0) } ?? "incomplete (\(run.status.rawValue))"
        return TerminalStyle.plain.shown(
            "round \(round), at most \(left) runs left: \(grid.text(ofCell: run.cell)): \(rate)")
    }

    // MARK: - Heading

    private func heading(_ findings: SweepFindings) -> [String] {
        var lines: [String] = []
        if let cell = findings.recommended {
            lines.append(style.colored(style.shown("recommended: \(record.grid.text(ofCell: cell))"), .green))
        } else if record.grid.hasChoice {
            lines.append(style.colored("nothing to recommend", .red))
        } else {
            lines.append("no setting to choose")
        }
        lines.append(style.shown("  \(findings.reason)"))
        if let cheaper = findings.cheapestNotBehind {
            lines.append(
                style.shown(
                    "  runs scatter by \(percentText(findings.scatter)): \(record.grid.text(ofCell: cheaper)), which is cheaper, is not "
                        + "clearly behind; more runs would tell"))
        }
        lines += record.verdict.reasons.filter { $0 != findings.reason }.map { style.shown("  \($0)") }
        let around = findings.sensitivity.map { neighbor in
            let share = neighbor.share.map { "\(Int((100 * $0).rounded())) %" } ?? "not known"
            return "\(difference(of: neighbor.cell, from: findings.recommended)): \(share)"
        }
        if !around.isEmpty { lines.append(style.shown("  around it: " + around.joined(separator: ", "))) }
        let dropped = findings.cells.count { $0.runs < record.repeats }
        let made = "\(record.runs.count) runs of \(findings.cells.count) combinations"
        lines.append(
            "  \(made) in \(Interval(nanoseconds: record.elapsedNs)), order seed \(record.seed)"
                + (record.isRace && dropped > 0 ? "; \(dropped) combinations were given up as clearly slower" : ""))
        return lines
    }

    private func difference(of cell: Int, from other: Int?) -> String {
        let values = record.grid.values(ofCell: cell)
        let others = other.map { record.grid.values(ofCell: $0) } ?? []
        let changed = zip(record.grid.axes, zip(values, others)).first { $1.0 != $1.1 }
        return changed.map { "\($0.key)=\($1.0)" } ?? record.grid.text(ofCell: cell)
    }

    // MARK: - Map

    /// The rates over the first two axes; of more axes each cell shows the best of the others.
    private func map(_ findings: SweepFindings) -> [String] {
        let (rows, columns) = (record.grid.axes[0], record.grid.axes[1])
        let best = findings.cells.compactMap(\.acceptedPerSecond).max() ?? 1
        var table = TextTable([.left] + columns.values.map { _ in .right })
        table.add([rows.key + " \\ " + columns.key] + columns.values)
        for row in rows.values.indices {
            table.add(
                [rows.values[row]]
                    + columns.values.indices.map { column in
                        mark(findings, row: row, column: column, best: best)
                    })
        }
        let rest = record.grid.axes.count > 2 ? "; the best over all other axes" : ""
        return ["accepted/s as a share of the best\(rest); [ ] recommended, ~ uneven over connections, - incomplete"]
            + table.lines(style)
    }

    private func mark(_ findings: SweepFindings, row: Int, column: Int, best: Double) -> String {
        let cells = findings.cells.indices.filter {
            let place = record.grid.place(ofCell: $0)
            return place[0] == row && place[1] == column
        }
        let known = cells.filter { findings.cells[$0].acceptedPerSecond != nil }
        guard
            let cell = known.max(by: {
                (findings.cells[$0].acceptedPerSecond ?? 0) < (findings.cells[$1].acceptedPerSecond ?? 0)
            }), let rate = findings.cells[cell].acceptedPerSecond
        else { return "-" }
        let share = "\(Int((100 * rate / best).rounded()))\(findings.cells[cell].isUneven ? "~" : "")"
        return cells.contains { $0 == findings.recommended } ? "[\(share)]" : share
    }

    // MARK: - Combinations

    private func cells(_ findings: SweepFindings) -> [String] {
        var table = TextTable(
            record.grid.axes.map { _ in .right } + [
                .right, .right, .right, .right, .right, .right, .right, .left, .left,
            ])
        table.add(
            record.grid.axes.map(\.key)
                + [
                    "runs", "accepted/s", "lowest", "highest", "residence p99", "CPU each", "sender memory", "limit",
                    "",
                ])
        let order = findings.cells.indices.sorted {
            (findings.cells[$0].acceptedPerSecond ?? -1, $1) > (findings.cells[$1].acceptedPerSecond ?? -1, $0)
        }
        for index in order {
            let cell = findings.cells[index]
            func rate(_ value: Double?) -> String {
                value.map { Count(Int64($0.rounded())).grouped } ?? FigureText.missing
            }
            func time(_ value: Double?) -> String {
                value.map { MetricUnit.time.text($0) } ?? FigureText.missing
            }
            table.add(
                cell.values + [
                    "\(cell.runs)", rate(cell.acceptedPerSecond), rate(cell.lowestPerSecond),
                    rate(cell.highestPerSecond),
                    time(cell.residenceP99Ns), time(cell.senderCPUPerNotificationNs),
                    ByteCount(bytes: cell.senderPeakRSSBytes).description, cell.limit?.rawValue ?? FigureText.missing,
                    remark(cell, isRecommended: index == findings.recommended),
                ])
        }
        return table.lines(style)
    }

    private func remark(_ cell: SweepCell, isRecommended: Bool) -> String {
        var remarks: [String] = []
        if isRecommended { remarks.append("recommended") }
        if cell.runs == 0 { remarks.append("not run") }
        if cell.incompleteRuns > 0 { remarks.append("incomplete") }
        if cell.runs > 0, cell.incompleteRuns == 0, !cell.holdsThresholds { remarks.append("thresholds fail") }
        if cell.isUneven { remarks.append("uneven") }
        return remarks.joined(separator: ", ")
    }

    // MARK: - Axes

    private func effects(_ findings: SweepFindings) -> [String] {
        record.grid.axes.map { axis in
            let texts = findings.effects.filter { $0.key == axis.key }.map { effect in
                "\(effect.value): \(effect.share.map { "\(Int((100 * $0).rounded())) %" } ?? FigureText.missing)"
            }
            return style.shown("\(axis.key), rate with each value against the mean: " + texts.joined(separator: ", "))
        }
    }
}
