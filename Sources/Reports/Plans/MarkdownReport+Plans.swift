import Analysis
import Primitives
import RunRecords

/// Sweeps and searches for a capacity as Markdown.
extension MarkdownReport {
    // MARK: - Sweeps

    static func text(_ sweep: SweepRecord) -> String {
        guard let findings = sweep.findings else {
            let reasons = sweep.verdict.reasons.isEmpty ? ["no run was made"] : sweep.verdict.reasons
            return joined([heading("\(sweep.verdict.status.title): \(sweep.profileName)"), list(reasons)])
        }
        let title =
            findings.recommended.map { "Recommended: \(sweep.setting(ofCell: $0))" }
            ?? (sweep.grid.hasChoice ? "Nothing to recommend" : "No setting to choose")
        return joined([
            heading(title), list(sweep.explanations(findings) + around(sweep, findings) + [sweep.extent(findings)]),
            SweepMap(sweep, findings).map { map(sweep, $0) } ?? "",
            combinations(sweep, findings, Array(sweep.ranking(findings).prefix(leadersMax))),
            folded(
                "\(max(0, findings.cells.count - leadersMax)) other combinations",
                [combinations(sweep, findings, Array(sweep.ranking(findings).dropFirst(leadersMax)))]),
            folded("what each axis does", [effects(sweep, findings)]),
            folded("what a bad token costs", [badTokens(sweep, findings)]),
            folded("what went wrong", [troubles(sweep)]),
            list([origin(sweep)].filter { !$0.isEmpty }),
        ])
    }

    /// How many combinations stand where every reader sees them, and how many values of an axis.
    private static let (leadersMax, sideMax) = (8, 16)

    private static func around(_ sweep: SweepRecord, _ findings: SweepFindings) -> [String] {
        guard !findings.sensitivity.isEmpty else { return [] }
        let texts = findings.sensitivity.map { neighbor in
            "\(sweep.difference(of: neighbor.cell, from: findings.recommended)): "
                + (neighbor.share.map(ChartUnit.share.text) ?? "not known")
        }
        return ["around it: " + texts.joined(separator: ", ")]
    }

    private static func map(_ sweep: SweepRecord, _ map: SweepMap) -> String {
        let columns = map.columns.values.prefix(sideMax)
        var table = MarkdownTable(
            [.right] + columns.map { _ in .right }, ["\(map.rows.key) \\ \(map.columns.key)"] + columns)
        for (row, value) in map.rows.values.enumerated() {
            table.add([value] + columns.indices.map { mark(sweep, map, map.cell(row: row, column: $0)) })
        }
        let others = map.condition.isEmpty ? "" : "; with \(map.condition)"
        let left =
            map.columns.values.count > sideMax ? "; the first \(sideMax) of \(map.columns.values.count) columns" : ""
        return "accepted/s\(MarkdownTable.escaped(shortened(others, 200)))\(left)\n\n" + table.text(rows: rowsMax)
    }

    private static func mark(_ sweep: SweepRecord, _ map: SweepMap, _ cell: Int) -> String {
        let remarks = sweep.remarks(on: cell, map.findings).filter { $0 != .givenUp }.map(\.text)
        guard let rate = map.findings.cells[cell].acceptedPerSecond else {
            return remarks.isEmpty ? FigureText.missing : remarks.joined(separator: ", ")
        }
        return FigureText.rate(rate) + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: ", ")))")
    }

    private static func combinations(_ sweep: SweepRecord, _ findings: SweepFindings, _ cells: [Int]) -> String {
        guard !cells.isEmpty else { return "" }
        let axes = sweep.grid.axes.map(\.key)
        var table = MarkdownTable(
            axes.map { _ in .right } + [.right, .right, .right, .right, .right, .right, .right, .left, .left],
            axes + [
                "runs", "accepted/s", "lowest", "highest", "residence p99", "CPU each", "sender memory", "limit", "",
            ])
        for index in cells {
            let cell = findings.cells[index]
            table.add(
                cell.values + [
                    "\(cell.runs)", FigureText.rate(cell.acceptedPerSecond), FigureText.rate(cell.lowestPerSecond),
                    FigureText.rate(cell.highestPerSecond), FigureText.value(cell.residenceP99Ns, .time),
                    FigureText.value(cell.senderCPUPerNotificationNs, .time),
                    cell.runs > 0 ? FigureText.size(cell.senderPeakRSSBytes) : FigureText.missing,
                    cell.limit?.rawValue ?? FigureText.missing,
                    sweep.remarks(on: index, findings).map(\.text).joined(separator: ", "),
                ])
        }
        return table.text(rows: foldedRowsMax)
    }

    private static func badTokens(_ sweep: SweepRecord, _ findings: SweepFindings) -> String {
        guard let badTokens = findings.badTokens else { return "" }
        let words = BadTokenTable(badTokens, of: sweep.grid)
        guard !badTokens.prices.isEmpty else { return list(badTokens.note.map { [$0] } ?? []) }
        let cells = words.prices.rows
        var table = MarkdownTable(words.prices.alignments.map { $0 == .left ? .left : .right }, cells.first ?? [])
        for row in cells.dropFirst() { table.add(row) }
        return [table.text(rows: foldedRowsMax), list(words.bases + words.obstacles)].filter { !$0.isEmpty }
            .joined(separator: "\n\n")
    }

    private static func troubles(_ sweep: SweepRecord) -> String {
        let troubles = sweep.troubles
        guard !troubles.isEmpty else { return "" }
        var table = MarkdownTable([.left, .right, .left], ["combination", "runs that did not pass", "the first one"])
        for trouble in troubles {
            table.add([sweep.grid.text(ofCell: trouble.cell), "\(trouble.count)", trouble.reason])
        }
        return table.text(rows: foldedRowsMax)
    }

    private static func effects(_ sweep: SweepRecord, _ findings: SweepFindings) -> String {
        guard !findings.effects.isEmpty else { return "" }
        var table = MarkdownTable([.left, .right, .right], ["key", "value", "rate against the mean"])
        for effect in findings.effects {
            table.add([effect.key, effect.value, effect.share.map(ChartUnit.share.text) ?? FigureText.missing])
        }
        return table.text(rows: foldedRowsMax)
    }

    private static func origin(_ sweep: SweepRecord) -> String {
        guard !sweep.tool.version.isEmpty else { return "" }
        return
            "\(sweep.profileName), pushbench \(sweep.tool.version), \(sweep.machine.cpuModel), \(sweep.machine.cores) cores"
    }

    // MARK: - Capacities

    static func text(_ capacity: CapacityRecord) -> String {
        let run = capacity.probes.first?.run
        return joined([
            heading("\(capacity.verdict.status.title): \(capacity.result)"), list(capacity.verdict.reasons),
            list(["asked: \(capacity.asked)"] + [capacity.kneeText, capacity.noise].compactMap { $0 }), tries(capacity),
            folded("what the tries said", [sayings(capacity)]),
            list(
                run.map { run in
                    [
                        "\(capacity.profileName), pushbench \(run.tool.version), \(run.machine.cpuModel), "
                            + "\(run.machine.cores) cores, \(run.startedAt)"
                    ]
                } ?? [capacity.profileName]),
        ])
    }

    private static func tries(_ capacity: CapacityRecord) -> String {
        guard !capacity.probes.isEmpty else { return "" }
        let latency = capacity.latencySeries
        var table = MarkdownTable(
            [.left] + Array(repeating: .right, count: 9) + [.left],
            [
                "try", "offered/s", "answered/s", latency ?? "latency", "p99", "p99.9", "errors", "in flight",
                "sender", "target", "outcome",
            ])
        for probe in capacity.probes {
            let quantiles = latency.flatMap { probe.run.latency[$0] }?.quantiles
            let rates = [probe.offeredPerSecond, probe.answeredPerSecond].map { rate in
                rate.map { FigureText.count(Int64($0.rounded())) } ?? FigureText.missing
            }
            let shares = [probe.run.limit?.senderBusy, probe.run.limit?.simulatorBusy].map { share in
                share.map(ChartUnit.share.text) ?? FigureText.missing
            }
            table.add(
                [probe.stage.rawValue] + rates
                    + [quantiles?.p50, quantiles?.p99, quantiles?.p999].map(FigureText.time)
                    + [FigureText.count(probe.errors), FigureText.value(probe.inFlight, .count)] + shares
                    + [probe.outcome.words])
        }
        return table.text(rows: foldedRowsMax)
    }

    private static func sayings(_ capacity: CapacityRecord) -> String {
        let told = capacity.probes.filter { !$0.reasons.isEmpty }
        guard !told.isEmpty else { return "" }
        var table = MarkdownTable([.left, .right, .left, .left], ["try", "asked for", "outcome", "why"])
        for probe in told {
            table.add([
                probe.stage.rawValue, FigureText.rate(probe.ratePerSecond), probe.outcome.words,
                probe.reasons.joined(separator: "; "),
            ])
        }
        return table.text(rows: foldedRowsMax)
    }
}
