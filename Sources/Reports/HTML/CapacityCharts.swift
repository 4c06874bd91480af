import Analysis
import Primitives
import RunRecords

/// The charts of a search for a capacity.
struct CapacityCharts {
    let record: CapacityRecord

    /// How a try's outcome is drawn, so that none is told from another by its colour alone.
    static func look(_ outcome: CapacitySearch.Outcome) -> (point: ChartPoint, color: ChartColor) {
        switch outcome {
        case .holds: (.circle, .good)
        case .fails: (.cross, .bad)
        case .undecided: (.openCircle, .text)
        case .generatorLimited: (.openTriangle, .second)
        case .unusable: (.openSquare, .text)
        }
    }

    /// The latency whose bound was asked for; else the one that tells how long answers take, at p99.
    var metric: (metric: Metric, bound: Double?)? {
        let asked = record.serviceLevel.lazy.compactMap { try? Threshold($0) }.first { condition in
            guard case .latency(_, .quantile) = condition.metric else { return false }
            return [.below, .atMost].contains(condition.comparison)
        }
        if let asked { return (asked.metric, asked.bound) }
        return record.latencySeries.map { (.latency(series: $0, .quantile(0.99)), nil) }
    }

    // MARK: - Rates and latency

    /// What was answered of what was offered; nil below two tries that have both.
    var rates: Chart? {
        let points = record.probes.compactMap { probe -> Point? in
            probe.answeredPerSecond.map { Point(outcome: probe.outcome, x: Self.offered(probe), y: $0) }
        }
        guard points.count > 1, let highest = points.flatMap({ [$0.x, $0.y] }).max(), highest > 0 else { return nil }
        var script = ChartScript(height: 300)
        script.add(data: "line", 0, [[0, 0], [highest, highest]])
        add(points, to: &script)
        script.place(top: 14, bottom: 266)
        script.add("set xrange [0:\(highest * 1.04)]")
        script.add("set yrange [0:\(highest * 1.06)]")
        script.mark(.x, ChartTicks.linear(to: highest, about: 6), as: .rate)
        script.mark(.y, ChartTicks.linear(to: highest, about: 5), as: .rate)
        script.add("set grid xtics ytics back lc \(ChartColor.grid) lw 1 dt solid")
        script.add("plot \(data: "line", 0) using 1:2 with lines lc \(ChartColor.text) lw 1 \(ChartDash.short) \\")
        plot(points, in: &script)
        return Chart(
            title: "Answered against offered",
            description: told { probe in
                "\(FigureText.rate(Self.offered(probe))) offered, \(FigureText.rate(probe.answeredPerSecond)) answered"
            },
            legend: [Chart.Entry(name: "everything answered", color: .text, dash: .short, width: 1)] + legend(points),
            script: script, note: "Notifications a second, each try by what came of it.", showsDescription: false)
    }

    /// The latency that was asked for against the rate, with its bound; nil below two tries that have one.
    var latencies: Chart? {
        guard let (metric, bound) = metric else { return nil }
        let points = record.probes.compactMap { probe -> Point? in
            metric.value(in: probe.run).map { Point(outcome: probe.outcome, x: Self.offered(probe), y: max(1, $0)) }
        }
        let limit = bound.map { max(1, $0) }
        let heights = points.map(\.y) + (limit.map { [$0] } ?? [])
        guard points.count > 1, let widest = points.map(\.x).max(), widest > 0, let low = heights.min(),
            let high = heights.max()
        else { return nil }
        var script = ChartScript(height: 300)
        if let limit { script.add(data: "line", 0, [[0, limit], [widest * 1.04, limit]]) }
        add(points, to: &script)
        script.place(top: 14, bottom: 266)
        script.add("set logscale y 10")
        script.add("set xrange [0:\(widest * 1.04)]")
        script.add("set yrange [\(low / 1.5):\(high * 1.5)]")
        script.mark(.x, ChartTicks.linear(to: widest, about: 6), as: .rate)
        script.mark(.y, ChartTicks.decades(from: low / 1.5, to: high * 1.5), as: .time)
        script.add("set grid xtics ytics back lc \(ChartColor.grid) lw 1 dt solid")
        let knee = record.knee?.ratePerSecond
        if let knee, knee <= widest {
            script.add(
                "set arrow 1 from \(knee),graph 0 to \(knee),graph 1 nohead back lc \(ChartColor.text) lw 1 \(ChartDash.dots)"
            )
        }
        script.add("plot 1/0 \\")
        if limit != nil {
            script.add(", \(data: "line", 0) using 1:2 with lines lc \(ChartColor.bad) lw 1.5 \(ChartDash.long) \\")
        }
        plot(points, in: &script)
        let asked = limit.map { limit in
            [Chart.Entry(name: "asked for: \(FigureText.value(limit, .time))", color: .bad, dash: .long, width: 1.5)]
        }
        return Chart(
            title: "\(metric.name) against the offered rate",
            description: told { probe in
                "\(FigureText.rate(Self.offered(probe))): \(FigureText.value(metric.value(in: probe.run), .time))"
            },
            legend: (asked ?? []) + legend(points), script: script,
            note: "The scale of times is logarithmic. "
                + (knee == nil ? "" : "The dotted line is where it begins to climb. ")
                + "Tries without enough samples for the figure are left out.",
            showsDescription: false)
    }

    private struct Point {
        var outcome: CapacitySearch.Outcome
        var x: Double
        var y: Double
    }

    private static func offered(_ probe: ProbeRecord) -> Double { probe.offeredPerSecond ?? probe.ratePerSecond }

    private func add(_ points: [Point], to script: inout ChartScript) {
        for (index, outcome) in CapacitySearch.Outcome.allCases.enumerated() {
            script.add(data: "probe", index, points.filter { $0.outcome == outcome }.map { [$0.x, $0.y] })
        }
    }

    private func plot(_ points: [Point], in script: inout ChartScript) {
        for (index, outcome) in CapacitySearch.Outcome.allCases.enumerated()
        where points.contains(where: { $0.outcome == outcome }) {
            let look = Self.look(outcome)
            script.add(
                ", \(data: "probe", index) using 1:2 with points \(look.point) ps 0.9 lw 2 lc \(look.color) \\")
        }
        script.add("")
    }

    private func legend(_ points: [Point]) -> [Chart.Entry] {
        CapacitySearch.Outcome.allCases.filter { outcome in points.contains { $0.outcome == outcome } }.map { outcome in
            let look = Self.look(outcome)
            return Chart.Entry(name: outcome.words, color: look.color, point: look.point)
        }
    }

    private func told(_ words: (ProbeRecord) -> String) -> String {
        let texts = record.probes.prefix(40).map { "\(words($0)), \($0.outcome.words)" }
        return texts.joined(separator: "; ") + "."
    }

    // MARK: - Backlog

    /// What was not yet answered while it was measured, at the edges of the bracket; nil where no try has enough of it.
    var backlogs: Chart? {
        let lines = edges.compactMap { index -> (name: String, points: [ProbeJudge.Backlog])? in
            let points = ProbeJudge.backlogs(of: record.probes[index].run)
            let name =
                "try \(index + 1): \(FigureText.rate(Self.offered(record.probes[index]))), "
                + record.probes[index].outcome.words
            return points.count > 1 ? (name, points) : nil
        }
        let all = lines.flatMap(\.points)
        guard let longest = all.map(\.seconds).max(), longest > 0, let highest = all.map(\.count).max() else {
            return nil
        }
        var script = ChartScript(height: 270)
        for (index, line) in lines.enumerated() {
            script.add(data: "backlog", index, line.points.map { [$0.seconds, $0.count] })
        }
        script.place(top: 14, bottom: 238)
        script.add("set xrange [0:\(longest)]")
        script.add("set yrange [0:\(max(highest * 1.06, 1))]")
        script.mark(.x, ChartTicks.seconds(to: longest, about: 10), as: .seconds)
        script.mark(.y, ChartTicks.linear(to: max(highest, 1), about: 5), as: .count)
        script.add("plot 1/0 \\")
        let looks = Array(zip(ChartColor.lines, ChartDash.allCases))
        for (index, look) in zip(lines.indices, looks) {
            script.add(", \(data: "backlog", index) using 1:2 with lines lc \(look.0) lw 2 \(look.1) \\")
        }
        script.add("")
        let described = lines.map { line in
            let ends = [line.points.first, line.points.last].map { FigureText.value($0?.count, .count) }
            return "\(line.name): from \(ends[0]) to \(ends[1])"
        }
        return Chart(
            title: "Not yet answered, while it was measured", description: described.joined(separator: "; ") + ".",
            legend: zip(lines, looks).map { Chart.Entry(name: $0.name, color: $1.0, dash: $1.1) }, script: script,
            note: "A rate that holds keeps level here, however high; one that does not climbs.")
    }

    /// The last tries at the edges of what was found: the one that held and the one that failed.
    var edges: [Int] {
        let probes = record.probes
        let held = probes.lastIndex { $0.outcome == .holds && $0.ratePerSecond == record.finding?.sustainablePerSecond }
        let failed = probes.lastIndex { $0.outcome == .fails && $0.ratePerSecond == record.finding?.failingPerSecond }
        return [
            held ?? probes.lastIndex { $0.outcome == .holds }, failed ?? probes.lastIndex { $0.outcome == .fails },
        ].compactMap { $0 }
    }
}

extension CapacitySearch.Outcome {
    /// What came of a try, for people.
    var words: String {
        switch self {
        case .holds: "holds"
        case .fails: "fails"
        case .undecided: "undecided"
        case .generatorLimited: "not generated"
        case .unusable: "of no use"
        }
    }

    /// The outcome with a sign before it.
    var sign: String {
        switch self {
        case .holds: "✓ holds"
        case .fails: "✕ fails"
        case .undecided: "? undecided"
        case .generatorLimited: "△ not generated"
        case .unusable: "○ of no use"
        }
    }

    /// Whether that is good news.
    var mood: HTMLPage.Mood? {
        switch self {
        case .holds: .good
        case .fails: .bad
        case .undecided, .generatorLimited, .unusable: .caution
        }
    }
}
