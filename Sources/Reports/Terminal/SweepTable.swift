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
        guard let findings = record.findings else {
            return (["no run was made"] + record.verdict.reasons.map { style.shown("  \($0)") })
                .map { $0 + "\n" }.joined()
        }
        var lines = heading(findings)
        if let map = SweepMap(record, findings) { lines += [""] + self.lines(of: map) }
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
            lines.append(style.colored(style.shown("recommended: \(record.setting(ofCell: cell))"), .green))
        } else if record.grid.hasChoice {
            lines.append(style.colored("nothing to recommend", .red))
        } else {
            lines.append("no setting to choose")
        }
        lines += record.explanations(findings).map { style.shown("  \($0)") }
        let around = findings.sensitivity.map { neighbor in
            let share = neighbor.share.map { "\(Int((100 * $0).rounded())) %" } ?? "not known"
            return "\(record.difference(of: neighbor.cell, from: findings.recommended)): \(share)"
        }
        if !around.isEmpty { lines.append(style.shown("  around it: " + around.joined(separator: ", "))) }
        lines.append("  " + record.extent(findings))
        return lines
    }

    // MARK: - Map

    private func lines(of map: SweepMap) -> [String] {
        var table = TextTable([.left] + map.columns.values.map { _ in .right })
        table.add([map.rows.key + " \\ " + map.columns.key] + map.columns.values)
        for row in map.rows.values.indices {
            table.add(
                [map.rows.values[row]]
                    + map.columns.values.indices.map { mark(map, cell: map.cell(row: row, column: $0)) })
        }
        let rest = map.condition.isEmpty ? "" : " with \(map.condition)"
        let signs = "[ ] recommended, ! thresholds fail, ~ uneven over connections, - incomplete"
        return [style.shown("accepted/s as a share of \(map.yardstick)\(rest); \(signs)")] + table.lines(style)
    }

    private func mark(_ map: SweepMap, cell: Int) -> String {
        guard let share = map.share(ofCell: cell) else { return FigureText.missing }
        let remarks = record.remarks(on: cell, map.findings)
        let signs = (remarks.contains(.thresholdsFail) ? "!" : "") + (remarks.contains(.uneven) ? "~" : "")
        let text = "\(Int((100 * share).rounded()))\(signs)"
        return remarks.contains(.recommended) ? "[\(text)]" : text
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
        for index in record.ranking(findings) {
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
                    record.remarks(on: index, findings).map(\.text).joined(separator: ", "),
                ])
        }
        return table.lines(style)
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
