import Foundation
import Histograms
import RunRecords
import Testing

@testable import Analysis
@testable import Reports

@Suite struct HTMLReportTests {
    private static func page(_ subject: ReportSubject, _ gnuplot: Gnuplot? = nil) -> String {
        HTMLReport.page(subject, gnuplot)
    }

    /// A run of so many seconds in which something goes wrong now and then.
    private static func longRun(seconds: Int) -> RunRecord {
        var record = sampleRecord()
        record.intervals = (0..<seconds).map { second in
            var interval = IntervalRecord()
            interval.startNs = Int64(second) * 1_000_000_000
            interval.lengthNs = 1_000_000_000
            interval.written = 80_000 + Int64(second % 7) * 100
            interval.accepted = 79_000
            interval.rejected = second % 50 == 0 ? 3 : 0
            interval.residenceP50Ns = 40_000
            interval.residenceP99Ns = 90_000 + Int64(second % 11)
            interval.residenceMaxNs = 120_000
            return interval
        }
        record.connections = (0..<5_000).map { ConnectionRecord(index: $0) }
        return record
    }

    @Test func `a page without charts has the figures and says how to get the charts`() throws {
        let page = try Self.page(.run(namedRecord("evening")))
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"))
        #expect(page.contains("<h1>evening</h1>") && page.contains("PASSED"))
        #expect(page.contains("<data value=\"99990\" data-figure=\"accepted\">99,990</data>"))
        #expect(page.contains("apt-get install gnuplot-nox") && !page.contains("role=\"img\""))
    }

    @Test func `what was not measured has no number, and its reason`() {
        var record = RunRecord()
        record.unmeasured = ["service": "nothing was written", "accepted/s": "no book"]
        let page = Self.page(.run(record))
        #expect(page.contains("no samples: nothing was written"))
        #expect(!page.contains("by the simulator&#39;s book"))
        #expect(Self.page(.run(RunRecord())).contains("No samples: the record has no latencies."))
        #expect(page.contains("<span class=\"absent\">not measured</span><small>no book</small>"))
        #expect(!page.contains("NaN") && !page.contains("data-figure=\"accepted/s\""))
    }

    @Test func `hostile texts open no tag and close none`() throws {
        let page = try Self.page(.run(hostileRecord()))
        #expect(!page.contains("<e>") && page.contains("&lt;e&gt;&amp;]]&gt;"))
        #expect(!page.contains("\u{1B}") && !page.contains("\u{0}"))
        #expect(
            Markup.escaped("<a b=\"c\" d='e'>&\u{202E}\u{7F}")
                == "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\u{FFFD}\u{FFFD}")
    }

    @Test func `a run of an hour has a page of bounded size that says what was joined`() throws {
        let gnuplot = Gnuplot.find(in: "/usr/bin:/bin")
        let page = Self.page(.run(Self.longRun(seconds: 3_600)), gnuplot)
        #expect(page.utf8.count < 400_000, "\(page.utf8.count)")
        #expect(page.contains("Each 30 intervals are shown as one"))
        #expect(page.contains("The 3,600 intervals as a table, 30 joined in each row"))
        #expect(page.contains("The first 64 of 5,000 are listed."))
        #expect(page == Self.page(.run(Self.longRun(seconds: 3_600)), gnuplot))
    }

    @Test func `each chart is drawn for wide and for narrow screens`() throws {
        guard let gnuplot = Gnuplot.find(in: "/usr/bin:/bin") else { return }
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let page = Self.page(.comparison(compare(base, scatteredRuns(10, around: 50_000, seed: 2))), gnuplot)
        let count = { (text: String) in page.components(separatedBy: text).count - 1 }
        #expect(count("<svg class=\"chart wide\"") > 0 && count("chart narrow\"") == count("chart wide\""))
        let names = page.matches(of: /<svg class="chart [^>]* aria-labelledby="([^ "]*)/).map { $0.output.1 }
        #expect(Set(names).count == names.count && !names.isEmpty)
        #expect(count("viewBox=\"0 0 440 ") == count("viewBox=\"0 0 960 "))
    }

    @Test func `a comparison's title is short, and what shows no change is folded`() {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let comparison = Comparison(
            base: RunSample(label: "profiles/a.json5", runs: base),
            candidate: RunSample(label: String(repeating: "--set-b sender.window=1 ", count: 9), runs: base),
            plan: ComparisonPlan())
        let page = Self.page(.comparison(comparison))
        #expect(
            page.contains("<h1>Candidate against baseline</h1>") && page.contains("against profiles/a.json5"))
        #expect(page.contains("figures that inform and show no change</summary>"))
        #expect(page.contains("class=\"scroll many\"") && page.contains("<table class=\"keeps\">"))
        let series = Self.page(.runs(RunSeriesRecord(base)))
        #expect(series.contains("<dt>accepted/s, median</dt>"))
    }

    @Test func `a regression that was not confirmed is no good news`() {
        let base = scatteredRuns(10, around: 100_000, seed: 1)
        let verdict = { (comparison: Comparison) in
            Self.page(.comparison(comparison)).firstMatch(of: /class="verdict ([a-z]+)"/)?.output.1
        }
        var comparison = compare(base, scatteredRuns(10, around: 80_000, seed: 2))
        #expect(verdict(comparison) == "bad")
        comparison.confirm(with: compare(base, base), plan: ComparisonPlan())
        #expect(comparison.verdict.exitCode == 0 && verdict(comparison) == "caution")
        #expect(verdict(compare(base, base)) == "good")
    }

    @Test func `joined intervals keep all that happened in them`() {
        let record = Self.longRun(seconds: 1_001)
        for limit in [1, 7, 300, 1_001, 5_000] {
            let joined = IntervalGroups(record.intervals, limit: limit)
            #expect(joined.groups.count <= limit)
            #expect(joined.groups.reduce(0) { $0 + $1.written } == record.intervals.reduce(0) { $0 + $1.written })
            #expect(joined.groups.reduce(0) { $0 + $1.rejected } == record.intervals.reduce(0) { $0 + $1.rejected })
            #expect(joined.groups.reduce(0) { $0 + $1.lengthNs } == 1_001_000_000_000)
            #expect(joined.groups.compactMap(\.residenceP99Ns).max() == 90_010)
        }
    }

    @Test func `counts beyond all numbers do not end the program`() {
        var record = sampleRecord()
        var interval = IntervalRecord()
        interval.startNs = .max
        interval.lengthNs = .max
        interval.written = .max
        interval.accepted = .max
        interval.rejected = .min
        record.intervals = Array(repeating: interval, count: 700)
        #expect(Self.page(.run(record), Gnuplot.find(in: "/usr/bin")).contains("</html>"))
    }

    @Test func `words that tell apart stand beside the colours, which are light and dark enough`() throws {
        let sheet = "\(PageStyle.sheet)"
        let names = ["ink", "soft", "link", "good", "bad", "caution", "k2", "k3", "k4", "k5", "k6", "k7"]
        let halves = sheet.components(separatedBy: "@media screen and (prefers-color-scheme:dark)")
        try #require(halves.count == 2)
        for (theme, half) in zip(["light", "dark"], halves) {
            let paper = try Self.luminance(of: "paper", in: half)
            let shade = try Self.luminance(of: "shade", in: half)
            for name in names {
                let color = try Self.luminance(of: name, in: half)
                #expect(Self.contrast(color, paper) >= 4.5, "\(theme) \(name)")
                #expect(
                    !["ink", "soft"].contains(name) || Self.contrast(color, shade) >= 4.5, "\(theme) \(name) on shade")
            }
        }
        #expect(Self.contrast(1, 0) == 21)
    }

    /// The relative luminance of a colour (WCAG 2.1).
    private static func luminance(of name: String, in sheet: String) throws -> Double {
        let start = try #require(sheet.range(of: "--\(name):#")).upperBound
        var digits = String(sheet[start...].prefix { $0.isHexDigit })
        if digits.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
        let number = try #require(Int(digits, radix: 16))
        let parts = [16, 8, 0].map { shift -> Double in
            let part = Double(number >> shift & 0xFF) / 255
            return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private static func contrast(_ one: Double, _ other: Double) -> Double {
        (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }
}
