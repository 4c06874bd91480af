import Analysis
import Primitives
import RunRecords

/// The page of a search for a capacity: the rate with its bracket, every try, and what says that it held or did not.
struct CapacityPage {
    let record: CapacityRecord
    let printer: ChartPrinter

    private var charts: CapacityCharts { CapacityCharts(record: record) }

    var page: HTMLPage {
        let last = record.probes.last?.run
        let sections =
            [result, tries, backlog, limits]
            + (last.map { run in
                [
                    HTMLPage.Section("machine", "Machine", [RunPage.machine(run.machine, run.tool)]),
                    RunPage.configuration(run),
                ]
            } ?? [])
        return HTMLPage(
            kind: "pushbench · capacity", name: record.profileName, verdict: verdict, mood: record.verdict.status.mood,
            reasons: record.verdict.reasons, origin: record.probes.first.map { RunPage.origin($0.run) } ?? [],
            tiles: tiles, notice: printer.obstacle, sections: sections.filter { !$0.content.isEmpty })
    }

    private var verdict: String { record.result.prefix(1).uppercased() + record.result.dropFirst() }

    // MARK: - At first sight

    private var tiles: [HTMLPage.Tile] {
        guard let finding = record.finding else { return [triesTile] }
        let holds =
            switch finding.kind {
            case .found where finding.isConfirmed == true: "confirmed by the long try"
            case .found: "NOT confirmed by the long try"
            case .atLeast: "the highest rate that was allowed held"
            case .generatorLimited: "holds; the target's own limit lies above"
            case .nothingHolds, .stopped: ""
            }
        let edge = charts.edges.map { record.probes[$0] }.last { $0.outcome != .holds }
        let fails = finding.kind == .generatorLimited ? "Not generated" : "Fails"
        return [
            HTMLPage.Tile(
                name: finding.kind == .atLeast ? "Sustainable, at least" : "Sustainable",
                figure: .figure(
                    "finding.sustainablePerSecond", finding.sustainablePerSecond.flatMap(numberText),
                    FigureText.rate(finding.sustainablePerSecond), absent: "none"),
                note: holds),
            HTMLPage.Tile(
                name: fails,
                figure: .figure(
                    "finding.failingPerSecond", finding.failingPerSecond.flatMap(numberText),
                    FigureText.rate(finding.failingPerSecond), absent: "nothing failed"),
                note: edge.flatMap(\.reasons.first).map { shortened($0, 120) } ?? ""),
        ] + (latencyTile.map { [$0] } ?? []) + [triesTile]
    }

    private var latencyTile: HTMLPage.Tile? {
        guard let (metric, bound) = charts.metric,
            let index = charts.edges.first(where: { record.probes[$0].outcome == .holds })
        else { return nil }
        let value = metric.value(in: record.probes[index].run)
        return HTMLPage.Tile(
            name: "\(metric.name) where it holds",
            figure: .figure(
                "probes.\(index).\(metric.name)", value.flatMap(numberText), FigureText.value(value, .time),
                absent: "too few"),
            note: bound.map { "asked for: \(FigureText.value($0, .time))" } ?? "nothing was asked about it")
    }

    private var triesTile: HTMLPage.Tile {
        let counts = CapacitySearch.Outcome.allCases.compactMap { outcome -> String? in
            let count = record.probes.count { $0.outcome == outcome }
            return count > 0 ? "\(count) \(outcome.words)" : nil
        }
        return HTMLPage.Tile(
            name: "Tries", figure: .count("probes", Int64(record.probes.count)), note: counts.joined(separator: ", "))
    }

    // MARK: - Result

    private var result: HTMLPage.Section {
        var facts = [LabelledText(label: "asked", items: [record.asked], separator: "; ")]
        if let finding = record.finding, let low = finding.sustainablePerSecond, let high = finding.failingPerSecond,
            low > 0
        {
            facts.append(
                LabelledText(
                    label: "bracket",
                    items: [
                        "\(FigureText.rate(low)) holds",
                        "\(FigureText.rate(high)) \(finding.kind == .generatorLimited ? "is not generated" : "fails")",
                        "\(percentText(high / low - 1)) apart, \(percentText(record.tolerance)) was asked for",
                    ]))
        }
        facts.append(LabelledText(label: "holds", items: [Self.rule]))
        if let text = record.kneeText { facts.append(LabelledText(label: "knee", items: [String(text.dropFirst(6))])) }
        if let noise = record.noise { facts.append(LabelledText(label: "noise", items: [String(noise.dropFirst(7))])) }
        return HTMLPage.Section("result", "Result", [RunPage.facts(facts)])
    }

    private static let rule =
        "a rate of which 99 % was answered, nothing was lost, what was not yet answered did not grow, and each condition held; "
        + "conditions on quantiles by Wilson's interval of the share that is within the bound"

    // MARK: - Tries

    private static let rowLimit = 200

    private var tries: HTMLPage.Section {
        let latency = record.latencySeries
        let name = latency ?? "latency"
        var table = HTMLTable(
            "Every try in its order",
            [
                .number("try"), .text("why"), .number("asked for"), .number("offered"), .number("answered"),
                .number("\(name) p50"), .number("p99"), .number("p99.9"), .number("errors"), .number("lost"),
                .number("in flight"), .text("outcome"),
            ], keepsLast: true)
        for (index, probe) in record.probes.enumerated().prefix(Self.rowLimit) {
            table.add(.text("\(index + 1)"), cells(of: probe, index, latency))
        }
        let reasons = record.probes.enumerated().filter { !$1.reasons.isEmpty }.prefix(Self.rowLimit).map {
            index, probe in
            "Try \(index + 1), \(FigureText.rate(probe.ratePerSecond)), \(probe.outcome.words): "
                + shortened(probe.reasons.joined(separator: "; "), 500)
        }
        let stages = CapacitySearch.Stage.allCases.filter { stage in record.probes.contains { $0.stage == stage } }
        return HTMLPage.Section(
            "tries", "Tries",
            [
                printer.figure(charts.rates), printer.figure(charts.latencies), table.markup,
                table.isEmpty ? .paragraph("No try was made.") : .nothing,
                .list(stages.map { "\($0.rawValue): \($0.meaning)" }, class: "origin"),
                reasons.isEmpty
                    ? .nothing : .joined([.element("h3", text: "What the tries said"), .list(reasons)]),
                table.isEmpty
                    ? .nothing
                    : .paragraph(
                        "A try's own page: pushbench report RECORD --run NUMBER -o html=PATH.", class: "origin"),
            ])
    }

    private func cells(of probe: ProbeRecord, _ index: Int, _ latency: String?) -> [Markup] {
        let name = { (figure: String) in "probes.\(index).\(figure)" }
        let quantiles = latency.flatMap { probe.run.latency[$0] }?.quantiles
        func rate(_ figure: String, _ value: Double?) -> Markup {
            .figure(
                name(figure), value.flatMap(numberText), value.map { FigureText.count(Int64($0.rounded())) } ?? "",
                absent: "not known")
        }
        func time(_ figure: String, _ value: Int64?) -> Markup { .time(name(figure), value, absent: "-") }
        return [
            .text(probe.stage.rawValue), rate("ratePerSecond", probe.ratePerSecond),
            rate("offeredPerSecond", probe.offeredPerSecond), rate("answeredPerSecond", probe.answeredPerSecond),
            time("p50", quantiles?.p50), time("p99", quantiles?.p99), time("p99.9", quantiles?.p999),
            .count(name("errors"), probe.errors), .count(name("lost"), probe.run.ledger.lost),
            .figure(
                name("inFlight"), probe.inFlight.flatMap(numberText), FigureText.value(probe.inFlight, .count),
                absent: "-"),
            RunPage.word(probe.outcome.sign, probe.outcome.mood),
        ]
    }

    // MARK: - Evidence

    private var backlog: HTMLPage.Section {
        HTMLPage.Section("backlog", "Backlog", [printer.figure(charts.backlogs)])
    }

    private var limits: HTMLPage.Section {
        var table = HTMLTable(
            "What bound each try",
            [
                .number("try"), .number("offered"), .text("limit"), .number("sender busy"), .number("target busy"),
                .text("evidence"),
            ])
        for (index, probe) in record.probes.enumerated().prefix(Self.rowLimit) {
            let limit = probe.run.limit
            let name = { (figure: String) in "probes.\(index).\(figure)" }
            func share(_ figure: String, _ value: Double?) -> Markup {
                .figure(
                    name(figure), value.flatMap(numberText), value.map(ChartUnit.share.text) ?? "", absent: "not known")
            }
            table.add(
                .text("\(index + 1)"),
                [
                    .rate(name("offeredPerSecond"), probe.offeredPerSecond),
                    limit.map { .text($0.kind.rawValue) } ?? .absent("not known"),
                    share("senderBusy", limit?.senderBusy), share("simulatorBusy", limit?.simulatorBusy),
                    .text(limit?.evidence ?? ""),
                ])
        }
        return HTMLPage.Section("limits", "Limits", [table.markup])
    }
}
