import Analysis
import Primitives
import RunRecords

/// What a sweep says about bad tokens, for the terminal: the price at each combination with the model beside it, and the curves.
struct BadTokenTable {
    private let findings: BadTokenFindings
    private let grid: SweepGrid

    init(_ findings: BadTokenFindings, of grid: SweepGrid) {
        self.findings = findings
        self.grid = grid
    }

    func lines(_ style: TerminalStyle) -> [String] {
        if let note = findings.note { return [style.shown(note)] }
        return ["the price of a bad token, and what the model says (its error)"] + prices.lines(style)
            + (bases + obstacles).map(style.shown) + findings.curves.map { style.shown(text(of: $0)) }
    }

    // MARK: - Prices

    var prices: TextTable {
        var table = TextTable(
            grid.axes.map { _ in .right } + [.right, .right, .right] + Self.figures.flatMap { _ in [.right, .left] })
        table.add(
            grid.axes.map(\.key) + ["errors", "reply", "reconnect"] + Self.figures.flatMap { [$0.name, "model"] })
        for price in findings.prices {
            let times = [price.replyNs, price.reconnectNs].map { FigureText.value($0, .time) }
            table.add(
                grid.values(ofCell: price.cell) + [FigureText.count(price.errors)] + times
                    + Self.figures.flatMap { cells(of: $0, price) })
        }
        return table
    }

    /// So many combinations are named that have the same reason.
    private static let placesMax = 3

    private struct Figure {
        var name: String
        var path: any KeyPath<BadTokenFigures, Double?> & Sendable
    }

    private static let figures = [
        Figure(name: "in flight", path: \.inFlight), Figure(name: "resent", path: \.resent),
        Figure(name: "lost each", path: \.lost), Figure(name: "accepted/s", path: \.acceptedPerSecond),
    ]

    /// A figure as measured, and as the model has it.
    private func cells(of figure: Figure, _ price: BadTokenPrice) -> [String] {
        let isLoss = figure.path == \BadTokenFigures.lost
        var measured = FigureText.value(price.measured[keyPath: figure.path], .count)
        if isLoss, let error = price.lostStandardError { measured += " ± \(FigureText.value(error, .count))" }
        var model = FigureText.value(price.model?[keyPath: figure.path], .count)
        if let error = price.modelError?[keyPath: figure.path] { model += " (\(Self.signed(error)))" }
        return [measured, model]
    }

    static func signed(_ share: Double) -> String {
        (share < 0 ? "" : "+") + decimalText(100 * share, places: 0) + " %"
    }

    /// What the model starts from, once for all that start from the same.
    var bases: [String] {
        var cells: [String: Int] = [:]
        for price in findings.prices {
            guard let basis = price.errorFreeBy, let bound = price.bound else { continue }
            cells[
                "the model's rate without errors is that of \(basis.text), bound by the \(bound.rawValue)", default: 0] +=
                1
        }
        let texts = cells.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return texts.map { texts.count == 1 ? $0.key : "\($0.key): \($0.value) of \(findings.prices.count)" }
    }

    var obstacles: [String] {
        let reasons = Dictionary(grouping: findings.prices.filter { $0.obstacle != nil }) { $0.obstacle ?? "" }
        return reasons.sorted { ($0.value[0].cell, $0.key) < ($1.value[0].cell, $1.key) }.map { reason, prices in
            let places = prices.prefix(Self.placesMax).map { grid.text(ofCell: $0.cell) }.joined(separator: ", ")
            let isMany = prices.count > Self.placesMax
            return "no model at \(isMany ? "\(prices.count) combinations" : places): \(reason)"
        }
    }

    // MARK: - Curves

    private func text(of curve: BadTokenCurve) -> String {
        let points = curve.points.map { point in
            let measured = point.acceptedPerSecond.map(FigureText.rate)
            let model = point.modelPerSecond.map { "model \(FigureText.rate($0))" }
            return "\(point.value): " + (measured.map { own in own + (model.map { " (\($0))" } ?? "") } ?? model ?? "-")
        }
        let place = curve.setting.isEmpty ? "" : " at \(curve.setting)"
        return "accepted/s over \(curve.key)\(place): " + points.joined(separator: ", ")
    }
}
