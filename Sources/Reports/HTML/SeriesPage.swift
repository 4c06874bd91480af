import Analysis
import Primitives
import RunRecords
import Statistics

/// The page of several runs of one profile: how each ended, and how far their figures scatter.
struct SeriesPage {
    let series: RunSeriesRecord
    let printer: ChartPrinter

    private var runs: [RunRecord] { series.runs }

    var page: HTMLPage {
        let first = runs.first ?? RunRecord()
        let passed = runs.count { $0.verdict.status == .passed }
        let sections = [
            summary, spread, rates, latencies, thresholds,
            HTMLPage.Section("machine", "Machine", [RunPage.machine(first.machine, first.tool)]),
            RunPage.configuration(first),
        ]
        return HTMLPage(
            kind: "pushbench · several runs", name: first.name,
            verdict: "\(passed) of \(runs.count) runs passed", mood: series.verdict.status.mood,
            reasons: series.verdict.reasons, origin: RunPage.origin(first), tiles: tiles, notice: printer.obstacle,
            sections: sections.filter { !$0.content.isEmpty })
    }

    /// The rate and, where there is one, the latency that most readers look for, each by its median and how far it scatters.
    private var tiles: [HTMLPage.Tile] {
        let latencies = ["response", "service", "errorReply", "residence"].map { series in
            Metric.latency(series: series, .quantile(0.99))
        }
        let first = latencies.first { metric in runs.contains { metric.comparableValue(in: $0) != nil } }
        return ([Metric.plain(.acceptedPerSecond), .plain(.lost)] + (first.map { [$0] } ?? [])).compactMap { metric in
            let values = runs.compactMap(metric.comparableValue)
            guard let middle = median(values), let least = values.min(), let most = values.max() else { return nil }
            let ends = [least, most].map { FigureText.value($0, metric.unit) }
            return HTMLPage.Tile(
                name: "\(metric.name), median",
                figure: .figure(
                    "median.\(metric.name)", numberText(middle), FigureText.value(middle, metric.unit)),
                note: "\(ends[0]) to \(ends[1]) in \(values.count) runs")
        }
    }

    private var summary: HTMLPage.Section {
        var table = HTMLTable(
            "The runs in the order in which they were made",
            [
                .number("run"), .text("began"), .text("verdict"), .number("accepted/s"), .number("accepted"),
                .number("rejected"),
                .number("lost"), .number("unknown"), .number("unsent"), .number("duplicates"), .number("reconnects"),
                .text("limit"),
            ])
        for (index, run) in runs.enumerated().prefix(Self.rowLimit) {
            let name = { (figure: String) in "runs.\(index).\(figure)" }
            table.add(
                .text("\(index + 1)"),
                [
                    .text(began(run)), RunPage.word(run.verdict.status.rawValue, run.verdict.status.mood),
                    .rate(name("accepted/s"), run.throughput.acceptedPerSecond),
                    .count(name("accepted"), run.ledger.accepted),
                    .count(name("rejected"), run.ledger.rejected), .count(name("lost"), run.ledger.lost),
                    .count(name("unknown"), run.ledger.unknown), .count(name("unsent"), run.ledger.unsent),
                    .count(name("duplicates"), run.ledger.duplicates), .count(name("reconnects"), run.reconnects.count),
                    run.limit.map { .text($0.kind.rawValue) } ?? .absent("not known"),
                ])
        }
        let more = runs.count - Self.rowLimit
        return HTMLPage.Section(
            "runs", "Runs",
            [
                differing,
                printer.figure(
                    RunCharts.values(.plain(.acceptedPerSecond), [("", runs.map(\.throughput.acceptedPerSecond))])),
                table.markup, more > 0 ? .paragraph("\(more) more runs are in the record.") : .nothing,
                .paragraph("A run's own page: pushbench report RECORD --run NUMBER -o html=PATH.", class: "origin"),
            ])
    }

    private static let rowLimit = 200

    /// When a run began; the time alone where all runs began on one day.
    private func began(_ run: RunRecord) -> String {
        let days = Set(runs.map { $0.startedAt.prefix { $0 != "T" } })
        guard days.count == 1, let mark = run.startedAt.firstIndex(of: "T") else { return run.startedAt }
        return String(run.startedAt[mark...].dropFirst())
    }

    private var differing: Markup {
        let hashes = Set(runs.map(\.profileHash))
        return hashes.count < 2 ? .nothing : Markup.note(["The runs have \(hashes.count) different profiles."])
    }

    private var spread: HTMLPage.Section {
        HTMLPage.Section(
            "spread", "Spread",
            [HTMLTable("How far the figures of the runs scatter", SeriesSummary.spread(of: runs)).markup])
    }

    private var rates: HTMLPage.Section {
        HTMLPage.Section("time", "Over time", [printer.figure(RunCharts.rates(runs))])
    }

    private var latencies: HTMLPage.Section {
        var table = HTMLTable(
            "Quantiles of each run",
            [
                .number("run"), .text("series"), .number("count"), .number("p50"), .number("p99"), .number("p99.9"),
                .number("max"),
            ])
        let names = ["response", "service", "responseBound", "serviceBound", "residence", "errorReply"]
        for name in names {
            for (index, run) in runs.enumerated().prefix(Self.rowLimit / 2) {
                guard let series = run.latency[name], series.count > 0 else { continue }
                let figure = { (part: String) in "runs.\(index).\(name).\(part)" }
                table.add(
                    .text("\(index + 1)"),
                    [
                        .text(name), .count(figure("count"), series.count), .time(figure("p50"), series.quantiles.p50),
                        .time(figure("p99"), series.quantiles.p99, absent: "too few"),
                        .time(figure("p99.9"), series.quantiles.p999, absent: "too few"),
                        .time(figure("max"), series.maxNs),
                    ])
            }
        }
        return HTMLPage.Section(
            "latency", "Latency",
            [
                printer.figure(RunCharts.latencies(runs)),
                table.isEmpty
                    ? .paragraph("No samples: no run timed any notification.")
                    : .folded("Quantiles of each run", [table.markup]),
            ])
    }

    private var thresholds: HTMLPage.Section {
        var table = HTMLTable(
            "Thresholds in all runs",
            [.text("threshold"), .text("outcome"), .number("held"), .number("lowest"), .number("highest")])
        for outcome in (runs.first?.thresholds ?? []) {
            let all = runs.compactMap { run in run.thresholds.first { $0.text == outcome.text } }
            let held = all.count(where: \.passed)
            let unit = (try? Threshold(outcome.text))?.metric.unit
            let shown = { (value: Double?) -> Markup in
                guard let value else { return .absent("no data") }
                return .text(unit?.text(value) ?? numberText(value) ?? FigureText.missing)
            }
            table.add(
                .text(outcome.text),
                [
                    RunPage.word(held == runs.count ? "✓ holds" : "✕ FAILED", held == runs.count ? .good : .bad),
                    .text("\(held) of \(runs.count)"), shown(all.compactMap(\.value).min()),
                    shown(all.compactMap(\.value).max()),
                ])
        }
        return HTMLPage.Section("thresholds", "Thresholds", [table.markup])
    }
}
