import Analysis
import Primitives
import RunRecords
import Statistics

/// The page of a comparison: the verdict with its evidence, figure by figure.
struct ComparisonPage {
    let comparison: Comparison
    let printer: ChartPrinter

    var page: HTMLPage {
        let sections = [changes, thresholds, values, method, sides]
        let labels = "\(comparison.candidate.label) against \(comparison.base.label)"
        // What was typed to make the runs is no title.
        let isShort = labels.count <= Self.titleLimit
        return HTMLPage(
            kind: "pushbench · comparison", name: isShort ? labels : "Candidate against baseline",
            verdict: comparison.title, mood: mood, reasons: comparison.verdict.reasons,
            origin: [
                isShort ? "" : labels,
                comparison.candidate.startedAt, "\(comparison.base.runs) runs against \(comparison.candidate.runs)",
            ]
            .filter { !$0.isEmpty },
            tiles: comparison.gating.prefix(4).map(tile), notice: printer.obstacle,
            sections: sections.filter { !$0.content.isEmpty })
    }

    private static let titleLimit = 60

    private var mood: HTMLPage.Mood {
        if comparison.verdict.exitCode == 3 { return .bad }
        return switch comparison.verdict.status {
        case .regressed: .bad
        case .improved, .equivalent: .good
        // What was seen once and not again is nothing to be glad of.
        case .noEvidence: comparison.verdict.exitCode == 0 && comparison.confirmation == nil ? .good : .caution
        case .inconclusive: .caution
        }
    }

    private func tile(_ figure: MetricComparison) -> HTMLPage.Tile {
        let cells = comparison.cells(of: figure)
        let interval = cells[4] == FigureText.missing ? "" : "\(comparison.columns[4]) \(cells[4]) %; "
        return HTMLPage.Tile(
            name: figure.name, figure: .figure("\(figure.name).ratio", figure.ratio.flatMap(numberText), cells[3]),
            note: "\(interval)\(cells[1]) became \(cells[2])")
    }

    // MARK: - Changes

    private var changes: HTMLPage.Section {
        let others = comparison.metrics.filter { !$0.isGating }
        let changed = others.filter { [.regressed, .improved].contains($0.verdict) }
        let rest = others.filter { figure in !changed.contains { $0.name == figure.name } }
        return HTMLPage.Section(
            "changes", "Changes",
            [
                Markup.note(comparison.obstacles),
                printer.figure(ForestChart(comparison)?.chart), table("Figures that decide", comparison.gating),
                .list(comparison.gating.map(words)), table("Figures that inform and changed", changed),
                rest.isEmpty
                    ? .nothing
                    : .folded(
                        "\(rest.count) figures that inform and show no change", [table("Figures that inform", rest)]),
                confirmation, .list(comparison.remarks, class: "origin"),
            ])
    }

    private func table(_ caption: String, _ figures: [MetricComparison]) -> Markup {
        let names = comparison.columns
        var table = HTMLTable(
            caption, [.text(names[0])] + names[1..<6].map { .number($0) } + [.text("verdict")], keepsLast: true)
        for figure in figures {
            let cells = comparison.cells(of: figure)
            let interval = [figure.ratioLow, figure.ratioHigh].compactMap { $0.flatMap(numberText) }.joined(
                separator: " ")
            table.add(
                .text(figure.name),
                [
                    .figure(
                        "\(figure.name).base", figure.base.median.flatMap(numberText), cells[1], absent: "no samples"),
                    .figure(
                        "\(figure.name).candidate", figure.candidate.median.flatMap(numberText), cells[2],
                        absent: "no samples"),
                    .figure("\(figure.name).ratio", figure.ratio.flatMap(numberText), cells[3], absent: "no ratio"),
                    .figure(
                        "\(figure.name).interval", cells[4] == FigureText.missing ? nil : interval, cells[4],
                        absent: "none"),
                    .figure(
                        "\(figure.name).p", cells[5] == FigureText.missing ? nil : figure.adjustedP.flatMap(numberText),
                        cells[5], absent: "none"),
                    cells[6].isEmpty ? .nothing : RunPage.word(cells[6], mood(of: figure)),
                ])
        }
        return table.markup
    }

    private func mood(of figure: MetricComparison) -> HTMLPage.Mood? {
        guard comparison.obstacles.isEmpty else { return nil }
        return switch figure.verdict {
        case .regressed: .bad
        case .improved: .good
        case .inconclusive: .caution
        case .equivalent, .noEvidence, nil: nil
        }
    }

    /// What a deciding figure says, in a sentence.
    private func words(_ figure: MetricComparison) -> String {
        let meaning =
            switch figure.verdict {
            case .regressed: "it got worse, by more than noise and more than chance explain"
            case .improved: "it got better, by more than noise and more than chance explain"
            case .equivalent: "whatever changed is less than noise"
            case .noEvidence: "nothing is shown either way"
            case .inconclusive: "nothing could have been shown"
            case nil: "it has no better and worse"
            }
        return "\(figure.name): \(meaning)" + (figure.reason.map { "; \($0)" } ?? "") + "."
    }

    private var confirmation: Markup {
        guard let figures = comparison.confirmation else { return .nothing }
        return table("The same of the runs that were made again to confirm it", figures)
    }

    private var thresholds: HTMLPage.Section {
        HTMLPage.Section(
            "thresholds", "Thresholds", [RunPage.thresholds(comparison.thresholds) { $0.value.map(percentText) }])
    }

    // MARK: - Evidence

    private var values: HTMLPage.Section {
        let gating = comparison.gating
        let charts = gating.prefix(3).map { figure in
            printer.figure(
                (try? Metric(figure.name)).flatMap { metric in
                    RunCharts.values(
                        metric, [("baseline", figure.base.values), ("candidate", figure.candidate.values)])
                })
        }
        return HTMLPage.Section("values", "Values of each run", charts + gating.prefix(10).map(list))
    }

    private func list(_ figure: MetricComparison) -> Markup {
        var table = HTMLTable(
            "\(figure.name), one value for each run", [.number("run"), .number("baseline"), .number("candidate")])
        let sides = [figure.base.values, figure.candidate.values]
        for index in 0..<min(200, sides.map(\.count).max() ?? 0) {
            let cells = zip(["base", "candidate"], sides).map { side, values -> Markup in
                guard index < values.count else { return .nothing }
                return .figure(
                    "\(figure.name).\(side).\(index)", values[index].flatMap(numberText),
                    FigureText.value(values[index], figure.unit),
                    absent: "no samples")
            }
            table.add(.text("\(index + 1)"), cells)
        }
        return table.isEmpty ? .nothing : .folded("\(figure.name) as a table", [table.markup])
    }

    private var method: HTMLPage.Section {
        let method = comparison.method
        let confidence = decimalText((1 - method.alpha) * 100, places: 0)
        let design =
            method.order.map { "the runs of both sides took turns (\($0)), so that drift strikes both alike" }
            ?? "each side was run by itself; what drifts between them looks like a change"
        return HTMLPage.Section(
            "method", "Method",
            [
                .list([
                    "Each run is one value of each figure; \(design).",
                    "p: exact rank test of Mann and Whitney, ties included, corrected by Holm for all deciding figures; at most "
                        + "\(decimalText(method.alpha, places: 3)) is asked for.",
                    "Intervals hold the ratio of medians with \(confidence) % confidence, by \(FigureText.count(Int64(method.resamples))) resamples, "
                        + "seed \(method.seed).",
                    "A figure regressed or improved when p is small enough, the interval does not touch zero, and the change is no smaller "
                        + "than noise.",
                ])
            ])
    }

    private var sides: HTMLPage.Section {
        HTMLPage.Section(
            "sides", "Baseline and candidate",
            [("Baseline", comparison.base), ("Candidate", comparison.candidate)].flatMap { name, side in
                [
                    Markup.element("h3", text: "\(name): \(side.label)"),
                    RunPage.facts([
                        LabelledText(label: "runs", items: ["\(side.runs)", "from \(side.startedAt)"]),
                        LabelledText(label: "profile", items: [side.profileHash]),
                    ]),
                    RunPage.machine(side.machine, side.tool),
                ]
            })
    }
}
