/// A table of GitHub-flavoured Markdown, whose cells show any text as it is.
struct MarkdownTable {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    init(_ alignments: [Alignment], _ columns: [String]) {
        precondition(columns.count == alignments.count, "each column has a heading")
        self.alignments = alignments
        rows = [columns]
    }

    /// Adds a row with one cell for each column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == alignments.count, "a row of \(cells.count) cells in \(alignments.count) columns")
        rows.append(cells)
    }

    /// The longest text of a cell.
    private static let cellCharactersMax = 240

    /// The table with so many rows at most, without a line break at its end; how many others there are stands behind them.
    func text(rows most: Int) -> String {
        var lines = rows.prefix(1 + most).map { row in
            "| " + row.map { Self.escaped(shortened($0, Self.cellCharactersMax)) }.joined(separator: " | ") + " |"
        }
        lines.insert("|" + alignments.map { $0 == .left ? "---" : "---:" }.joined(separator: "|") + "|", at: 1)
        if rows.count - 1 > most { lines.append("\n- and \(rows.count - 1 - most) more") }
        return lines.joined(separator: "\n")
    }

    /// A text that Markdown shows as it is, on one line.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "<", ">", "|", "~", "#", "&", "$": escaped += "\\\(scalar)"
            // A name that someone chose must not call people.
            case "@": escaped += "@\u{200B}"
            case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": escaped += " "
            case _ where scalar.properties.isBidiControl: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// The beginning of a text that is too long.
func shortened(_ text: String, _ most: Int) -> String {
    text.unicodeScalars.count <= most ? text : String(text.unicodeScalars.prefix(most - 1)) + "…"
}
