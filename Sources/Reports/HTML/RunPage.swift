import Analysis
import Primitives
import RunRecords

/// The page of one run: how it ended, what came of it, and how far that can be trusted.
struct RunPage {
    let record: RunRecord
    let printer: ChartPrinter

    var page: HTMLPage {
        let sections = [
            summary, thresholds, rates, latencies, ledger, errors, reconnects, connections, resources, machine,
            configuration,
        ]
        return HTMLPage(
            kind: "pushbench · one run", name: record.name, verdict: record.verdict.status.title,
            mood: record.verdict.status.mood, reasons: record.verdict.reasons, origin: Self.origin(record),
            tiles: tiles, notice: printer.obstacle, sections: sections.filter { !$0.content.isEmpty })
    }

    /// When, with what and on what.
    static func origin(_ record: RunRecord) -> [String] {
        [
            record.startedAt,
            "pushbench \(record.tool.version)" + (record.tool.build.isEmpty ? "" : " (\(record.tool.build))"),
            "\(record.machine.cpuModel), \(record.machine.cores) cores", record.machine.os,
        ].filter { !$0.isEmpty }
    }

    // MARK: - At first sight

    private var tiles: [HTMLPage.Tile] {
        let summary = RunSummary(record, style: .plain)
        let share = summary.pipeShare.map { "\($0) % of what TLS alone can do here" }
        let ledger = record.ledger
        let others = [
            ("rejected", ledger.rejected), ("lost", ledger.lost), ("unknown", ledger.unknown),
            ("unsent", ledger.unsent),
        ]
        .map { "\(FigureText.count($0.1)) \($0.0)" as String }.joined(separator: ", ")
        let headroom = summary.facts.first { $0.label == "headroom" }?.items.first ?? ""
        return [
            HTMLPage.Tile(
                name: "Accepted per second" + (record.throughput.acceptedBound == nil ? "" : ", at least"),
                figure: .rate("accepted/s", record.throughput.acceptedPerSecond),
                note: record.throughput.acceptedPerSecond == nil ? record.unmeasured?["accepted/s"] ?? "" : share ?? ""),
            HTMLPage.Tile(
                name: "Accepted", figure: .count("accepted", ledger.accepted),
                note: "of \(FigureText.count(ledger.generated)): \(others)"),
            latencyTile,
            HTMLPage.Tile(
                name: "Limit", figure: record.limit.map { .text($0.kind.rawValue) } ?? .absent("not known"),
                note: headroom),
        ]
    }

    private var latencyTile: HTMLPage.Tile {
        let names = ["response", "service", "responseBound", "serviceBound", "residence"]
        guard let name = names.first(where: { (record.latency[$0]?.count ?? 0) > 0 }), let series = record.latency[name]
        else {
            return HTMLPage.Tile(
                name: "Latency", figure: .absent("no samples"),
                note: record.unmeasured?["service"] ?? record.unmeasured?["residence"] ?? "")
        }
        let (label, value) = series.quantiles.p99.map { ("p99", $0) } ?? ("p50", series.quantiles.p50 ?? 0)
        let note =
            (label == "p50" ? "" : "p50 \(FigureText.time(series.quantiles.p50)), ")
            + "longest \(FigureText.time(series.maxNs))"
        return HTMLPage.Tile(name: "\(name) \(label)", figure: .time("\(name).\(label)", value), note: note)
    }

    // MARK: - Summary

    private var summary: HTMLPage.Section {
        let broken = record.brokenInvariants ?? []
        return HTMLPage.Section(
            "summary", "Summary",
            [
                .note(broken), .note(record.warnings ?? []),
                Self.facts(RunSummary(record, style: .plain).facts),
            ])
    }

    /// Labels and what they are about.
    static func facts(_ facts: [LabelledText]) -> Markup {
        var parts: [Markup] = []
        for fact in facts where !fact.items.isEmpty {
            if !fact.label.isEmpty { parts.append(.element("dt", text: fact.label)) }
            // A number and its percent sign stay together.
            parts.append(.element("dd", text: fact.text.replacing(" %", with: "\u{A0}%")))
        }
        return parts.isEmpty ? .nothing : .element("dl", ["class": "facts"], parts)
    }

    // MARK: - Thresholds

    private var thresholds: HTMLPage.Section {
        HTMLPage.Section(
            "thresholds", "Thresholds",
            [
                Self.thresholds(record.thresholds) { outcome in
                    let unit = (try? Threshold(outcome.text))?.metric.unit
                    return outcome.value.flatMap { value in unit.map { $0.text(value) } ?? numberText(value) }
                }
            ])
    }

    /// The outcomes of thresholds; nothing without any.
    static func thresholds(_ outcomes: [ThresholdRecord], _ text: (ThresholdRecord) -> String?) -> Markup {
        var table = HTMLTable(
            "Thresholds and what became of them", [.text("threshold"), .text("outcome"), .number("value")],
            hidesCaption: true)
        for outcome in outcomes {
            table.add(
                .text(outcome.text),
                [
                    Self.word(outcome.passed ? "✓ holds" : "✕ FAILED", outcome.passed ? .good : .bad),
                    .figure(outcome.text, outcome.value.flatMap(numberText), text(outcome) ?? "", absent: "no data"),
                ])
        }
        return table.markup
    }

    /// A word of judgement, which stands out if it is good or bad news.
    static func word(_ text: String, _ mood: HTMLPage.Mood?) -> Markup {
        mood.map { .element("span", ["class": "word \($0.rawValue)"], text: text) } ?? .text(text)
    }
}

extension LabelledText {
    /// The items as one text.
    var text: String { items.joined(separator: separator) }
}

extension VerdictRecord.Status {
    /// Whether the end is good news.
    var mood: HTMLPage.Mood {
        switch self {
        case .passed: .good
        case .failed, .unreachable, .internalError: .bad
        case .running, .inconclusive, .generatorLimited, .scheduleMissed, .interrupted: .caution
        }
    }
}
