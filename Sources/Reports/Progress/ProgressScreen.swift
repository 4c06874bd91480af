public import RunRecords

/// The state of a run as a few lines of a terminal that are drawn over each other.
///
/// A pure function of what it is given, and of how many lines it has drawn before: it knows neither terminal nor clock. The cursor stays
/// visible and the terminal's modes stay as they are, so that nothing has to be restored whatever ends the program.
public struct ProgressScreen: Sendable {
    private let title: String
    private let style: TerminalStyle
    private var drawnCount = 0

    /// Begins with an empty screen.
    ///
    /// - Parameters:
    ///   - title: the profile's name.
    ///   - style: what the terminal can show; its width counts for nothing, since terminals change theirs.
    public init(title: String, style: TerminalStyle) {
        self.title = title
        self.style = style
    }

    /// Draws a state over the one before.
    ///
    /// - Parameters:
    ///   - progress: the state.
    ///   - columns: the terminal's present width.
    ///   - rows: its present height.
    /// - Returns: the bytes for the terminal.
    public mutating func draw(_ progress: RunProgress, columns: Int, rows: Int) -> String {
        let lines = lines(progress, columns: columns, rows: rows)
        // Each line ends by clearing its rest, and the last one everything below; nothing is cleared first, which would flicker.
        let text = home + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J"
        drawnCount = lines.count
        return text
    }

    /// The bytes that take the screen away, and leave the cursor where it began; nothing if nothing was drawn.
    public mutating func clear() -> String {
        guard drawnCount > 0 else { return "" }
        defer { drawnCount = 0 }
        return home + "\u{1B}[J"
    }

    /// To the beginning of the first line that was drawn.
    private var home: String { drawnCount > 1 ? "\r\u{1B}[\(drawnCount - 1)A" : "\r" }

    // MARK: - Lines

    /// The lines, none longer than the terminal is wide, so that it wraps none of them.
    func lines(_ progress: RunProgress, columns: Int, rows: Int) -> [String] {
        let figures = ProgressFigures(progress)
        // The last column stays free: some terminals wrap as soon as it is written.
        let width = max(1, columns - 1)
        var lines = [colored(fitted([figures.time, title], width), .bold)]
        if let share = figures.share { lines.append(bar(share, width)) }
        let parts: [(String, [String])] = [
            ("rate", figures.rates), ("total", figures.totals), ("on the way", figures.connections),
            ("last second", figures.latencies), ("processor", figures.processors),
        ]
        for (label, items) in parts where !items.isEmpty { lines.append(labelled(label, items, width)) }
        if !figures.errors.isEmpty { lines.append(colored(labelled("errors", figures.errors, width), .red)) }
        // One row is the shell's; on a very low terminal the first lines say most.
        return Array(lines.prefix(max(1, rows - 1)))
    }

    private func labelled(_ label: String, _ items: [String], _ width: Int) -> String {
        // Where there is no room for labels, the figures say enough.
        guard width >= 50 else { return fitted(items, width) }
        let margin = 13
        let head = label + String(repeating: " ", count: margin - label.utf8.count)
        return head + fitted(items, width - margin)
    }

    /// As many items as fit into a width; of the first one its beginning, if it does not.
    private func fitted(_ items: [String], _ width: Int) -> String {
        let separator = style.shown(" · ")
        var text = ""
        for item in items.map(style.shown) {
            let longer = text.isEmpty ? item : text + separator + item
            guard displayWidth(longer) <= width else { break }
            text = longer
        }
        if text.isEmpty, let first = items.first.map(style.shown) {
            for character in first {
                guard displayWidth(text + String(character)) <= width else { break }
                text.append(character)
            }
        }
        return text
    }

    private func bar(_ share: Double, _ width: Int) -> String {
        let percent = " \(Int(share * 100)) %"
        let length = min(60, width - percent.utf8.count)
        guard length >= 5 else { return fitted([percent], width) }
        let done = min(length, max(0, Int(Double(length) * share)))
        let (full, empty) = style.usesUnicode ? ("█", "░") : ("#", "-")
        return String(repeating: full, count: done) + String(repeating: empty, count: length - done) + percent
    }

    private func colored(_ line: String, _ color: TerminalStyle.Color) -> String { style.colored(line, color) }
}
