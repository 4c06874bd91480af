/// Markup that shows what it was given and nothing else: names are constants, and each text is escaped on its way in.
struct Markup {
    private(set) var html: String

    private init(html: String) { self.html = html }

    /// The attributes of an element, in their order; those that are nil are left out.
    struct Attributes: ExpressibleByDictionaryLiteral {
        fileprivate var pairs: [(StaticString, String?)]

        init(dictionaryLiteral pairs: (StaticString, String?)...) { self.pairs = pairs }

        mutating func add(_ name: StaticString, _ value: String?) { pairs.append((name, value)) }
    }

    /// No markup.
    static let nothing = Markup(html: "")

    /// Parts one after another.
    static func joined(_ parts: [Markup]) -> Markup { Markup(html: parts.map(\.html).joined()) }

    /// Markup that stands in the program's source.
    static func constant(_ html: StaticString) -> Markup { Markup(html: "\(html)") }

    /// A text, whatever is in it.
    static func text(_ text: String) -> Markup { Markup(html: escaped(text)) }

    /// An element.
    static func element(
        _ name: StaticString, _ attributes: Attributes = [:], _ content: [Markup] = []
    ) -> Markup {
        Markup(html: "\(opening(name, attributes))\(content.map(\.html).joined())</\(name)>")
    }

    /// An element with a text in it.
    static func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) -> Markup {
        element(name, attributes, [.text(text)])
    }

    /// An element that has no content and no end.
    static func void(_ name: StaticString, _ attributes: Attributes) -> Markup {
        Markup(html: opening(name, attributes))
    }

    var isEmpty: Bool { html.isEmpty }

    private static func opening(_ name: StaticString, _ attributes: Attributes) -> String {
        let list = attributes.pairs.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }
        return "<\(name)\(list.joined())>"
    }

    /// A text for elements and attributes. Characters that a page cannot have, or that would turn the text around them, become U+FFFD.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where scalar.properties.isNoncharacterCodePoint: escaped += "\u{FFFD}"
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..<" ", "\u{7F}"..."\u{9F}":
                escaped += "\u{FFFD}"
            case "\u{061C}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

// MARK: - Figures

extension Markup {
    /// A figure as people read it, with its name and its exact value for programs.
    static func figure(_ name: String, _ value: String?, _ shown: String, absent: String = "not measured") -> Markup {
        guard let value else { return .absent(absent) }
        return element("data", ["value": value, "data-figure": name], text: shown)
    }

    static func count(_ name: String, _ value: Int64?) -> Markup {
        figure(name, value.map { "\($0)" }, FigureText.count(value))
    }

    static func time(_ name: String, _ nanoseconds: Int64?, absent: String = "not measured") -> Markup {
        figure(name, nanoseconds.map { "\($0)" }, FigureText.time(nanoseconds), absent: absent)
    }

    static func size(_ name: String, _ bytes: Int64?) -> Markup {
        figure(name, bytes.map { "\($0)" }, FigureText.size(bytes))
    }

    static func rate(_ name: String, _ perSecond: Double?) -> Markup {
        figure(name, perSecond.flatMap(numberText), FigureText.rate(perSecond))
    }

    /// What stands where there is no figure.
    static func absent(_ reason: String) -> Markup { element("span", ["class": "absent"], text: reason) }

    /// Texts as a list; nothing without any.
    static func list(_ texts: [String], class name: String? = nil) -> Markup {
        guard !texts.isEmpty else { return .nothing }
        return element("ul", ["class": name], texts.map { element("li", text: $0) })
    }

    /// A paragraph.
    static func paragraph(_ text: String, class name: String? = nil) -> Markup {
        element("p", ["class": name], text: text)
    }

    /// Sentences that a reader should not miss; nothing without any.
    static func note(_ texts: [String]) -> Markup {
        guard let first = texts.first else { return .nothing }
        let content = texts.count == 1 ? paragraph(first) : list(texts)
        return element("div", ["class": "note", "role": "note"], [content])
    }

    /// What is shown when it is asked for.
    static func folded(_ summary: String, _ content: [Markup]) -> Markup {
        element("details", [:], [element("summary", text: summary)] + content)
    }
}
