import Primitives
import Reports

/// How a run's progress is shown, as `--progress` names it.
enum ProgressStyle: String, Sendable, CaseIterable {
    /// The screen where standard error is a terminal that can show it, else plain lines.
    case auto
    /// The screen, also where `CI` is set.
    case tui
    /// A line every five seconds.
    case plain
    /// A line of JSON for each interval.
    case json
    /// Nothing.
    case none

    /// Reads the option.
    ///
    /// - Throws: ``UsageError`` for a name that is none of these, and for a screen without a terminal.
    init(option: String?, isQuiet: Bool) throws(UsageError) {
        guard let option else {
            self = isQuiet ? .none : .auto
            return
        }
        guard let style = ProgressStyle(rawValue: option) else {
            let names = Self.allCases.map(\.rawValue)
            let hint = nearestName(to: option, among: names).map { "; did you mean \($0)?" } ?? ""
            throw UsageError(
                description: "unknown progress style \(option)\(hint); accepted: \(names.joined(separator: ", "))")
        }
        guard style != .tui || Terminal.errorIsTerminal else {
            throw UsageError(description: "--progress tui needs a terminal on standard error")
        }
        self = style
    }

    /// What comes of it here: the screen or plain lines in place of ``auto``.
    var resolved: ProgressStyle {
        guard self == .auto else { return self }
        return Terminal.errorStyle.isLive ? .tui : .plain
    }
}
