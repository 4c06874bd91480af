/// A table with a caption and with headings that tell readers which row and column a cell belongs to.
struct HTMLTable {
    /// A column's heading, and how its cells stand.
    enum Column {
        case text(String)
        case number(String)
    }

    private let caption: String
    /// Whether the caption is for readers alone who do not see what stands above the table.
    private let hidesCaption: Bool
    /// Whether the last column stays in sight where the page is too narrow for all.
    private let keepsLast: Bool
    private let columns: [Column]
    private var rows: [Markup] = []

    init(_ caption: String, _ columns: [Column], hidesCaption: Bool = false, keepsLast: Bool = false) {
        self.caption = caption
        self.hidesCaption = hidesCaption
        self.keepsLast = keepsLast
        self.columns = columns
    }

    /// A table of cells that are texts already; the first row is the headings, the first cell of each other row its heading.
    init(_ caption: String, _ table: TextTable) {
        let headings = table.rows.first ?? []
        self.init(
            caption, zip(table.alignments, headings).map { $0 == .left ? .text($1) : .number($1) })
        for row in table.rows.dropFirst() {
            add(.text(row.first ?? ""), row.dropFirst().map { $0 == FigureText.missing ? .absent($0) : .text($0) })
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// How many rows there are.
    var count: Int { rows.count }

    /// So many columns fit on nearly every screen.
    private static let fewColumns = 4

    /// Adds a row: its heading, then a cell for each further column.
    mutating func add(_ heading: Markup, _ cells: [Markup], class name: String? = nil) {
        precondition(cells.count + 1 == columns.count, "\(cells.count + 1) cells in \(columns.count) columns")
        let body = zip(columns.dropFirst(), cells).map { Markup.element("td", ["class": $0.style], [$1]) }
        let head = Markup.element("th", ["scope": "row", "class": columns[0].style], [heading])
        rows.append(.element("tr", ["class": name], [head] + body))
    }

    /// Adds a row with one cell across all further columns.
    mutating func add(_ heading: Markup, across content: Markup) {
        let cell = Markup.element("td", ["colspan": "\(columns.count - 1)", "class": "across"], [content])
        rows.append(
            .element("tr", [:], [.element("th", ["scope": "row", "class": columns[0].style], [heading]), cell]))
    }

    /// The table in a frame that scrolls where the page is too narrow; nothing without a row.
    var markup: Markup {
        guard !rows.isEmpty else { return .nothing }
        let head = Markup.element(
            "tr", [:],
            columns.map { column in
                let name = column.name
                // An empty heading is none.
                guard !name.isEmpty else { return .element("td", ["class": column.style]) }
                return .element("th", ["scope": "col", "class": column.style], text: name)
            })
        let table = Markup.element(
            "table", ["class": keepsLast ? "keeps" : nil],
            [
                .element("caption", ["class": hidesCaption ? "hidden" : nil], text: caption),
                .element("thead", [:], [head]), .element("tbody", [:], rows),
            ])
        return .element(
            "div",
            [
                "class": columns.count > Self.fewColumns ? "scroll many" : "scroll", "role": "region", "tabindex": "0",
                "aria-label": caption,
            ], [table])
    }
}

extension HTMLTable.Column {
    fileprivate var name: String {
        switch self {
        case .text(let name), .number(let name): name
        }
    }

    /// The class of its cells.
    fileprivate var style: String? {
        switch self {
        case .text: nil
        case .number: "n"
        }
    }
}
