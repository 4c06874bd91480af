import Analysis
import Primitives
import RunRecords
import Statistics

/// The page of a sweep: which setting is enough and why, the map of rates, what each axis does, and every combination.
struct SweepPage {
    let record: SweepRecord
    let printer: ChartPrinter

    static let rowLimit = 300

    var page: HTMLPage {
        let sections = (record.findings.map { self.sections($0) } ?? []) + [runs, machine]
        return HTMLPage(
            kind: "pushbench · sweep", name: record.profileName, verdict: verdict, mood: record.verdict.status.mood,
            reasons: reasons, origin: origin, tiles: record.findings.map(tiles) ?? [], notice: printer.obstacle,
            sections: sections.filter { !$0.content.isEmpty })
    }

    private func sections(_ findings: SweepFindings) -> [HTMLPage.Section] {
        [map(findings), recommendation(findings), effects(findings)]
            + (findings.badTokens.map { [BadTokenSection(findings: $0, grid: record.grid, printer: printer).section] }
                ?? [])
            + [combinations(findings)]
    }

    private var verdict: String {
        guard record.verdict.status == .passed, let cell = record.findings?.recommended else {
            return record.verdict.status.title
        }
        return "Recommended: \(record.setting(ofCell: cell))"
    }

    private var reasons: [String] {
        guard let findings = record.findings else {
            return record.verdict.reasons.isEmpty ? ["no run was made"] : record.verdict.reasons
        }
        return record.explanations(findings)
    }

    private var origin: [String] {
        let build = record.tool.build.isEmpty ? "" : " (\(record.tool.build))"
        return [
            record.findings.map { record.extent($0) } ?? "",
            record.tool.version.isEmpty ? "" : "pushbench \(record.tool.version)\(build)",
            record.machine.cpuModel.isEmpty ? "" : "\(record.machine.cpuModel), \(record.machine.cores) cores",
            record.machine.os,
        ].filter { !$0.isEmpty }
    }

    // MARK: - At first sight

    private func tiles(_ findings: SweepFindings) -> [HTMLPage.Tile] {
        let recommended = findings.recommended.map { (cell: $0, figures: findings.cells[$0]) }
        let best = findings.best.map { (cell: $0, figures: findings.cells[$0]) }
        let share = recommended.flatMap { own in
            best.flatMap { best in zip(own.figures.acceptedPerSecond, best.figures.acceptedPerSecond) { $0 / $1 } }
        }
        let chosen = record.grid.axes.indices.filter { !record.grid.axes[$0].isCondition || !record.grid.hasChoice }
        let keys = chosen.map { record.grid.axes[$0].key }.joined(separator: " · ")
        return [
            HTMLPage.Tile(
                name: "Recommended",
                figure: recommended.map { own in .text(chosen.map { own.figures.values[$0] }.joined(separator: " · ")) }
                    ?? .absent("nothing"),
                note: keys),
            HTMLPage.Tile(
                name: "Its accepted/s, median",
                figure: .rate("recommended.acceptedPerSecond", recommended?.figures.acceptedPerSecond),
                note: recommended.map {
                    "\(range($0.figures)) in \(FigureText.count(Int64($0.figures.runs), of: "run"))"
                }
                    ?? ""),
            HTMLPage.Tile(
                name: "Of the best rate",
                figure: share.flatMap { $0.isFinite ? .text("\(decimalText(100 * $0, places: 1))\u{A0}%") : nil }
                    ?? .absent("not known"),
                note: best.map {
                    "\(FigureText.rate($0.figures.acceptedPerSecond)) at \($0.figures.values.joined(separator: " · "))"
                }
                    ?? "no combination is complete"),
            HTMLPage.Tile(
                name: "Runs", figure: .count("runs", Int64(record.runs.count)),
                note: "of \(FigureText.count(Int64(findings.cells.count), of: "combination"))"),
        ]
    }

    private func range(_ cell: SweepCell) -> String {
        "\(FigureText.rate(cell.lowestPerSecond)) to \(FigureText.rate(cell.highestPerSecond))"
    }

    private func zip(_ one: Double?, _ other: Double?, _ join: (Double, Double) -> Double) -> Double? {
        one.flatMap { one in other.map { join(one, $0) } }
    }

    // MARK: - Recommendation

    private func recommendation(_ findings: SweepFindings) -> HTMLPage.Section {
        let uneven = record.ranking(findings).filter { findings.cells[$0].isUneven }
        let unevenNote = uneven.prefix(5).map { cell in
            "\(record.grid.text(ofCell: cell)): its busiest connection wrote "
                + "\(decimalText(findings.cells[cell].busiestConnection ?? 1, places: 2)) averages."
        }
        let more = uneven.count > 5 ? ["\(uneven.count - 5) more combinations are uneven; the table has them."] : []
        return HTMLPage.Section(
            "recommendation", "Recommendation",
            [
                .paragraph(
                    "Recommended is the cheapest combination within 3 % of the best rate that holds the profile's thresholds. "
                        + "Cheapest means the fewest notifications on their way, the product of the values; "
                        + "where values are no numbers, those that stand first."),
                printer.figure(SweepCharts(record: record, findings: findings).leaders), sensitivity(findings),
                uneven.isEmpty ? .nothing : .element("h3", text: "Uneven over connections"),
                .list(unevenNote + more),
            ])
    }

    private func sensitivity(_ findings: SweepFindings) -> Markup {
        var table = HTMLTable(
            "One step from the recommended combination, against its rate",
            [.text("instead"), .number("of its rate"), .number("accepted/s")])
        for (index, neighbor) in findings.sensitivity.enumerated() {
            table.add(
                .text(record.difference(of: neighbor.cell, from: findings.recommended)),
                [
                    .figure(
                        "sensitivity.\(index).share", neighbor.share.flatMap(numberText),
                        neighbor.share.map(ChartUnit.share.text) ?? "", absent: "not known"),
                    .rate("cells.\(neighbor.cell).acceptedPerSecond", findings.cells[neighbor.cell].acceptedPerSecond),
                ])
        }
        return table.markup
    }

    // MARK: - Map and axes

    private func map(_ findings: SweepFindings) -> HTMLPage.Section {
        HTMLPage.Section("map", "Map", [SweepMap(record, findings).map { HeatMap(record, $0).markup } ?? .nothing])
    }

    private func effects(_ findings: SweepFindings) -> HTMLPage.Section {
        let charts = SweepCharts(record: record, findings: findings)
        let drawn = record.grid.axes.indices.prefix(6).map { printer.figure(charts.effect(ofAxis: $0)) }
        var table = HTMLTable(
            "The rate with each value, whatever the other axes are, against the mean of all combinations",
            [.text("key"), .text("value"), .number("of the mean")])
        for (index, effect) in findings.effects.enumerated().prefix(Self.rowLimit) {
            table.add(
                .text(effect.key),
                [
                    .text(effect.value),
                    .figure(
                        "effects.\(index).share", effect.share.flatMap(numberText),
                        effect.share.map(ChartUnit.share.text) ?? "", absent: "no complete combination"),
                ])
        }
        return HTMLPage.Section(
            "axes", "What each axis does",
            drawn + [table.isEmpty ? .nothing : .folded("The shares as a table", [table.markup])])
    }

    // MARK: - Combinations

    private func combinations(_ findings: SweepFindings) -> HTMLPage.Section {
        let ranking = record.ranking(findings)
        let more = ranking.count - Self.rowLimit
        let others = Self.others.filter { column in findings.cells.contains { column.value($0) != nil } }
        let columns: [HTMLTable.Column] =
            [.number("rank")] + record.grid.axes.map { .text($0.key) }
            + [
                .number("runs"), .number("accepted/s"), .number("lowest"), .number("highest"), .text("remarks"),
                .text("limit"),
            ] + others.map { .number($0.title) }
        var table = HTMLTable("All combinations, the fastest first", columns)
        for (rank, index) in ranking.prefix(Self.rowLimit).enumerated() {
            table.add(.text("\(rank + 1)"), cells(of: index, findings, others))
        }
        return HTMLPage.Section(
            "combinations", "Combinations",
            [
                .paragraph(
                    "Accepted/s is the median of a combination's runs, lowest and highest are their range. A combination of which a run "
                        + "did not finish has no rate. The repeated runs of all combinations scatter by "
                        + "\(percentText(findings.scatter))."),
                table.markup,
                more > 0 ? .paragraph("\(FigureText.count(Int64(more))) slower ones are in the record.") : .nothing,
                troubles.isEmpty ? .nothing : .element("h3", text: "What went wrong"), .list(troubles),
            ])
    }

    /// A column that is there if any combination has a figure for it.
    private struct Column {
        var name: String
        var title: String
        var value: (SweepCell) -> Double?
        var text: (Double) -> String
    }

    private static var others: [Column] {
        [
            Column(name: "residenceP99Ns", title: "residence p99", value: \.residenceP99Ns) {
                MetricUnit.time.text($0)
            },
            Column(name: "responseP99Ns", title: "response p99", value: \.responseP99Ns) { MetricUnit.time.text($0) },
            Column(name: "senderCPUPerNotificationNs", title: "CPU each", value: \.senderCPUPerNotificationNs) {
                MetricUnit.time.text($0)
            },
            Column(
                name: "senderPeakRSSBytes", title: "sender memory",
                value: { $0.runs > 0 ? Double($0.senderPeakRSSBytes) : nil }
            ) { MetricUnit.size.text($0) },
            Column(
                name: "simulatorPeakRSSBytes", title: "target memory",
                value: { $0.simulatorPeakRSSBytes.map(Double.init) }
            ) { MetricUnit.size.text($0) },
            Column(name: "inFlightAtErrorP50", title: "in flight at error", value: \.inFlightAtErrorP50) {
                MetricUnit.count.text($0)
            },
            Column(name: "resentPerReconnect", title: "resent per reconnect", value: \.resentPerReconnect) {
                MetricUnit.count.text($0)
            },
            Column(name: "lostPerReconnect", title: "throughput lost each", value: \.lostPerReconnect) {
                MetricUnit.count.text($0)
            },
            Column(name: "busiestConnection", title: "busiest", value: \.busiestConnection) {
                decimalText($0, places: 2)
            },
        ]
    }

    private func cells(of index: Int, _ findings: SweepFindings, _ others: [Column]) -> [Markup] {
        let cell = findings.cells[index]
        func figure(_ name: String, _ value: Double?, _ text: String) -> Markup {
            .figure("cells.\(index).\(name)", value.flatMap(numberText), text, absent: FigureText.missing)
        }
        let remarks = record.remarks(on: index, findings).map { remark in
            RunPage.word("\(remark.sign) \(remark.text)", remark.mood)
        }
        let rates = [
            ("acceptedPerSecond", cell.acceptedPerSecond), ("lowestPerSecond", cell.lowestPerSecond),
            ("highestPerSecond", cell.highestPerSecond),
        ]
        return cell.values.map { .text($0) } + [.count("cells.\(index).runs", Int64(cell.runs))]
            + rates.map { figure($0, $1, FigureText.rate($1)) }
            + [
                .joined(remarks.enumerated().flatMap { $0 == 0 ? [$1] : [.text(", "), $1] }),
                cell.limit.map { .text($0.rawValue) } ?? .absent(FigureText.missing),
            ]
            + others.map { column in figure(column.name, column.value(cell), column.value(cell).map(column.text) ?? "")
            }
    }

    /// Why runs did not pass, for each combination the first reasons.
    private var troubles: [String] {
        let troubles = record.troubles
        let shown = troubles.prefix(20).map { trouble in
            "\(record.grid.text(ofCell: trouble.cell)): "
                + "\(FigureText.count(Int64(trouble.count), of: "run")) did not pass, first: \(shortened(trouble.reason, 300))"
        }
        return shown
            + (troubles.count > 20 ? ["\(troubles.count - 20) more combinations had runs that did not pass."] : [])
    }

    // MARK: - Runs

    private var runs: HTMLPage.Section {
        var table = HTMLTable(
            "The runs in the order in which they were made",
            [.number("run")] + record.grid.axes.map { .text($0.key) }
                + [.text("ended"), .number("accepted/s"), .number("reconnects"), .text("limit"), .text("why")])
        for (index, run) in record.runs.enumerated().prefix(Self.rowLimit) {
            table.add(
                .text("\(index + 1)"),
                record.grid.values(ofCell: run.cell).map { .text($0) } + [
                    RunPage.word(run.status.rawValue, run.status.mood),
                    .figure(
                        "runs.\(index).acceptedPerSecond", run.acceptedPerSecond.flatMap(numberText),
                        FigureText.rate(run.acceptedPerSecond), absent: run.isComplete ? "not measured" : "incomplete"),
                    .count("runs.\(index).reconnects", run.reconnects),
                    run.limit.map { .text($0.rawValue) } ?? .absent("not known"),
                    .text(shortened(run.reasons.joined(separator: "; "), 300)),
                ])
        }
        let more = record.runs.count - Self.rowLimit
        return HTMLPage.Section(
            "runs", "Runs",
            [
                table.isEmpty
                    ? .paragraph("No run was made.")
                    : .folded(
                        "\(FigureText.count(Int64(record.runs.count), of: "run")) in their order",
                        [
                            table.markup,
                            more > 0
                                ? .paragraph("\(FigureText.count(Int64(more))) more are in the record.") : .nothing,
                        ]),
                .list(method, class: "origin"),
            ])
    }

    private var method: [String] {
        [
            "Each round runs the combinations in an order of its own, which the seed \(record.seed) decides, at most "
                + "\(FigureText.count(Int64(record.repeats), of: "time")) each, every run with a fresh simulator.",
            record.isRace
                ? "Combinations that are clearly behind, by three standard deviations of what all repeated runs scatter, are given up "
                    + "after a round."
                : "All combinations are run as often.",
        ] + (record.budgetNs.map { ["The sweep was given \(Interval(nanoseconds: $0))."] } ?? [])
    }

    private var machine: HTMLPage.Section {
        HTMLPage.Section(
            "machine", "Machine",
            [
                RunPage.machine(record.machine, record.tool),
                record.profileHash.isEmpty
                    ? .nothing : .paragraph("Profile hash \(record.profileHash).", class: "origin"),
            ])
    }
}
