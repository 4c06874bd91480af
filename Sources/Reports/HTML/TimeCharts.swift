import Primitives
import RunRecords

/// What a run did over time, one value for each interval.
struct TimeCharts {
    private let groups: [IntervalGroups.Group]
    private let remark: String
    private let phases: [PhaseRecord]
    private let end: Double

    /// - Returns: nil where intervals are too few to show anything over time.
    init?(_ record: RunRecord) {
        let joined = IntervalGroups(record.intervals, limit: 300)
        groups = joined.withoutShortEnd.filter { $0.lengthNs > 0 && $0.startNs >= 0 }
        guard groups.count > 1, let last = groups.last, last.seconds.end > 0 else { return nil }
        remark = joined.remark
        phases = record.phases ?? []
        end = last.seconds.end
    }

    // MARK: - Rates

    /// Rates, and below them how many notifications were refused and connections replaced.
    var rates: Chart {
        let accepted = groups.map { $0.perSecond($0.accepted) }
        let written = groups.map { $0.perSecond($0.written) }
        let isAcceptedKnown = accepted.contains { $0 != nil }
        let strips: [(name: StaticString, color: ChartColor, counts: [Int64])] = [
            ("rejected", .bad, groups.map(\.rejected)), ("reconnects", .fourth, groups.map(\.reconnects)),
        ].filter { strip in strip.counts.contains { $0 > 0 } }
        let bottom = 244
        var script = ChartScript(height: bottom + strips.count * 62 + 38)
        add(&script, steps: "accepted", accepted)
        add(&script, steps: "written", written)
        script.add("set multiplot")
        script.place(top: 20, bottom: bottom)
        range(&script, showsText: strips.isEmpty)
        let highest = (accepted + written).compactMap { $0 }.max() ?? 0
        script.add("set yrange [0:\(max(highest * 1.06, 1e-9))]")
        script.mark(.y, ChartTicks.linear(to: highest, about: 5), as: .rate)
        borders(&script)
        if isAcceptedKnown {
            script.add(
                """
                plot \(data: "accepted") using 1:2 with fillsteps fc \(ChartColor.first) fs solid 0.12 noborder, \
                \(data: "written") using 1:2 with steps lc \(ChartColor.second) lw 1.5 \(ChartDash.short), \
                \(data: "accepted") using 1:2 with steps lc \(ChartColor.first) lw 2
                """)
        } else {
            script.add("plot \(data: "written") using 1:2 with steps lc \(ChartColor.second) lw 1.5 \(ChartDash.short)")
        }
        script.add("unset label")
        script.add("unset arrow")
        for (index, strip) in strips.enumerated() {
            script.place(top: bottom + 30 + index * 62, bottom: bottom + 68 + index * 62)
            bars(&script, strip.name, strip.color, strip.counts.map(Double.init), isLast: index == strips.count - 1)
        }
        script.add("unset multiplot")
        let legend = [
            Chart.Entry(name: "accepted", color: .first),
            Chart.Entry(name: "written", color: .second, dash: .short, width: 1.5),
        ]
        return Chart(
            title: "Rate over time", description: told(isAcceptedKnown ? accepted : written, isAcceptedKnown),
            legend: isAcceptedKnown ? legend : [legend[1]], script: script, note: remark)
    }

    private func told(_ rates: [Double?], _ isAcceptedKnown: Bool) -> String {
        let whole = rates.compactMap { $0 }.sorted()
        guard let low = whole.first, let high = whole.last else { return "" }
        let middle = whole[whole.count / 2]
        let struck = groups.count { $0.rejected > 0 || $0.reconnects > 0 }
        let name = isAcceptedKnown ? "Accepted" : "Written"
        return
            "\(name) notifications a second in each interval: between \(FigureText.rate(low)) and \(FigureText.rate(high)), "
            + "\(FigureText.rate(middle)) at the median. "
            + (struck == 0
                ? "Nothing was rejected and no connection was replaced."
                : "Something was rejected or a connection replaced in \(struck) of \(groups.count) intervals; the rows below show how often.")
    }

    /// A row of bars, with the highest count beside it.
    private func bars(
        _ script: inout ChartScript, _ name: StaticString, _ color: ChartColor, _ counts: [Double], isLast: Bool
    ) {
        let highest = counts.max() ?? 0
        let rows = zip(groups, counts).map { group, count -> [Double?] in
            let (start, end) = group.seconds
            return [(start + end) / 2, count, (end - start) * 0.6]
        }
        script.add(data: name, 0, rows)
        range(&script, showsText: isLast)
        script.add("set yrange [0:\(max(highest, 1))]")
        script.mark(.y, [0, highest], as: .count)
        script.add("set label 9 \(word: name) at graph 0,1 left offset 0.4,0.75 textcolor \(ChartColor.text)")
        script.add("plot \(data: name) using 1:2:3 with boxes fc \(color) fs solid 1 noborder")
    }

    // MARK: - Latencies and processors

    /// Residence over time; nil where it was not measured.
    var residence: Chart? {
        let series: [(String, ChartColor, ChartDash, [Double?])] = [
            ("p50", .first, .solid, groups.map { $0.residenceP50Ns.map(Double.init) }),
            ("p99", .second, .long, groups.map { $0.residenceP99Ns.map(Double.init) }),
            ("highest", .fifth, .short, groups.map { $0.residenceMaxNs.map(Double.init) }),
        ]
        let values = series.flatMap(\.3).compactMap { $0 }.filter { $0 > 0 }
        guard let low = values.min(), let high = values.max() else { return nil }
        var script = ChartScript(height: 270)
        for (index, each) in series.enumerated() {
            add(&script, steps: "residence", number: index, each.3.map { $0.flatMap { $0 > 0 ? $0 : nil } })
        }
        script.place(top: 20, bottom: 240)
        range(&script, showsText: true)
        script.add("set logscale y 10")
        script.add("set yrange [\(low / 1.3):\(high * 1.3)]")
        script.mark(.y, ChartTicks.decades(from: low / 1.3, to: high * 1.3), as: .time)
        borders(&script)
        script.add(
            """
            plot \(data: "residence", 0) using 1:2 with steps lc \(ChartColor.first) lw 2 \(ChartDash.solid), \
            \(data: "residence", 1) using 1:2 with steps lc \(ChartColor.second) lw 1.5 \(ChartDash.long), \
            \(data: "residence", 2) using 1:2 with steps lc \(ChartColor.fifth) lw 1.5 \(ChartDash.short)
            """)
        let p99 = series[1].3.compactMap { $0 }
        let told =
            p99.isEmpty
            ? "" : "p99 lay between \(FigureText.value(p99.min(), .time)) and \(FigureText.value(p99.max(), .time))."
        return Chart(
            title: "Residence over time", description: "Residence in each interval, on a logarithmic scale. " + told,
            legend: series.map { Chart.Entry(name: $0.0, color: $0.1, dash: $0.2) }, script: script, note: remark)
    }

    /// How many cores each side used; nil where that was not measured.
    var processors: Chart? {
        let sender = groups.map { $0.perSecond($0.senderCPUNs).map { $0 / 1e9 } }
        let simulator = groups.map { $0.perSecond($0.simulatorCPUNs).map { $0 / 1e9 } }
        guard let highest = (sender + simulator).compactMap({ $0 }).max(), highest > 0 else { return nil }
        var script = ChartScript(height: 220)
        add(&script, steps: "sender", sender)
        add(&script, steps: "simulator", simulator)
        script.place(top: 20, bottom: 190)
        range(&script, showsText: true)
        script.add("set yrange [0:\(highest * 1.06)]")
        script.mark(.y, ChartTicks.linear(to: highest, about: 5), as: .cores)
        borders(&script)
        script.add(
            """
            plot \(data: "sender") using 1:2 with steps lc \(ChartColor.first) lw 2, \
            \(data: "simulator") using 1:2 with steps lc \(ChartColor.second) lw 1.5 \(ChartDash.long)
            """)
        let told = [("Sender", sender), ("simulator", simulator)].compactMap { name, values in
            values.compactMap { $0 }.max().map { "\(name) at most \(decimalText($0, places: 2)) cores" }
        }
        return Chart(
            title: "Processors over time",
            description: "Cores that each side used in each interval: \(told.joined(separator: ", ")).",
            legend: [
                Chart.Entry(name: "sender", color: .first),
                Chart.Entry(name: "simulator", color: .second, dash: .long, width: 1.5),
            ], script: script, note: remark)
    }

    // MARK: - Parts

    private func add(_ script: inout ChartScript, steps name: StaticString, number: Int = 0, _ values: [Double?]) {
        var rows = zip(groups, values).map { [$0.seconds.start, $1] }
        if let last = groups.last { rows.append([last.seconds.end, values.last ?? nil]) }
        script.add(data: name, number, rows)
    }

    private func range(_ script: inout ChartScript, showsText: Bool) {
        script.add("set xrange [0:\(end)]")
        script.mark(.x, ChartTicks.seconds(to: end, about: 10), as: .seconds, showsText: showsText)
    }

    /// Lines where the measured part began and ended, if it did not begin with the run.
    private func borders(_ script: inout ChartScript) {
        guard phases.contains(where: { $0.name == "warmup" && $0.lengthNs > 0 }) else { return }
        for (index, phase) in phases.prefix(3).enumerated() {
            guard let name = Self.word(of: phase) else { continue }
            let (start, length) = (Double(phase.startNs) / 1e9, Double(phase.lengthNs) / 1e9)
            guard start >= 0, length > 0, start < end else { continue }
            if start > 0 {
                script.add(
                    """
                    set arrow \(index + 1) from \(start),graph 0 to \(start),graph 1 nohead lc \(ChartColor.text) lw 1 \
                    \(ChartDash.dots)
                    """)
            }
            guard length > end * 0.08 else { continue }
            script.add(
                "set label \(index + 1) \(word: name) at \(start),graph 1 left offset 0.4,0.6 textcolor \(ChartColor.text)"
            )
        }
    }

    private static func word(of phase: PhaseRecord) -> StaticString? {
        switch phase.name {
        case "warmup": "warm-up"
        case "measure": "measured"
        case "drain": "drain"
        default: nil
        }
    }
}
