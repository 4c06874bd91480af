import Primitives
import RunRecords

/// Rates and latencies of a run.
extension RunPage {
    // MARK: - Over time

    var rates: HTMLPage.Section {
        let charts = TimeCharts(record)
        var content = [printer.figure(charts?.rates), printer.figure(charts?.residence)]
        if charts == nil {
            let length = record.intervals.first.map { " of \(FigureText.time($0.lengthNs))" } ?? ""
            content.append(
                .paragraph(
                    record.intervals.isEmpty
                        ? "No samples: the run ended before its first interval."
                        : "The run has one interval\(length), so nothing can be told over time; a longer run has one for each second."
                ))
        }
        return HTMLPage.Section("time", "Over time", content + [intervals])
    }

    private var intervals: Markup {
        let joined = IntervalGroups(record.intervals, limit: 120)
        var table = HTMLTable(
            "What happened in each interval. \(joined.remark)",
            [
                .number("from"), .number("length"), .number("accepted/s"), .number("accepted"), .number("written"),
                .number("rejected"), .number("resent"), .number("reconnects"), .number("residence p50"), .number("p99"),
            ])
        for (index, group) in joined.groups.enumerated() {
            let name = { (figure: String) in "intervals.\(index).\(figure)" }
            table.add(
                .text(group.startNs == 0 ? "0 s" : FigureText.time(group.startNs)),
                [
                    .time(name("lengthNs"), group.lengthNs),
                    .rate(name("acceptedPerSecond"), group.perSecond(group.accepted)),
                    .count(name("accepted"), group.accepted), .count(name("written"), group.written),
                    .count(name("rejected"), group.rejected), .count(name("resent"), group.resent),
                    .count(name("reconnects"), group.reconnects),
                    .time(name("residenceP50Ns"), group.residenceP50Ns, absent: "no samples"),
                    .time(name("residenceP99Ns"), group.residenceP99Ns, absent: "no samples"),
                ])
        }
        guard !table.isEmpty else { return .nothing }
        let count = record.intervals.count
        let heading =
            count == 1 ? "The one interval as a table" : "The \(FigureText.count(Int64(count))) intervals as a table"
        return .folded(joined.size == 1 ? heading : heading + ", \(joined.size) joined in each row", [table.markup])
    }

    // MARK: - Latency

    var latencies: HTMLPage.Section {
        HTMLPage.Section(
            "latency", "Latency",
            [
                printer.figure(LatencyChart(record)?.chart),
                Self.latencies(record.latency, unmeasured: record.unmeasured ?? [:]),
            ]
                + phases + [missing])
    }

    /// All series with their quantiles, then those that have no samples, with the reason.
    private static func latencies(
        _ latency: [String: LatencyRecord], unmeasured: [String: String], phase: String? = nil
    ) -> Markup {
        let present = Metric.ordered(latency.keys)
        // A gateway may make up reasons without end.
        let shown = present.prefix(100)
        var table = HTMLTable(
            phase.map { "Latencies of the phase \($0)" } ?? "Latencies of the measured part",
            [
                .text("series"), .number("count"), .number("min"), .number("p50"), .number("p90"), .number("p99"),
                .number("p99.9"),
                .number("max"),
            ])
        for name in shown {
            guard let series = latency[name], series.count > 0 else { continue }
            let figure = { (part: String) in phase.map { "\($0)/\(name).\(part)" } ?? "\(name).\(part)" }
            let quantiles = series.quantiles
            table.add(
                .joined([.text(name), marks(series)]),
                [
                    .count(figure("count"), series.count), .time(figure("min"), series.minNs),
                    .time(figure("p50"), series.quantiles.p50),
                    .time(figure("p90"), quantiles.p90, absent: "too few"),
                    .time(figure("p99"), quantiles.p99, absent: "too few"),
                    .time(figure("p99.9"), quantiles.p999, absent: "too few"), .time(figure("max"), series.maxNs),
                ])
        }
        for name in Metric.ordered(Set(shown).union(unmeasured.keys.filter { Metric.seriesNames.contains($0) }))
        where (latency[name]?.count ?? 0) == 0 {
            table.add(.text(name), across: .absent("no samples" + (unmeasured[name].map { ": \($0)" } ?? "")))
        }
        let more = present.count - shown.count
        guard !table.isEmpty else { return .paragraph("No samples: the record has no latencies.") }
        return .joined([table.markup, more > 0 ? .paragraph("\(more) more series are in the record.") : .nothing])
    }

    /// What a series' values are, where they are not what its name says of each notification.
    private static func marks(_ series: LatencyRecord) -> Markup {
        var marks: [String] = []
        if let bound = series.bound { marks.append("\(bound) bounds") }
        if let share = series.sampledOneOf { marks.append("1 of \(FigureText.count(share)) timed") }
        if let censored = series.censored, censored > 0 {
            marks.append("\(FigureText.count(censored)) unanswered at the end")
        }
        if series.overflowCount > 0 { marks.append("\(FigureText.count(series.overflowCount)) beyond the range") }
        return marks.isEmpty ? .nothing : .joined([.text(" "), .element("small", text: marks.joined(separator: ", "))])
    }

    private var phases: [Markup] {
        (record.phases ?? []).prefix(8).compactMap { phase in
            guard phase.latency.values.contains(where: { $0.count > 0 }) else { return nil }
            return .folded(
                "Latencies of the phase \(phase.name), which are in none of these figures",
                [Self.latencies(phase.latency, unmeasured: [:], phase: phase.name)])
        }
    }

    /// Figures without a value that are no series.
    private var missing: Markup {
        let others = (record.unmeasured ?? [:]).filter { !Metric.seriesNames.contains($0.key) }.sorted {
            $0.key < $1.key
        }
        guard !others.isEmpty else { return .nothing }
        return .joined([
            .element("h3", text: "Not measured, and why"),
            .list(others.prefix(100).map { "\($0.key): \($0.value)" }),
        ])
    }
}
