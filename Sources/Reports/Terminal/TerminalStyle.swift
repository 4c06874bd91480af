/// What the reader's terminal, or the file in its place, can show.
public struct TerminalStyle: Equatable, Sendable {
    /// Whether colours may be used.
    public var usesColor: Bool
    /// Whether characters outside ASCII may be used.
    public var usesUnicode: Bool
    /// Whether lines may be drawn over, as live progress does.
    public var isLive: Bool
    /// Columns of a line.
    public var width: Int

    /// Letters, digits and no more: what any file can take.
    public static let plain = TerminalStyle(usesColor: false, usesUnicode: false, isLive: false, width: 100)

    /// Makes a style.
    public init(usesColor: Bool, usesUnicode: Bool, isLive: Bool, width: Int) {
        self.usesColor = usesColor
        self.usesUnicode = usesUnicode
        self.isLive = isLive
        self.width = width
    }

    /// Finds the style by the customs of terminals: `NO_COLOR`, `CI`, `TERM`, and the locale's variables.
    ///
    /// - Parameters:
    ///   - isTerminal: whether the output is a terminal.
    ///   - columns: its width; nil if that is not known.
    ///   - environment: the process's variables.
    public init(isTerminal: Bool, columns: Int? = nil, environment: [String: String]) {
        let isSet = { (name: String) in environment[name].map { !$0.isEmpty } ?? false }
        let isCI = isSet("CI") && environment["CI"] != "false"
        isLive = isTerminal && !isCI && environment["TERM"] != "dumb"
        usesColor = isLive && !isSet("NO_COLOR")
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].first(where: isSet).flatMap { environment[$0] } ?? ""
        usesUnicode = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
        width = min(max(columns ?? 100, 60), 140)
    }

    /// Colours that carry meaning.
    enum Color: String {
        case green = "32"
        case red = "31"
        case yellow = "33"
        case bold = "1"
    }

    /// Text in a colour, if colours may be used.
    func colored(_ text: String, _ color: Color) -> String {
        usesColor ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Text that the terminal can show: control characters and what turns the direction of text made visible, and ASCII if nothing else is understood.
    public func shown(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{0}"..<" ", "\u{7F}"..."\u{9F}": shown += "?"
            case _ where scalar.properties.isBidiControl: shown += "?"
            case "\u{80}"...: shown += usesUnicode ? String(scalar) : Self.ascii(scalar)
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func ascii(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "µ", "μ": "u"
        case "·": "-"
        case "×": "x"
        case "÷": "/"
        case "…": "..."
        case "–", "—": "-"
        case "±": "+-"
        default: "?"
        }
    }
}

/// Columns that a text takes on a terminal: none for marks that combine, two for wide characters.
func displayWidth(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { width, scalar in
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return width
        default: return width + (isWide(scalar) ? 2 : 1)
        }
    }
}

/// East Asian wide characters and emoji, by their blocks.
private func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F: true
    case 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF: true
    case 0x20000...0x3FFFD: true
    default: false
    }
}
