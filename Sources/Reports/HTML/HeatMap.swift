import Analysis
import RunRecords

/// The map of a sweep as a table whose cells are the darker the faster a combination was. Each says its rate, and in words what else there
/// is to know, so that nothing is told by colour alone.
struct HeatMap {
    private let record: SweepRecord
    private let map: SweepMap

    /// So many rows and columns are shown at most.
    static let sideLimit = 40
    /// Where a step of the colour begins, as a share of the best; the last one is where rates count as good as the best.
    static let steps = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, SweepRace.goodShare]

    init(_ record: SweepRecord, _ map: SweepMap) {
        self.record = record
        self.map = map
    }

    /// The table with its scale.
    var markup: Markup { .joined([table, scale, .list(cut, class: "origin")]) }

    private var caption: String {
        "Accepted notifications a second: \(map.rows.key) downwards, \(map.columns.key) to the right"
            + (map.yardstick == "the best" ? "" : "; shares are of \(map.yardstick)")
            + (map.condition.isEmpty ? "" : "; with \(map.condition)")
    }

    private var table: Markup {
        let columns = map.columns.values.prefix(Self.sideLimit)
        let top = Markup.element(
            "tr", [:],
            [
                .element("td"),
                .element("th", ["scope": "colgroup", "colspan": "\(columns.count)"], text: map.columns.key),
            ])
        let head = Markup.element(
            "tr", [:],
            [.element("th", ["scope": "col"], text: map.rows.key)]
                + columns.map { .element("th", ["scope": "col"], text: $0) })
        let rows = map.rows.values.prefix(Self.sideLimit).enumerated().map { row, value in
            Markup.element(
                "tr", [:],
                [.element("th", ["scope": "row"], text: value)]
                    + columns.indices.map { cell(map.cell(row: row, column: $0)) })
        }
        let table = Markup.element(
            "table", ["class": "map"],
            [
                .element("caption", text: caption), .element("thead", [:], [top, head]),
                .element("tbody", [:], rows),
            ])
        return .element(
            "div",
            [
                "class": columns.count > 3 ? "scroll many" : "scroll", "role": "region", "tabindex": "0",
                "aria-label": caption,
            ], [table])
    }

    private func cell(_ cell: Int) -> Markup {
        let remarks = record.remarks(on: cell, map.findings)
        let share = map.share(ofCell: cell)
        let looks = [
            share.map { "heat\(Self.step(of: $0))" } ?? "none", remarks.contains(.recommended) ? "picked" : nil,
            remarks.contains(.thresholdsFail) || remarks.contains(.incomplete) ? "broken" : nil,
        ]
        var content: [Markup] = []
        if let rate = map.findings.cells[cell].acceptedPerSecond {
            content.append(.rate("cells.\(cell).acceptedPerSecond", rate))
        } else if !remarks.contains(.notRun) {
            content.append(.absent("no rate"))
        }
        if let share { content.append(.element("small", text: "\(ChartUnit.share.text(share)) of the best")) }
        content += remarks.map { remark in
            .element("small", ["class": remark.mood?.rawValue], text: "\(remark.sign) \(remark.text)")
        }
        return .element("td", ["class": looks.compactMap { $0 }.joined(separator: " ")], content)
    }

    static func step(of share: Double) -> Int { (steps.lastIndex { share >= $0 } ?? 0) }

    private var scale: Markup {
        let shown = [0, 2, 4, 6, 8, 9].map { step -> Markup in
            let name = step == 0 ? "slowest" : "from \(ChartUnit.share.text(Self.steps[step])) of the best"
            let sample = Markup.element("span", ["class": "heat\(step)", "aria-hidden": "true"])
            return .element("li", [:], [sample, .text(name)])
        }
        return .element("ul", ["class": "scale", "aria-label": "The colours"], shown)
    }

    private var cut: [String] {
        [map.rows, map.columns].filter { $0.values.count > Self.sideLimit }.map { axis in
            "Of \(axis.values.count) values of \(axis.key) the first \(Self.sideLimit) are shown; the table has the best of all."
        }
    }
}

extension SweepRemark {
    /// Whether it is good news.
    var mood: HTMLPage.Mood? {
        switch self {
        case .recommended: .good
        case .incomplete, .thresholdsFail: .bad
        case .uneven: .caution
        case .notRun, .givenUp: nil
        }
    }

    /// A sign that goes before the word.
    var sign: String {
        switch self {
        case .recommended: "★"
        case .incomplete, .thresholdsFail: "✕"
        case .uneven: "≠"
        case .notRun: "○"
        case .givenUp: "▾"
        }
    }
}
