import Foundation
import RunRecords
import Testing

@testable import Analysis
@testable import Reports

@Suite struct ChartTests {
    /// A program in gnuplot's place.
    private static func program(_ script: String, in folder: TemporaryFolder) throws -> String {
        // Another process writes it: a descriptor of ours, inherited by what other tests start meanwhile, would make the file busy.
        try folder.write("script", "#!/bin/sh\n\(script)\n")
        let copy = "cp '\(folder.path("script"))' '\(folder.path("gnuplot"))' && chmod 755 '\(folder.path("gnuplot"))'"
        try #require(system(copy) == 0)
        return folder.path("gnuplot")
    }

    private static let drawing =
        #"<svg viewBox="0 0 9 9"><g fill="none"><path stroke='rgb(  1,   0,   2)' d='M0,0 L9,9 '/></g></svg>"#

    @Test func `a drawing keeps what draws, with classes for colours and identifiers of its own`() throws {
        let text = """
            <?xml version="1.0"?>
            <svg viewBox="0 0 9 9"><title>x</title><g id="gnuplot_canvas"><rect x="0" y="0" width="9" height="9" fill="none"/>
            <defs><circle id='gpPt5' cx='0' cy='0' r='1'/><use xlink:href='#gpPt5' id='gpPt6' fill='currentColor' stroke='none'/>
            <filter id='textbox'><feFlood flood-color='white'/></filter></defs>
            <g fill="none" color="black" stroke="currentColor"></g>
            <path stroke='rgb(  1,   0,   3)' stroke-dasharray='4,2' d='M1,1 L2,2
            L3,3 '/><use xlink:href='#gpPt6' transform='scale(2)' color='rgb(1,0,4)'/>
            <g fill="rgb(1,0,0)" text-anchor="end"><text><tspan font-family="a" >5 &lt; 6</tspan></text></g></g></svg>
            """
        #expect(
            try ChartDrawing(text, name: "chart-7").markup.html
                == "<g><defs><circle cx=\"0\" cy=\"0\" id=\"chart-7-gpPt5\" r=\"1\"></circle>"
                + "<use fill=\"currentColor\" id=\"chart-7-gpPt6\" stroke=\"none\" href=\"#chart-7-gpPt5\"></use></defs>"
                + "<path d=\"M1,1 L2,2 L3,3\" stroke-dasharray=\"4,2\" class=\"k3\"></path>"
                + "<use transform=\"scale(2)\" href=\"#chart-7-gpPt6\" class=\"c4\"></use>"
                + "<g text-anchor=\"end\" class=\"f0\"><text>5 &lt; 6</text></g></g>")
    }

    @Test(arguments: [
        "", "nonsense", "<svg></svg>", "<svg><g>", "<svg><script>alert(1)</script></svg>",
        "<svg><g onclick='x'><path d='M0 L1'/></g></svg>",
        "<svg><a href='http://x'><path d='M0 L1'/></a></svg>", "<svg><image href='x'/></svg>",
        "<svg><path d='M0 L1' style='a'/></svg>",
        "<svg><path d='M0 L1/></svg>", "<svg><use xlink:href='http://x'/></svg>", "<svg><path d=M0L1 /></svg>",
        "<html></html>",
        "<svg>" + String(repeating: "<g>", count: 100_000),
    ])
    func `what is no drawing of gnuplot's is none`(text: String) {
        #expect(throws: GnuplotFailure.self) { try ChartDrawing(text, name: "chart-1") }
    }

    @Test func `each mutation of a drawing is a drawing or none, and never leads out`() throws {
        let bytes = Array(Self.drawing.utf8)
        for index in bytes.indices {
            for byte in [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "'"), UInt8(ascii: "&"), 0, 0xFF] {
                var changed = bytes
                changed[index] = byte
                guard let drawing = try? ChartDrawing(String(decoding: changed, as: UTF8.self), name: "chart-1") else {
                    continue
                }
                #expect(!drawing.markup.html.contains("<script") && !drawing.markup.html.contains(" on"))
            }
        }
    }

    @Test func `gnuplot is found in folders that are named from the root, and nowhere else`() throws {
        let folder = try TemporaryFolder()
        _ = try Self.program("exit 0", in: folder)
        let place = String(folder.path("").dropLast())
        #expect(Gnuplot.find(in: "/nowhere:\(place)") != nil)
        for list in [nil, "", ":", "/nowhere", "."] { #expect(Gnuplot.find(in: list) == nil) }
    }

    @Test func `what gnuplot draws is asked for on its input and read from its output`() throws {
        let folder = try TemporaryFolder()
        let program = try Self.program("cat", in: folder)
        let long = String(repeating: "0123456789\n", count: 100_000)
        #expect(try Gnuplot(path: program).draw(long) == long)
        #expect(try Gnuplot(path: Self.program("env", in: folder)).draw("").contains("LC_ALL=C.UTF-8"))
        #expect(try !Gnuplot(path: Self.program("env", in: folder)).draw("").contains("HOME"))
    }

    @Test(arguments: [
        ("exit 1", GnuplotFailure.failed), ("kill -9 $$", .failed), ("exec sleep 60", .late),
        ("sleep 60 & sleep 60", .late),
        ("exec <&- >&-; sleep 60", .late), ("yes", .unreadable("more than 4194304 bytes")),
    ])
    func `a gnuplot that fails or hangs is left behind`(script: String, failure: GnuplotFailure) throws {
        let folder = try TemporaryFolder()
        let gnuplot = Gnuplot(
            path: try Self.program(script, in: folder), within: failure == .late ? 300_000_000 : 20_000_000_000)
        #expect(throws: failure) { try gnuplot.draw("plot x") }
        #expect(throws: GnuplotFailure.cannotStart(2)) { try Gnuplot(path: folder.path("none")).draw("") }
    }

    @Test(arguments: ["exit 1", "exec sleep 60", "echo '<svg><script>x</script></svg>'"])
    func `a page whose charts cannot be drawn stands without them and says why`(script: String) throws {
        let folder = try TemporaryFolder()
        let gnuplot = Gnuplot(path: try Self.program(script, in: folder), within: 2_000_000_000)
        let page = HTMLReport.page(.run(try namedRecord()), gnuplot)
        #expect(page.contains("Charts were left out: ") && !page.contains("role=\"img\"") && page.contains("<h2"))
    }

    @Test func `gnuplot is told numbers and words of ours, whatever a record says`() throws {
        let folder = try TemporaryFolder()
        let heard = folder.path("heard")
        try folder.write("drawing.svg", Self.drawing)
        let script = "cat >> \(heard); cat \(folder.path("drawing.svg"))"
        let gnuplot = Gnuplot(path: try Self.program(script, in: folder))
        var record = try hostileRecord()
        record.intervals = [record.intervals[0], record.intervals[0]]
        record.intervals[1].startNs = 1_000_000_000
        record.phases = [
            PhaseRecord(name: hostileText, startNs: 0, lengthNs: 1),
            PhaseRecord(name: hostileText, startNs: 1, lengthNs: 1),
        ]
        _ = HTMLReport.page(.run(record), gnuplot)
        _ = HTMLReport.page(.runs(RunSeriesRecord([record, record])), gnuplot)
        _ = HTMLReport.page(
            .comparison(compare(Array(repeating: record, count: 5), Array(repeating: record, count: 5))), gnuplot)
        let text = try String(contentsOfFile: heard, encoding: .utf8)
        #expect(text.components(separatedBy: "set terminal svg").count > 6)
        for part in ["a|b", "<e>", "@all", "`", "# EOF", "é", "\u{1B}", "$x$"] {
            #expect(!text.contains(part), "\(part)")
        }
    }

    @Test func `axes have round numbers`() {
        #expect(ChartTicks.linear(to: 4.3e6, about: 4) == [0, 2e6, 4e6])
        #expect(ChartTicks.linear(to: 0.26, about: 5) == [0, 0.1, 0.2])
        #expect(ChartTicks.linear(to: 0, about: 5) == [0])
        #expect(ChartTicks.linear(to: .infinity, about: 5) == [0])
        #expect(ChartTicks.seconds(to: 3_600, about: 10) == stride(from: 0, through: 3_600, by: 600).map(Double.init))
        #expect(ChartTicks.decades(from: 800, to: 1.2e4) == [1e3, 2e3, 5e3, 1e4])
        #expect(ChartTicks.decades(from: 0, to: 1) == [])
        #expect(ChartTicks.linear(to: .leastNonzeroMagnitude, about: 4).count < 10)
        #expect(ChartTicks.linear(to: .greatestFiniteMagnitude, about: 4).count < 10)
        #expect(ChartUnit.oneIn.text(1_000) == "99.9 %" && ChartUnit.oneIn.text(1) == "0 %")
        #expect(
            ChartUnit.change.text(1.05) == "+5 %" && ChartUnit.change.text(0.5) == "-50 %"
                && ChartUnit.change.text(1) == "0 %")
    }

    @Test func `a forest has a row for each figure with an interval and a word for each verdict`() throws {
        let comparison = compare(
            scatteredRuns(10, around: 100_000, seed: 1), scatteredRuns(10, around: 80_000, seed: 2))
        let script = try #require(ForestChart(comparison)).chart.script.text()
        #expect(script.contains("'accepted/s' 0") && script.contains("'regressed'"))
        #expect(!script.contains("head size"), "nothing is cut")
        let missing = compare([RunRecord()], [RunRecord()])
        #expect(ForestChart(missing) == nil)
    }

    @Test func `an interval that the scale cuts has an arrow and its end in text`() throws {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let fall = try #require(ForestChart(compare(base, scatteredRuns(10, around: 4_000, seed: 2)))).chart
        #expect(fall.script.text().contains("set arrow 100 from 0.1,0 to"))
        #expect(fall.script.text().contains("set label 100 '-96 %' at graph 0"), "\(fall.script.text())")
        #expect(fall.note.contains("Arrows point to ends beyond the scale"))
        let rise = try #require(ForestChart(compare(base, scatteredRuns(10, around: 2_000_000, seed: 2)))).chart
        #expect(rise.script.text().contains("set arrow 200 from 10,0 to"))
        let drawn = try Gnuplot.find(in: "/usr/bin:/bin")?.draw(fall.script.text())
        if let drawn {
            _ = try ChartDrawing(drawn, name: "chart-1")
            #expect(drawn.contains("-96 %"))
        }
    }
}
