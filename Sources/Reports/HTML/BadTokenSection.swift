import Analysis
import Primitives
import RunRecords

/// What a page says about bad tokens: what one costs at each combination with the model beside it, and how the rate follows their share.
struct BadTokenSection {
    let findings: BadTokenFindings
    let grid: SweepGrid
    let printer: ChartPrinter

    private static let (rowLimit, curveLimit) = (200, 6)

    private struct Figure {
        var name: String
        var title: String
        var path: any KeyPath<BadTokenFigures, Double?> & Sendable
    }

    private static let figures = [
        Figure(name: "inFlight", title: "in flight", path: \.inFlight),
        Figure(name: "resent", title: "resent", path: \.resent),
        Figure(name: "lost", title: "lost each", path: \.lost),
        Figure(name: "acceptedPerSecond", title: "accepted/s", path: \.acceptedPerSecond),
    ]

    var section: HTMLPage.Section {
        let words = BadTokenTable(findings, of: grid)
        let more = findings.prices.count - Self.rowLimit
        return HTMLPage.Section(
            "badTokens", "The price of a bad token",
            [
                findings.note.map { .paragraph($0) } ?? .nothing,
                findings.prices.isEmpty ? .nothing : .paragraph(Self.explanation), prices,
                more > 0 ? .paragraph("\(FigureText.count(Int64(more))) more are in the record.") : .nothing,
                .list(Array((words.bases + words.obstacles).prefix(20)), class: "origin"),
            ] + findings.curves.prefix(Self.curveLimit).map { printer.figure(chart(of: $0)) } + [curves])
    }

    private static let explanation =
        "In flight had followed the bad one when its reply came; resent was written again; lost is what would have been accepted or refused "
        + "more, had there been no error. Beside each figure stands what the model says, where it applies, with its error against the measurement."

    private var hasModel: Bool { findings.prices.contains { $0.model != nil } }

    private var prices: Markup {
        let columns: [HTMLTable.Column] =
            [.number("combination")] + grid.axes.map { .text($0.key) }
            + [.number("errors"), .number("reply"), .number("reconnect")]
            + Self.figures.flatMap { [.number($0.title)] + (hasModel ? [HTMLTable.Column.number("model")] : []) }
        var table = HTMLTable(
            hasModel ? "The price of a bad token, and what the model says" : "The price of a bad token", columns)
        for (index, price) in findings.prices.enumerated().prefix(Self.rowLimit) {
            let name = { (figure: String) in "badTokens.prices.\(index).\(figure)" }
            func time(_ figure: String, _ value: Double?) -> Markup {
                .figure(name(figure), value.flatMap(numberText), FigureText.value(value, .time), absent: "not known")
            }
            let times = [
                .count(name("errors"), price.errors), time("replyNs", price.replyNs),
                time("reconnectNs", price.reconnectNs),
            ]
            table.add(
                .text("\(index + 1)"),
                grid.values(ofCell: price.cell).map { .text($0) } + times
                    + Self.figures.flatMap { [measured(price, $0, name)] + (hasModel ? [model(price, $0, name)] : []) })
        }
        return table.markup
    }

    private func measured(_ price: BadTokenPrice, _ figure: Figure, _ name: (String) -> String) -> Markup {
        let value = price.measured[keyPath: figure.path]
        let own = Markup.figure(
            name("measured.\(figure.name)"), value.flatMap(numberText), FigureText.value(value, .count),
            absent: FigureText.missing)
        guard figure.name == "lost", let error = price.lostStandardError else { return own }
        return .joined([
            own, .text(" ± "),
            .figure(name("lostStandardError"), numberText(error), FigureText.value(error, .count)),
        ])
    }

    private func model(_ price: BadTokenPrice, _ figure: Figure, _ name: (String) -> String) -> Markup {
        let value = price.model?[keyPath: figure.path]
        let own = Markup.figure(
            name("model.\(figure.name)"), value.flatMap(numberText), FigureText.value(value, .count),
            absent: FigureText.missing)
        guard let error = price.modelError?[keyPath: figure.path] else { return own }
        return .joined([
            own, .text(" ("),
            .figure(name("modelError.\(figure.name)"), numberText(error), BadTokenTable.signed(error)), .text(")"),
        ])
    }

    // MARK: - Curves

    /// Measured rates and the model's along the share of bad tokens or the round trip; nil where there are too few.
    private func chart(of curve: BadTokenCurve) -> Chart? {
        let isShare = curve.key == "workload.faults.badToken"
        let all = curve.points.compactMap { point -> (x: Double, point: BadTokenCurvePoint)? in
            let x = isShare ? point.badShare : (try? Interval(text: point.value)).map { Double($0.nanoseconds) }
            // A logarithmic scale has no zero.
            return x.flatMap { $0 > 0 || !isShare ? ($0, point) : nil }
        }.sorted { $0.x < $1.x }
        let rates = all.flatMap { [$0.point.acceptedPerSecond, $0.point.modelPerSecond] }.compactMap { $0 }
        guard all.count > 1, let first = all.first?.x, let last = all.last?.x, first < last,
            let highest = rates.max(), highest > 0
        else { return nil }
        var script = ChartScript(height: 260)
        script.add(data: "measured", 0, all.map { [$0.x, $0.point.acceptedPerSecond] })
        script.add(
            data: "model", 0, all.filter { $0.point.modelPerSecond != nil }.map { [$0.x, $0.point.modelPerSecond] })
        script.place(top: 14, bottom: 226)
        if isShare {
            script.add("set logscale x 10")
            script.add("set xrange [\(first / 1.3):\(last * 1.3)]")
            script.mark(.x, ChartTicks.decades(from: first / 1.3, to: last * 1.3).filter(Self.isPowerOfTen), as: .ratio)
        } else {
            script.add("set xrange [\(first - 0.05 * (last - first)):\(last + 0.05 * (last - first))]")
            script.mark(.x, all.map(\.x), as: .time)
        }
        script.add("set yrange [0:\(highest * 1.08)]")
        script.mark(.y, ChartTicks.linear(to: highest, about: 5), as: .rate)
        script.add("plot 1/0 \\")
        script.add(", \(data: "model", 0) using 1:2 with lines lc \(ChartColor.second) lw 2 \(ChartDash.long) \\")
        script.add(
            ", \(data: "measured", 0) using 1:2 with points \(ChartPoint.circle) ps 0.9 lc \(ChartColor.first) \\")
        script.add("")
        let told = all.map { x, point in
            "\(point.value): \(FigureText.rate(point.acceptedPerSecond)), model \(FigureText.rate(point.modelPerSecond))"
        }
        return Chart(
            title: "Rate over \(curve.key)" + (curve.setting.isEmpty ? "" : ", \(curve.setting)"),
            description: told.joined(separator: "; ") + ".",
            legend: [
                Chart.Entry(name: "measured", color: .first, point: .circle),
                Chart.Entry(name: "model", color: .second, dash: .long),
            ],
            script: script,
            note: isShare ? "Shares on a logarithmic scale; what nobody measured is the model's alone." : "",
            showsDescription: false)
    }

    private static func isPowerOfTen(_ value: Double) -> Bool {
        var power = 1.0
        while power > value * 1.000_001 { power /= 10 }
        return power > value * 0.999_999
    }

    private var curves: Markup {
        var table = HTMLTable(
            "The rate along each curve",
            [
                .text("along"), .text("at"), .text("value"), .number("accepted/s"), .number("model"),
            ])
        for (number, curve) in findings.curves.enumerated() {
            for (index, point) in curve.points.enumerated() where table.count < Self.rowLimit {
                let name = { (figure: String) in "badTokens.curves.\(number).points.\(index).\(figure)" }
                func rate(_ figure: String, _ value: Double?) -> Markup {
                    .figure(name(figure), value.flatMap(numberText), FigureText.rate(value), absent: FigureText.missing)
                }
                table.add(
                    .text(curve.key),
                    [
                        .text(curve.setting), .text(point.value), rate("acceptedPerSecond", point.acceptedPerSecond),
                        rate("modelPerSecond", point.modelPerSecond),
                    ])
            }
        }
        return table.isEmpty ? .nothing : .folded("The curves as a table", [table.markup])
    }
}
