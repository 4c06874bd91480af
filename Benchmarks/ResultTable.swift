import RunRecords

/// Rows of figures under named columns: text for people, JSON for `results/`.
struct ResultTable {
    let title: String
    let columns: [String]
    private(set) var rows: [[Cell]] = []
    /// What a reader must know beside the figures.
    var notes: [String] = []
    /// Counts that are over their limit; times never are here, because other work on the machine changes them.
    private(set) var excesses: [String] = []

    /// A figure with the decimals that it deserves, or a word.
    enum Cell {
        case text(String)
        case count(Int64)
        case number(Double, decimals: Int)
        case none
    }

    init(_ title: String, columns: [String]) {
        self.title = title
        self.columns = columns
    }

    mutating func add(_ row: [Cell]) {
        precondition(row.count == columns.count, "a row has one cell for each column")
        rows.append(row)
    }

    /// Holds a count against its limit.
    mutating func require(_ name: String, _ value: Double, atMost limit: Double) {
        guard !(value <= limit) else { return }
        excesses.append("\(name) is \(decimalText(value, 4)), over the limit of \(decimalText(limit, 4))")
    }

    /// The table in aligned columns.
    var text: String {
        let lines = [columns] + rows.map { $0.map(\.text) }
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        var text = "\n\(title)\n"
        for line in lines {
            for (column, cell) in line.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                text += column == 0 ? cell + blanks : "  " + blanks + cell
            }
            text += "\n"
        }
        for note in notes { text += "  \(note)\n" }
        return text
    }

    /// The same as JSON: one object for each row.
    var json: JSONValue {
        .object([
            "title": .string(title), "notes": .array(notes.map { .string($0) }),
            "rows": .array(
                rows.map { row in
                    .object(Dictionary(uniqueKeysWithValues: zip(columns, row.map(\.json))))
                }),
        ])
    }
}

extension ResultTable.Cell {
    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .count(let count): "\(count)"
        case .number(let value, let decimals): decimalText(value, decimals)
        case .none: "-"
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .count(let count): .integer(count)
        case .number(let value, let decimals): rounded(value, decimals)
        case .none: .null
        }
    }

    private func rounded(_ value: Double, _ decimals: Int) -> JSONValue {
        guard value.isFinite, let number = Double(decimalText(value, decimals)) else { return .null }
        return .number(number)
    }
}

/// A number with so many decimals, without a library for it.
func decimalText(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "-" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    let digits = "\(part)"
    return "\(sign)\(whole)." + String(repeating: "0", count: decimals - digits.count) + digits
}

/// The middle one of some figures; the mean of the middle two of an even number.
func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
