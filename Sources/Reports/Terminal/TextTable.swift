/// Rows of cells in aligned columns, two blanks apart.
struct TextTable {
    enum Alignment { case left, right }

    let alignments: [Alignment]
    private(set) var rows: [[String]] = []

    init(_ alignments: [Alignment]) { self.alignments = alignments }

    /// Adds a row with one cell for each column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == alignments.count, "a row of \(cells.count) cells in \(alignments.count) columns")
        rows.append(cells)
    }

    /// The rows as lines, without blanks at their ends.
    func lines(_ style: TerminalStyle) -> [String] {
        let cells = rows.map { $0.map(style.shown) }
        let widths = alignments.indices.map { column in cells.map { displayWidth($0[column]) }.max() ?? 0 }
        return cells.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - displayWidth(cell))
                line += (column > 0 ? "  " : "") + (alignments[column] == .left ? cell + blanks : blanks + cell)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

/// A paragraph with a label at its left, its items broken into lines between them.
struct LabelledText {
    static let labelWidth = 12

    var label: String
    var items: [String]
    var separator = ", "

    func lines(_ style: TerminalStyle) -> [String] {
        let separator = style.shown(self.separator)
        var lines: [String] = []
        var line = ""
        for item in items.map(style.shown) {
            let isFirst = line.isEmpty
            let longer = isFirst ? item : line + separator + item
            if !isFirst, Self.labelWidth + displayWidth(longer) > style.width {
                lines.append(line + String(separator.reversed().drop { $0 == " " }.reversed()))
                line = item
            } else {
                line = longer
            }
        }
        lines.append(line)
        let margin = String(repeating: " ", count: Self.labelWidth)
        let head = label + String(repeating: " ", count: max(1, Self.labelWidth - displayWidth(label)))
        return lines.enumerated().map { ($0 == 0 ? head : margin) + $1 }
    }
}
