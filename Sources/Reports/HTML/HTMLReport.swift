import Foundation
import RunRecords

/// A page for a browser that stands by itself: nothing is fetched, nothing is carried out, and what gateways said is text.
enum HTMLReport: ReportWriter {
    static let summary = "one self-contained page with charts, which gnuplot draws"
    static let kinds = Set(ReportSubject.Kind.allCases)

    static func bytes(_ subject: ReportSubject, style: TerminalStyle) -> [UInt8]? {
        let gnuplot = Gnuplot.find(in: ProcessInfo.processInfo.environment["PATH"])
        return Array(page(subject, gnuplot).utf8)
    }

    /// The whole page; its charts are drawn by gnuplot, if that is given.
    static func page(_ subject: ReportSubject, _ gnuplot: Gnuplot?) -> String {
        let printer = ChartPrinter(gnuplot)
        switch subject {
        case .run(let record): return RunPage(record: record, printer: printer).page.html
        case .runs(let series) where series.runs.count == 1:
            return RunPage(record: series.runs[0], printer: printer).page.html
        case .runs(let series): return SeriesPage(series: series, printer: printer).page.html
        case .comparison(let comparison): return ComparisonPage(comparison: comparison, printer: printer).page.html
        case .sweep(let sweep): return SweepPage(record: sweep, printer: printer).page.html
        case .capacity(let capacity): return CapacityPage(record: capacity, printer: printer).page.html
        }
    }
}
