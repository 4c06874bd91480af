import Analysis
import Primitives
import RunRecords
import Statistics

/// Several runs in one picture each.
enum RunCharts {
    /// One figure of each run, in the order in which they were made.
    ///
    /// - Parameters:
    ///   - metric: the figure.
    ///   - sides: the values of one or two sides, nil where a run has none; a side's name is its own.
    /// - Returns: nil where fewer than two runs have one.
    static func values(_ metric: Metric, _ sides: [(name: String, values: [Double?])]) -> Chart? {
        let present = sides.flatMap(\.values).compactMap { $0 }
        guard present.count > 1, let low = present.min(), let high = present.max(),
            let longest = sides.map(\.values.count).max()
        else { return nil }
        let unit = metric.unit
        let room = high > low ? (high - low) * 0.15 : max(high.magnitude * 0.05, 1)
        var script = ChartScript(height: 230)
        for (index, side) in sides.prefix(2).enumerated() {
            script.add(data: "side", index, side.values.enumerated().map { [Double($0 + 1), $1] })
        }
        script.place(top: 14, bottom: 196)
        script.add("set xrange [0.5:\(Double(longest) + 0.5)]")
        script.add("set yrange [\(low - room):\(high + room)]")
        let step = max(1, longest / 20)
        script.mark(.x, Swift.stride(from: 1, through: longest, by: step).map(Double.init), as: .count)
        script.mark(.y, ticks(from: low - room, to: high + room), as: .metric(unit))
        let looks: [(color: ChartColor, point: Int, dash: ChartDash)] = [(.first, 7, .solid), (.second, 8, .long)]
        script.add("plot 1/0 \\")
        for (index, side) in sides.prefix(2).enumerated() {
            let look = looks[index]
            if let middle = median(side.values.compactMap { $0 }) {
                script.add(", \(middle) with lines lc \(look.color) lw 1 \(look.dash) \\")
            }
            script.add(", \(data: "side", index) using 1:2 with points pt \(look.point) ps 0.9 lc \(look.color) \\")
        }
        script.add("")
        let told = sides.map { side in
            let values = side.values.compactMap { $0 }
            let extremes = [median(values), values.min(), values.max()].map { FigureText.value($0, unit) }
            return
                "\(side.name.isEmpty ? "Median" : side.name + ": median") \(extremes[0]), lowest \(extremes[1]), highest \(extremes[2])"
        }
        return Chart(
            title: "\(metric.name) of each run",
            description: "\(told.joined(separator: "; ")). Lines are the medians; the scale does not begin at zero.",
            legend: sides.count < 2
                ? []
                : zip(sides, looks).map { Chart.Entry(name: $0.name, color: $1.color, dash: $1.dash, width: 1.5) },
            script: script)
    }

    private static func ticks(from low: Double, to high: Double) -> [Double] {
        let steps = ChartTicks.linear(to: high - low, about: 4)
        guard steps.count > 1, steps[1] > 0 else { return [low] }
        return stride(from: (low / steps[1]).rounded(.up) * steps[1], through: high, by: steps[1]).map { $0 }
    }

    /// The rates of all runs over time, the one in the middle thicker; nil where runs have too few intervals.
    static func rates(_ runs: [RunRecord]) -> Chart? {
        let perRun = max(4, 3_000 / max(1, runs.count))
        let all = runs.map { IntervalGroups($0.intervals, limit: min(300, perRun)) }
        let drawn = all.map { $0.withoutShortEnd.filter { $0.lengthNs > 0 && $0.startNs >= 0 } }
        let end = drawn.compactMap { $0.last?.seconds.end }.max() ?? 0
        guard drawn.contains(where: { $0.count > 2 }), end > 0 else { return nil }
        let rates = drawn.map { groups in groups.map { $0.perSecond($0.accepted ?? $0.written) } }
        let highest = rates.flatMap { $0 }.compactMap { $0 }.max() ?? 0
        let middle = middleRun(runs)
        var script = ChartScript(height: 270)
        for (index, groups) in drawn.enumerated() {
            var rows = zip(groups, rates[index]).map { [$0.seconds.start, $1] }
            if let last = groups.last { rows.append([last.seconds.end, rates[index].last ?? nil]) }
            script.add(data: "rate", index, rows)
        }
        script.place(top: 14, bottom: 238)
        script.add("set xrange [0:\(end)]")
        script.add("set yrange [0:\(max(highest * 1.06, 1e-9))]")
        script.mark(.x, ChartTicks.seconds(to: end, about: 10), as: .seconds)
        script.mark(.y, ChartTicks.linear(to: highest, about: 5), as: .rate)
        script.add("plot 1/0 \\")
        for index in drawn.indices where index != middle {
            script.add(", \(data: "rate", index) using 1:2 with steps lc \(ChartColor.text) lw 0.8 \\")
        }
        if let middle { script.add(", \(data: "rate", middle) using 1:2 with steps lc \(ChartColor.first) lw 2.5 \\") }
        script.add("")
        return Chart(
            title: "Rate over time, all runs",
            description: "Accepted notifications a second in each interval, one line for each of \(runs.count) runs.",
            legend: legend(middle), script: script, note: all.map(\.remark).first { !$0.isEmpty } ?? "")
    }

    /// Latencies of all runs by percentile, the run in the middle thicker; nil where no run has enough of them.
    static func latencies(_ runs: [RunRecord]) -> Chart? {
        let names = ["response", "service", "responseBound", "serviceBound", "residence"]
        guard let name = names.first(where: { name in runs.contains { ($0.latency[name]?.count ?? 0) >= 20 } }) else {
            return nil
        }
        let middle = middleRun(runs)
        let order = runs.indices.filter { $0 != middle } + (middle.map { [$0] } ?? [])
        // More lines than that are one dark stain.
        let lines = order.suffix(50).compactMap { index in
            runs[index].latency[name].flatMap { series in
                index == middle
                    ? LatencyChart.Line("run \(index + 1)", series, .first, .solid, width: 2.5)
                    : LatencyChart.Line("run \(index + 1)", series, .text, .solid, width: 0.8)
            }
        }
        guard var chart = LatencyChart(title: "\(name) by percentile, all runs", lines)?.chart else { return nil }
        chart.legend = legend(middle)
        chart.description = spread(name, runs)
        return chart
    }

    private static func spread(_ name: String, _ runs: [RunRecord]) -> String {
        let parts = [("p50", 0.5), ("p99", 0.99)].compactMap { label, quantile -> String? in
            let values = runs.compactMap(Metric.latency(series: name, .quantile(quantile)).comparableValue)
            guard let low = values.min(), let high = values.max() else { return nil }
            return "\(label) between \(FigureText.value(low, .time)) and \(FigureText.value(high, .time))"
        }
        return "The series \(name) of \(runs.count) runs\(parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))."
    }

    /// The run whose rate is the median one; nil where none has a rate.
    static func middleRun(_ runs: [RunRecord]) -> Int? {
        let known = runs.enumerated().compactMap { index, run in run.throughput.acceptedPerSecond.map { (index, $0) } }
            .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        return known.isEmpty ? nil : known[(known.count - 1) / 2].0
    }

    private static func legend(_ middle: Int?) -> [Chart.Entry] {
        let others = Chart.Entry(name: "each run", color: .text, width: 0.8)
        guard let middle else { return [others] }
        return [Chart.Entry(name: "run \(middle + 1), the median by accepted/s", color: .first, width: 2.5), others]
    }
}
