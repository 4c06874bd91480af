import Primitives
import RunRecords

extension SweepRecord {
    /// The profile's keys of what is wrong with notifications.
    private static let faultKeys = "workload.faults."
    private static let badTokenKey = "workload.faults.badToken"
    private static let roundTripKey = "target.simulator.roundTrip"
    /// Shares for which a curve along the bad tokens is drawn in any case.
    private static let usualShares = [0.000_01, 0.000_1, 0.001, 0.01]

    /// What bad tokens cost, by the runs so far; nil if no run had any.
    func badTokenFindings(_ byCell: [Int: [SweepRunRecord]], scatter: Double) -> BadTokenFindings? {
        let sameSetting = runsBySetting(byCell)
        let cases = (0..<grid.count).map { cell in
            BadTokenCase(
                cell: cell, runs: complete(cell, byCell), sameSetting: sameSetting[otherValues(ofCell: cell)] ?? [])
        }
        let prices = cases.compactMap { $0?.price(scatter: scatter) }
        guard !prices.isEmpty else {
            let isHTTP2 = runs.contains { $0.badTokens == nil } && varies(Self.badTokenKey)
            return isHTTP2
                ? BadTokenFindings(
                    prices: [], curves: [], note: "\(BadTokenObstacle.requests): there is no price to tell")
                : nil
        }
        let curves =
            curves(along: Self.badTokenKey, byCell, cases) { $0.errors > $1.errors }
            + curves(along: Self.roundTripKey, byCell, cases) { $0.cell < $1.cell }
        return BadTokenFindings(prices: prices, curves: curves)
    }

    private func varies(_ key: String) -> Bool { grid.axes.contains { $0.key == key && $0.values.count > 1 } }

    private func complete(_ cell: Int, _ byCell: [Int: [SweepRunRecord]]) -> [SweepRunRecord] {
        let runs = byCell[cell] ?? []
        return runs.allSatisfy(\.isComplete) ? runs : []
    }

    /// All runs, by the values of all keys but those of what is wrong with notifications.
    private func runsBySetting(_ byCell: [Int: [SweepRunRecord]]) -> [[String]: [SweepRunRecord]] {
        var found: [[String]: [SweepRunRecord]] = [:]
        for cell in byCell.keys.sorted() { found[otherValues(ofCell: cell), default: []] += complete(cell, byCell) }
        return found
    }

    private func otherValues(ofCell cell: Int) -> [String] {
        zip(grid.axes, grid.values(ofCell: cell)).filter { !$0.0.key.hasPrefix(Self.faultKeys) }.map(\.1)
    }

    // MARK: - Curves

    /// A curve for each combination of the other keys' values; `isBetter` tells which case the model of the whole curve rests on.
    private func curves(
        along key: String, _ byCell: [Int: [SweepRunRecord]], _ cases: [BadTokenCase?],
        isBetter: (BadTokenCase, BadTokenCase) -> Bool
    ) -> [BadTokenCurve] {
        guard let axis = grid.axes.firstIndex(where: { $0.key == key }), grid.axes[axis].values.count > 1 else {
            return []
        }
        let starts = (0..<grid.count).filter { grid.place(ofCell: $0)[axis] == 0 }
        return starts.compactMap { start in
            let line = grid.axes[axis].values.indices.compactMap { index in
                var place = grid.place(ofCell: start)
                place[axis] = index
                return grid.cell(at: place)
            }
            let able = line.compactMap { cases[$0] }.filter { (try? $0.model()) != nil }
            guard let anchor = able.min(by: isBetter), let model = try? anchor.model().model else { return nil }
            let others = zip(grid.axes, grid.values(ofCell: start)).filter { $0.0.key != key }
            var curve = BadTokenCurve(
                key: key, setting: others.map { "\($0.0.key)=\($0.1)" }.joined(separator: " "), anchor: anchor.cell,
                points: line.map { point(ofCell: $0, axis: axis, byCell, model, anchor) })
            if key == Self.badTokenKey {
                let known = curve.points.map(\.badShare) + line.compactMap { Double(grid.values(ofCell: $0)[axis]) }
                for share in Self.usualShares where !known.contains(where: { abs($0 - share) < 0.01 * share }) {
                    curve.points.append(
                        BadTokenCurvePoint(
                            value: "\(share)", badShare: share,
                            modelPerSecond: Self.rate(of: model.with(badShare: share))))
                }
            }
            return curve
        }
    }

    private func point(
        ofCell cell: Int, axis: Int, _ byCell: [Int: [SweepRunRecord]], _ model: BadTokenModel, _ anchor: BadTokenCase
    ) -> BadTokenCurvePoint {
        let value = grid.values(ofCell: cell)[axis]
        let runs = complete(cell, byCell)
        let measured = BadTokenCase(cell: cell, runs: runs)
        var other = model
        var share = measured?.badShare ?? 0
        if grid.axes[axis].key == Self.roundTripKey {
            if runs.isEmpty { share = model.badShare }
            let change = (Self.time(value) ?? .zero) - (Self.time(grid.values(ofCell: anchor.cell)[axis]) ?? .zero)
            other = model.moved(by: change, round: anchor.round(of: model))
        } else if runs.isEmpty {
            share = Double(value) ?? 0
        }
        return BadTokenCurvePoint(
            value: value, cell: cell, badShare: share,
            acceptedPerSecond: SweepCell(values: [], runs: runs).acceptedPerSecond,
            modelPerSecond: Self.rate(of: other.with(badShare: share)))
    }

    private static func time(_ text: String) -> Interval? { try? Interval(text: text) }

    /// The model's rate; without bad tokens the one that it starts from.
    private static func rate(of model: BadTokenModel) -> Double? {
        model.badShare > 0 ? (try? model.figures())?.acceptedPerSecond : model.errorFreePerSecond
    }
}
