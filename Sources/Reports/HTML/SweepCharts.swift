import Analysis
import Primitives
import RunRecords
import Statistics

/// The charts of a sweep.
struct SweepCharts {
    let record: SweepRecord
    let findings: SweepFindings

    private static let rowHeight = 25
    private static let (rowsMin, rowLimit) = (4, 16)
    private static let nearShare = 0.9
    /// More points than that are one dark stain.
    private static let pointLimit = 600
    private static let tickLimit = 24

    // MARK: - The best combinations

    /// The best combinations with the range of their runs, and the border within which rates count as good as the best; nil below two.
    var leaders: Chart? {
        // Only what was tried under the same conditions competes.
        let fields = record.fields
        let field = (findings.recommended ?? findings.best).map { fields[$0] }
        let known = record.ranking(findings).filter {
            findings.cells[$0].acceptedPerSecond != nil && fields[$0] == field
        }
        guard known.count > 1, let best = findings.cells[known[0]].acceptedPerSecond, best > 0 else { return nil }
        // What is far behind would press together what is to be told apart.
        let near = known.filter { (findings.cells[$0].acceptedPerSecond ?? 0) >= Self.nearShare * best }
        let shown = known.prefix(min(Self.rowLimit, max(Self.rowsMin, near.count))).map {
            (cell: $0, figures: findings.cells[$0])
        }
        let border = SweepRace.goodShare * best
        let low = min(
            border, shown.compactMap { $0.figures.lowestPerSecond ?? $0.figures.acceptedPerSecond }.min() ?? 0)
        let high = max(best, shown.compactMap(\.figures.highestPerSecond).max() ?? best)
        let room = max(0.04 * (high - low), 0.01 * best)
        let bottom = 14 + shown.count * Self.rowHeight
        var script = ChartScript(height: bottom + 34, left: 150, right: 120)
        for (index, row) in shown.enumerated() {
            let rate = row.figures.acceptedPerSecond ?? 0
            let ends = [row.figures.lowestPerSecond ?? rate, row.figures.highestPerSecond ?? rate]
            script.add(data: "row", index, [[rate, -Double(index), min(ends[0], rate), max(ends[1], rate)]])
        }
        let ranking = record.ranking(findings)
        func rank(_ cell: Int) -> Int { (ranking.firstIndex(of: cell) ?? 0) + 1 }
        script.place(top: 14, bottom: bottom)
        script.add("set xrange [\(low - room):\(high + room)]")
        script.add("set yrange [\(0.5 - Double(shown.count)):0.5]")
        script.mark(.x, Self.ticks(from: low - room, to: high + room), as: .rate)
        script.mark(
            .y, shown.enumerated().map { index, row in name(ofCell: row.cell, rank: rank(row.cell), place: -index) })
        script.add("set grid xtics noytics back lc \(ChartColor.grid) lw 1 dt solid")
        script.add(
            "set arrow 1 from \(border),graph 0 to \(border),graph 1 nohead back lc \(ChartColor.text) lw 1 \(ChartDash.short)"
        )
        for (index, row) in shown.enumerated() {
            let (word, color) = label(ofCell: row.cell)
            script.add(
                "set label \(index + 1) \(word: word) at graph 1,first \(-index) left offset 0.8,0 textcolor \(color)")
        }
        script.add("plot 1/0 \\")
        for (index, row) in shown.enumerated() {
            let color = label(ofCell: row.cell).color
            let point: ChartPoint =
                !row.figures.holdsThresholds ? .cross : row.cell == findings.recommended ? .circle : .openCircle
            script.add(
                ", \(data: "row", index) using 1:2:3:4 with xerrorbars \(point) ps 0.8 lw 1.8 lc \(color) \\")
        }
        script.add("")
        return Chart(
            title: "The fastest combinations with the range of their runs", description: described(shown.map(\.cell)),
            legend: [], script: script,
            note:
                "Medians, with the lowest and highest run of each. Right of the broken line rates are within 3 % of the best. "
                + (hasNumbers ? "Named by their values" : "Numbered as in the table below")
                + "; the scale does not begin at zero.",
            showsDescription: false)
    }

    private func label(ofCell cell: Int) -> (word: StaticString, color: ChartColor) {
        if cell == findings.recommended { return ("recommended", .good) }
        if !findings.cells[cell].holdsThresholds { return ("thresholds fail", .bad) }
        if findings.cells[cell].isUneven { return ("uneven", .text) }
        return ("", .text)
    }

    /// A combination's name along an axis: its values if all are numbers, since no other text from a record gets to gnuplot.
    private func name(ofCell cell: Int, rank: Int, place: Int) -> ChartLine {
        guard hasNumbers else { return "\(Double(rank), as: .count) \(place)" }
        let values = record.grid.values(ofCell: cell).compactMap(Self.number)
        return "\(values, as: .count) \(place)"
    }

    private var hasNumbers: Bool {
        record.grid.axes.count <= 3 && record.grid.axes.allSatisfy { $0.values.allSatisfy { Self.number($0) != nil } }
    }

    private static func number(_ text: String) -> Double? { (try? Count(text: text)).map { Double($0.value) } }

    private func described(_ cells: [Int]) -> String {
        cells.prefix(5).map { cell in
            let figures = findings.cells[cell]
            let ends = [figures.lowestPerSecond, figures.highestPerSecond].map(FigureText.rate)
            return
                "\(record.grid.text(ofCell: cell)): \(FigureText.rate(figures.acceptedPerSecond)), from \(ends[0]) to \(ends[1])"
        }.joined(separator: "; ") + "."
    }

    private static func ticks(from low: Double, to high: Double) -> [Double] {
        let steps = ChartTicks.linear(to: high - low, about: 5)
        guard steps.count > 1, steps[1] > 0 else { return [low] }
        return stride(from: (low / steps[1]).rounded(.up) * steps[1], through: high, by: steps[1]).map { $0 }
    }

    // MARK: - Axes

    /// What the values of an axis do to the rate, whatever the others are; nil where that cannot be drawn.
    func effect(ofAxis axis: Int) -> Chart? {
        let values = record.grid.axes[axis].values
        let shares = findings.effects(of: record.grid.axes[axis])
        let rates = findings.cells.map(\.acceptedPerSecond)
        guard values.count > 1, shares.count == values.count, shares.contains(where: { $0 != nil }),
            let mean = geometricMean(rates.compactMap { $0 }.filter { $0 > 0 }), mean > 0
        else { return nil }
        let points = rates.enumerated().prefix(rates.count > Self.pointLimit ? 0 : rates.count).compactMap {
            cell, rate -> [Double?]? in
            rate.map { [Double(record.grid.place(ofCell: cell)[axis] + 1), $0 / mean] }
        }
        let highest = (points.compactMap { $0[1] } + shares.compactMap { $0 }).filter(\.isFinite).max() ?? 1
        var script = ChartScript(height: 230)
        script.add(data: "share", 0, shares.enumerated().map { [Double($0 + 1), $1] })
        script.add(data: "cell", 0, points)
        script.place(top: 14, bottom: 196)
        script.add("set xrange [0.5:\(Double(values.count) + 0.5)]")
        script.add("set yrange [0:\(max(highest * 1.06, 1e-9))]")
        let isNumbers = values.allSatisfy { Self.number($0) != nil }
        let step = max(1, (values.count + Self.tickLimit - 1) / Self.tickLimit)
        script.mark(
            .x,
            stride(from: 0, to: values.count, by: step).map { index -> ChartLine in
                "\((isNumbers ? Self.number(values[index]) : nil) ?? Double(index + 1), as: .count) \(index + 1)"
            })
        script.mark(.y, ChartTicks.linear(to: highest, about: 4), as: .share)
        script.add(
            """
            plot \(data: "cell", 0) using 1:2 with points \(ChartPoint.openCircle) ps 0.6 lc \(ChartColor.text), \
            \(data: "share", 0) using 1:2 with linespoints \(ChartPoint.circle) ps 0.9 lc \(ChartColor.first) lw 2
            """)
        let told = zip(values, shares).map { "\($0): \($1.map(ChartUnit.share.text) ?? "not known")" }
        return Chart(
            title: "Rate by \(record.grid.axes[axis].key)",
            description: "Against the mean of all combinations: " + told.joined(separator: ", ") + ".",
            legend: [
                Chart.Entry(name: "mean of all combinations with the value", color: .first)
            ]
                + (points.isEmpty
                    ? [] : [Chart.Entry(name: "each combination", color: .text, width: 1, point: .openCircle)]),
            script: script,
            note: isNumbers ? "" : "Along the axis the values are numbered in their order.", showsDescription: true)
    }
}

extension SweepFindings {
    /// The shares of an axis's values, in their order; as many as there are effects of its key.
    func effects(of axis: SweepGrid.Axis) -> [Double?] { effects.filter { $0.key == axis.key }.map(\.share) }
}
