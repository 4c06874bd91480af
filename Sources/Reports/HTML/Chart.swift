/// A drawing with all that a reader needs who does not see it.
struct Chart {
    /// A line of the legend.
    struct Entry {
        var name: String
        var color: ChartColor
        var dash = ChartDash.solid
        var width = 2.0
        /// The points in place of a line; nil of a line.
        var point: ChartPoint?
    }

    /// What it shows, in a few words.
    var title: String
    /// What there is to be seen in it, in sentences, for readers who do not see it.
    var description: String
    /// What its lines are.
    var legend: [Entry]
    var script: ChartScript
    /// What else a reader should know.
    var note = ""
    /// Whether the description is of use to readers who see the drawing, too.
    var showsDescription = true
}

/// Draws the charts of one page, as long as gnuplot does what it is asked for.
///
/// What goes wrong with it leaves drawings out, and nothing else.
final class ChartPrinter {
    private let gnuplot: Gnuplot?
    private var count = 0
    /// Why there are no drawings, or no more of them; nil while there are.
    private(set) var obstacle: String?

    /// - Parameter gnuplot: what draws; nil if it is not there.
    init(_ gnuplot: Gnuplot?) {
        self.gnuplot = gnuplot
        guard gnuplot == nil else { return }
        obstacle =
            "Charts are drawn by gnuplot, which is not installed here; on Debian, apt-get install gnuplot-nox brings it."
    }

    /// A figure with the drawing; nothing if it cannot be drawn, or if there is nothing to draw.
    func figure(_ chart: Chart?) -> Markup {
        guard let chart, let gnuplot, obstacle == nil else { return .nothing }
        do throws(GnuplotFailure) {
            count += 1
            var pictures: [Markup] = []
            for size in ChartScript.Size.allCases {
                let name = size == .wide ? "chart-\(count)" : "chart-\(count)-\(size.rawValue)"
                let drawing = try ChartDrawing(gnuplot.draw(chart.script.text(size)), name: name)
                pictures.append(picture(drawing, chart, size, name: name))
            }
            let frame = Markup.element("div", ["class": "drawing"], pictures)
            return Markup.element("figure", [:], [caption(chart), legend(chart), frame])
        } catch {
            // Whatever is wrong with one is wrong with the next, and a time-out should be waited for once.
            obstacle = "Charts were left out: \(error)."
            return .nothing
        }
    }

    /// One of the two drawings; the page shows the one that suits the screen.
    private func picture(_ drawing: ChartDrawing, _ chart: Chart, _ size: ChartScript.Size, name: String) -> Markup {
        let names = (title: "\(name)-title", description: "\(name)-description")
        return Markup.element(
            "svg",
            [
                "class": "chart \(size.rawValue)", "viewBox": "0 0 \(size.width) \(chart.script.height)", "role": "img",
                "aria-labelledby": "\(names.title) \(names.description)",
            ],
            [
                .element("title", ["id": names.title], text: chart.title),
                .element("desc", ["id": names.description], text: chart.description), drawing.markup,
            ])
    }

    private func legend(_ chart: Chart) -> Markup {
        guard !chart.legend.isEmpty else { return .nothing }
        let entries = chart.legend.map { entry -> Markup in
            let dashes = entry.dash.lengths.map { "\($0)" }.joined(separator: " ")
            let color = entry.color.rawValue
            let line = Markup.element(
                "path",
                [
                    "class": entry.point == .circle ? "k\(color) f\(color)" : "k\(color)",
                    "d": entry.point?.outline ?? "M0 6H30", "fill": entry.point == .circle ? nil : "none",
                    "stroke-width": "\(entry.width)", "stroke-dasharray": dashes.isEmpty ? nil : dashes,
                ])
            let sample = Markup.element("svg", ["viewBox": "0 0 30 12", "aria-hidden": "true"], [line])
            return .element("li", [:], [sample, .text(entry.name)])
        }
        return .element("ul", ["class": "legend"], entries)
    }

    private func caption(_ chart: Chart) -> Markup {
        let text = [chart.showsDescription ? chart.description : "", chart.note].filter { !$0.isEmpty }.joined(
            separator: " ")
        return .element("figcaption", [:], [.element("b", text: chart.title), .text(text)])
    }
}
