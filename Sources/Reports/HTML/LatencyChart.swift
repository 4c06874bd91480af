import Histograms
import Primitives
import RunRecords

/// Latencies by percentile: each ninth of the way to 100 % takes the same room, so that tails are as wide as the rest.
struct LatencyChart {
    /// One line.
    struct Line {
        var name: String
        var color: ChartColor
        var dash: ChartDash
        var width = 2.0
        /// 1/(1-q) and the value there, ascending.
        fileprivate var points: [(x: Double, nanoseconds: Double)] = []
        /// Behind this many there are fewer than ten values.
        fileprivate var trusted = 0
        fileprivate var quantiles = QuantilesRecord()

        /// - Returns: nil of fewer values than make a distribution, and of histograms that cannot be read.
        init?(_ name: String, _ series: LatencyRecord, _ color: ChartColor, _ dash: ChartDash, width: Double = 2) {
            guard series.count >= 20, let histogram = try? Histogram(base64: series.histogram), histogram.count >= 20
            else { return nil }
            self.name = name
            self.color = color
            self.dash = dash
            self.width = width
            quantiles = series.quantiles
            let maximum = Double(histogram.count)
            for row in histogram.percentileRows() {
                // The closing row stands where one value is left.
                let x = min(row.percentile < 100 ? 1 / (1 - row.percentile / 100) : maximum, maximum)
                points.append((x, max(1, Double(row.value))))
            }
            trusted = points.firstIndex { $0.x > maximum / 10 } ?? points.count
        }
    }

    private let lines: [Line]
    private let title: String

    init?(title: String, _ lines: [Line]) {
        guard !lines.isEmpty else { return nil }
        self.lines = lines
        self.title = title
    }

    /// The most telling series of a run; nil where none has enough values.
    init?(_ record: RunRecord) {
        let names = [
            "response", "service", "responseBound", "serviceBound", "serviceRefused", "residence", "errorReply",
            "reconnect",
        ]
        let present = names.filter { (record.latency[$0]?.count ?? 0) >= 20 }.prefix(ChartColor.lines.count)
        let lines = zip(present, zip(ChartColor.lines, ChartDash.allCases)).compactMap { name, look in
            record.latency[name].flatMap { Line(name, $0, look.0, look.1) }
        }
        self.init(title: "Latency by percentile", lines)
    }

    var chart: Chart {
        let values = lines.flatMap { $0.points.map(\.nanoseconds) }
        let (low, high) = ((values.min() ?? 1) / 1.3, (values.max() ?? 1) * 1.3)
        let widest = lines.flatMap { $0.points.map(\.x) }.max() ?? 10
        var script = ChartScript(height: 340)
        for (index, line) in lines.enumerated() {
            // Both parts have the point where they meet.
            script.add(data: "trusted", index, line.points.prefix(line.trusted).map { [$0.x, $0.nanoseconds] })
            script.add(
                data: "tail", index, line.points.dropFirst(max(0, line.trusted - 1)).map { [$0.x, $0.nanoseconds] })
        }
        script.place(top: 12, bottom: 306)
        script.add("set logscale xy 10")
        script.add("set xrange [1:\(max(widest, 10))]")
        script.add("set yrange [\(low):\(high)]")
        script.mark(.x, percentiles(to: widest), as: .oneIn)
        script.mark(.y, ChartTicks.decades(from: low, to: high), as: .time)
        script.add("set grid xtics ytics back lc \(ChartColor.grid) lw 1 dt solid")
        script.add("plot 1/0 \\")
        for (index, line) in lines.enumerated() {
            script.add(
                """
                , \(data: "trusted", index) using 1:2 with lines lc \(line.color) lw \(line.width) \(line.dash), \
                \(data: "tail", index) using 1:2 with lines lc \(line.color) lw 0.8 dt solid \\
                """)
        }
        script.add("")
        return Chart(
            title: title, description: described, legend: legend, script: script,
            note:
                "Both scales are logarithmic. Lines are thin where fewer than ten values lie beyond, up to the longest one.",
            showsDescription: false)
    }

    private func percentiles(to widest: Double) -> [Double] {
        var ticks = [1.0, 2]
        while (ticks.last ?? 0) * 5 <= widest * 1.0001, ticks.count < 12 {
            ticks.append(ticks.count == 2 ? 10 : (ticks.last ?? 0) * 10)
        }
        return ticks.filter { $0 <= max(widest, 10) }
    }

    private var legend: [Chart.Entry] {
        lines.map { Chart.Entry(name: $0.name, color: $0.color, dash: $0.dash, width: $0.width) }
    }

    private var described: String {
        lines.map { line in
            let known = [("p50", line.quantiles.p50), ("p99", line.quantiles.p99), ("p99.9", line.quantiles.p999)]
                .filter { $0.1 != nil }.map { "\($0.0) \(FigureText.time($0.1))" }
            let longest = line.points.last.map { "longest \(FigureText.value($0.nanoseconds, .time))" }
            return "\(line.name): \((known + [longest].compactMap { $0 }).joined(separator: ", "))"
        }.joined(separator: "; ") + "."
    }
}
