import Foundation
import Harness
import Primitives
import Reports
import RunRecords
import Synchronization

/// Shows a run while it goes on, on standard error: one line that is drawn over on a terminal, plain lines elsewhere.
final class ProgressPrinter: Sendable {
    /// How progress is shown.
    enum Style: String, Sendable, CaseIterable {
        case auto, plain, json, none

        /// - Throws: ``UsageError`` for a name that is none of these.
        init(option: String?, isQuiet: Bool) throws(UsageError) {
            guard let option else {
                self = isQuiet ? .none : .auto
                return
            }
            guard let style = Style(rawValue: option) else {
                let names = Style.allCases.map(\.rawValue)
                let hint = nearestName(to: option, among: names).map { "; did you mean \($0)?" } ?? ""
                throw UsageError(
                    description: "unknown progress style \(option)\(hint); accepted: \(names.joined(separator: ", "))")
            }
            self = style
        }
    }

    private let style: Style
    private let isLive: Bool
    private let shown = Atomic<Int>(0)

    init(style: Style) {
        self.style = style
        isLive =
            style == .auto
            && TerminalStyle(isTerminal: Terminal.errorIsTerminal, environment: ProcessEnvironment.variables).isLive
    }

    /// Shows one interval.
    func show(_ progress: RunProgress) {
        guard style != .none, let interval = progress.intervals.last else { return }
        // The summary follows at once, which only people read.
        guard style == .json || progress.phase != .ended else { return }
        let count = shown.add(1, ordering: .relaxed).newValue
        if style == .json {
            guard let data = try? JSONEncoder().encode(interval) else { return }
            return Terminal.note(String(decoding: data, as: UTF8.self))
        }
        if isLive { return Terminal.write("\r\u{1B}[K" + line(progress, interval), to: 2) }
        // Elsewhere a line every five seconds is enough for a log.
        if count % 5 == 1 { Terminal.note(line(progress, interval)) }
    }

    /// Leaves the line that was drawn over.
    func end() { if isLive && shown.load(ordering: .relaxed) > 0 { Terminal.write("\r\u{1B}[K", to: 2) } }

    private func line(_ progress: RunProgress, _ interval: IntervalRecord) -> String {
        let seconds = Double(interval.lengthNs) / 1e9
        func rate(_ count: Int64) -> String {
            seconds > 0 ? Rate(perSecond: (Double(count) / seconds).rounded()).description : "-"
        }
        var parts = ["\(progress.phase.rawValue) \(Int(progress.elapsed.seconds.rounded())) s"]
        if let accepted = interval.accepted { parts.append("accepted \(rate(accepted))") }
        parts.append("written \(rate(interval.written))")
        parts.append("rejected \(interval.rejected)")
        parts.append("reconnects \(interval.reconnects)")
        parts.append("open \(progress.openConnections)")
        // One sum a line: what a gateway that refuses makes happen must not fill a log.
        if progress.connectionFailures > 0 { parts.append("connections failed \(progress.connectionFailures)") }
        if let planned = progress.planned, planned < UInt64(Profile.notificationLimit), planned > 0 {
            parts.append("\(min(100, progress.written * 100 / planned)) %")
        }
        return parts.joined(separator: " · ")
    }
}
