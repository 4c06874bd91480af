import Analysis
import Glibc
import RunRecords
import Statistics

/// The ratios of a comparison with their intervals, one row for each figure.
struct ForestChart {
    /// A row that can be drawn: figures by reasons that a gateway chose have no name of ours, and stand in the table only.
    private struct Row {
        var metric: Metric
        var figure: MetricComparison
        var ratio: Double
        var low: Double
        var high: Double
    }

    private let rows: [Row]
    private let comparison: Comparison
    private static let rowHeight = 25
    private static let rowLimit = 40

    /// - Returns: nil without a figure that has an interval.
    init?(_ comparison: Comparison) {
        self.comparison = comparison
        let drawable = comparison.metrics.compactMap { figure -> Row? in
            guard let metric = try? Metric(figure.name), metric.isNamedByUs,
                figure.isGating || figure.direction != .neither,
                let ratio = figure.ratio,
                let low = figure.ratioLow,
                let high = figure.ratioHigh, low > 0, high >= low, ratio > 0, high.isFinite
            else { return nil }
            return Row(metric: metric, figure: figure, ratio: ratio, low: low, high: high)
        }
        guard !drawable.isEmpty, comparison.base.runs > 1 else { return nil }
        rows = Array(drawable.prefix(Self.rowLimit))
    }

    var chart: Chart {
        // A ratio and its inverse are as far from 1; whatever is beyond tenfold goes to the border.
        let low = max(0.1, min(0.95, rows.map(\.low).min() ?? 1))
        let high = min(10, max(1.05, rows.map(\.high).max() ?? 1))
        let bottom = 14 + rows.count * Self.rowHeight
        var script = ChartScript(height: bottom + 34, left: 236, right: 104)
        for (index, row) in rows.enumerated() {
            script.add(
                data: "row", index,
                [
                    [
                        min(max(row.ratio, low), high), -Double(index), min(max(row.low, low), high),
                        max(min(row.high, high), low),
                    ]
                ])
        }
        script.place(top: 14, bottom: bottom)
        script.add("set logscale x 10")
        script.add("set xrange [\(low / 1.03):\(high * 1.03)]")
        script.add("set yrange [\(0.5 - Double(rows.count)):0.5]")
        script.mark(.x, ticks(from: low, to: high), as: .change)
        script.mark(.y, rows.enumerated().map { index, row in "\(row.metric) \(-index)" })
        script.add("set grid xtics noytics back lc \(ChartColor.grid) lw 1 dt solid")
        script.add("set arrow 1 from 1,graph 0 to 1,graph 1 nohead back lc \(ChartColor.text) lw 1 dt solid")
        for (index, row) in rows.enumerated() {
            script.add(
                "set label \(index + 1) \(word: word(row.figure)) at graph 1,first \(-index) left offset 0.8,0 textcolor \(color(row.figure))"
            )
        }
        for (index, row) in rows.enumerated() { mark(row, index, from: low, to: high, in: &script) }
        script.add("plot 1/0 \\")
        for (index, row) in rows.enumerated() {
            let (point, width) = row.figure.isGating ? (7, 2.2) : (6, 1.4)
            script.add(
                ", \(data: "row", index) using 1:2:3:4 with xerrorbars pt \(point) ps 0.8 lw \(width) lc \(color(row.figure)) \\"
            )
        }
        script.add("")
        return Chart(
            title: "Change of each figure with its interval", description: described, legend: [], script: script,
            note: "Candidate against baseline; the scale is logarithmic. Filled points decide, open ones inform."
                + (isCut(low, high) ? " Arrows point to ends beyond the scale, which stand beside them." : ""),
            showsDescription: false)
    }

    private func isCut(_ low: Double, _ high: Double) -> Bool {
        rows.contains { min($0.low, $0.ratio) < low || max($0.high, $0.ratio) > high }
    }

    /// Marks the ends of a row that lie beyond the scale: an arrow across the border, and the end's figure below it.
    private func mark(_ row: Row, _ index: Int, from low: Double, to high: Double, in script: inout ChartScript) {
        let color = color(row.figure)
        let (lowest, highest) = (min(row.low, row.ratio), max(row.high, row.ratio))
        if lowest < low {
            script.add(
                "set arrow \(100 + index) from \(low),\(-index) to \(low / 1.03),\(-index) head size screen 0.01,30 nofilled lc \(color) lw 1.4 dt solid"
            )
            script.add(
                "set label \(100 + index) \(lowest, as: .change) at graph 0,first \(-index) left offset 0.2,-0.8 textcolor \(color)"
            )
        }
        if highest > high {
            script.add(
                "set arrow \(200 + index) from \(high),\(-index) to \(high * 1.03),\(-index) head size screen 0.01,30 nofilled lc \(color) lw 1.4 dt solid"
            )
            script.add(
                "set label \(200 + index) \(highest, as: .change) at graph 1,first \(-index) right offset -0.2,-0.8 textcolor \(color)"
            )
        }
    }

    private func ticks(from low: Double, to high: Double) -> [Double] {
        let steps = [0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10]
        var ticks = [1.0]
        // From the middle outwards, so that no two are written over each other.
        let distance = log(high / low) / 11
        for step in steps.filter({ $0 > 1 && $0 <= high * 1.03 }) where log(step / (ticks.last ?? 1)) >= distance {
            ticks.append(step)
        }
        var below = [1.0]
        for step in steps.reversed().filter({ $0 < 1 && $0 >= low / 1.03 })
        where log((below.last ?? 1) / step) >= distance {
            below.append(step)
        }
        return below.dropFirst().reversed() + ticks
    }

    private func color(_ figure: MetricComparison) -> ChartColor {
        guard comparison.obstacles.isEmpty else { return .text }
        return switch figure.verdict {
        case .regressed: .bad
        case .improved: .good
        case .equivalent, .noEvidence, .inconclusive, nil: .text
        }
    }

    private func word(_ figure: MetricComparison) -> StaticString {
        guard comparison.obstacles.isEmpty else { return "" }
        return switch figure.verdict {
        case .regressed: figure.isGating ? "regressed" : "worse"
        case .improved: figure.isGating ? "improved" : "better"
        case .equivalent: "same"
        case .noEvidence: "no evidence"
        case .inconclusive: figure.detectable == nil ? "inconclusive" : "too noisy"
        case nil: ""
        }
    }

    private var described: String {
        let told = rows.filter(\.figure.isGating).map { row in
            let ends = [row.ratio, row.low, row.high].map { ChartUnit.change.text($0) }
            return "\(row.figure.name) changed by \(ends[0]), interval from \(ends[1]) to \(ends[2])"
        }
        let left = comparison.metrics.count - rows.count
        return
            (told
            + (left > 0
                ? ["\(left) other figures stand in the table only"] : []))
            .joined(separator: "; ") + "."
    }
}

extension Metric {
    /// Whether the figure's name is made of words of this program alone.
    fileprivate var isNamedByUs: Bool {
        switch self {
        case .plain: true
        case .latency(let series, _): Metric.seriesNames.contains(series)
        }
    }
}
