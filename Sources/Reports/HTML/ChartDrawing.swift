/// A drawing as gnuplot writes it, reduced to what draws: shapes, texts and their places.
///
/// Elements and attributes that are not known here end the reading, so that whatever calls itself gnuplot can draw on a page and do
/// nothing else. Colours become classes, identifiers get the drawing's name in front.
struct ChartDrawing {
    let markup: Markup

    /// - Parameters:
    ///   - text: what gnuplot wrote.
    ///   - name: the drawing's name, which no other on its page has.
    /// - Throws: ``GnuplotFailure/unreadable(_:)``.
    init(_ text: String, name: String) throws(GnuplotFailure) {
        var reader = DrawingReader(text, prefix: name + "-")
        markup = .joined(try reader.drawing())
    }
}

private struct DrawingReader {
    private var rest: Substring
    private let prefix: String

    init(_ text: String, prefix: String) {
        rest = text[...]
        self.prefix = prefix
    }

    /// What is inside of the one `svg` element.
    mutating func drawing() throws(GnuplotFailure) -> [Markup] {
        while let tag = try nextTag() {
            if tag.name.hasPrefix("?") { continue }
            guard tag.name == "svg", !tag.isClosed else { throw .unreadable("<\(tag.name)>") }
            let (content, _) = try content(of: "svg", depth: 0)
            guard !content.isEmpty else { throw .unreadable("nothing is drawn") }
            return content
        }
        throw .unreadable("there is no drawing")
    }

    /// Elements and text up to an end tag.
    private mutating func content(of parent: Substring, depth: Int) throws(GnuplotFailure) -> (
        [Markup], text: Substring
    ) {
        guard depth < 20 else { throw .unreadable("elements within elements") }
        var parts: [Markup] = []
        var text: Substring = ""
        while true {
            let before = rest.prefix { $0 != "<" }
            if !before.allSatisfy(\.isWhitespace) { text = before }
            guard let tag = try nextTag() else { throw .unreadable("<\(parent)> has no end") }
            if tag.name == "/" + parent { return (parts, text) }
            let inner: (parts: [Markup], text: Substring) =
                tag.isClosed ? ([], "") : try content(of: tag.name, depth: depth + 1)
            if tag.name == "tspan" {
                text = inner.text
            } else if let element = try element(tag, inner) {
                parts.append(element)
            }
        }
    }

    private func element(_ tag: DrawingTag, _ inner: (parts: [Markup], text: Substring)) throws(GnuplotFailure)
        -> Markup?
    {
        switch tag.name {
        // Titles are ours, and these filters are for kinds of text that we do not use.
        case "title", "desc", "filter", "feFlood", "feComposite": return nil
        case "defs": return .element("defs", [:], inner.parts)
        case "g": return inner.parts.isEmpty ? nil : .element("g", try attributes(tag), inner.parts)
        case "path":
            // A tick of no length is a path that goes nowhere.
            guard let line = tag.attributes["d"], line.contains(where: { "LhvV".contains($0) }) else { return nil }
            return .element("path", try attributes(tag))
        // What is behind the drawing.
        case "rect" where tag.attributes["id"] == nil: return nil
        case "rect": return .element("rect", try attributes(tag))
        case "circle": return .element("circle", try attributes(tag))
        case "polygon": return .element("polygon", try attributes(tag))
        case "use": return .element("use", try attributes(tag))
        case "text":
            return inner.text.isEmpty ? nil : .element("text", try attributes(tag), text: unescaped(inner.text))
        default: throw .unreadable("<\(tag.name)>")
        }
    }

    /// Attributes that say where something is and how it looks, and that are taken over.
    private static let plainNames: [Substring: StaticString] = [
        "d": "d", "points": "points", "transform": "transform", "x": "x", "y": "y", "width": "width",
        "height": "height",
        "cx": "cx", "cy": "cy", "r": "r", "stroke-width": "stroke-width", "stroke-dasharray": "stroke-dasharray",
        "fill-opacity": "fill-opacity", "text-anchor": "text-anchor",
    ]
    /// Attributes that the page's own style is in the place of.
    private static let needless: Set<Substring> = [
        "class", "id", "font-family", "font-size", "stroke-linecap", "stroke-linejoin", "shape-rendering",
    ]

    private func attributes(_ tag: DrawingTag) throws(GnuplotFailure) -> Markup.Attributes {
        var list: Markup.Attributes = [:]
        var classes: [String] = []
        for (name, value) in tag.attributes.sorted(by: { $0.key < $1.key }) {
            if let plain = Self.plainNames[name] {
                list.add(plain, joined(value))
            } else if name == "stroke" || name == "fill" {
                if let color = color(value) {
                    classes.append((name == "stroke" ? "k" : "f") + color)
                } else if value == "none" || value == "currentColor" {
                    list.add(name == "stroke" ? "stroke" : "fill", String(value))
                }
                // All others are what gnuplot sets before it sets our colours, and draws nothing with.
            } else if name == "color" {
                if let color = color(value) { classes.append("c\(color)") }
            } else if name == "id", value.hasPrefix("gpPt") || value.hasPrefix("gpDot") {
                list.add("id", prefix + joined(value))
            } else if name == "xlink:href", value.hasPrefix("#") {
                list.add("href", "#" + prefix + joined(value.dropFirst()))
            } else if !Self.needless.contains(name) {
                throw .unreadable("\(name) of <\(tag.name)>")
            }
        }
        list.add("class", classes.isEmpty ? nil : classes.joined(separator: " "))
        return list
    }

    /// The number of a colour of ours, or `p` for that of the page; nil for others.
    private func color(_ value: Substring) -> String? {
        if value == "#FFFFFF" { return "p" }
        let parts = value.filter { !$0.isWhitespace }.split { "(,)".contains($0) }
        guard parts.count == 4, parts[0] == "rgb", parts[1] == "1", parts[2] == "0", let number = Int(parts[3]),
            let color = ChartColor(rawValue: number)
        else { return nil }
        return "\(color.rawValue)"
    }

    /// A value on one line.
    private func joined(_ value: Substring) -> String {
        value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func unescaped(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")].reduce(String(text)) {
            $0.replacing($1.0, with: $1.1)
        }
    }

    /// The next tag; nil at the end of the text.
    private mutating func nextTag() throws(GnuplotFailure) -> DrawingTag? {
        guard let start = rest.firstIndex(of: "<") else { return nil }
        guard let end = rest[start...].firstIndex(of: ">") else { throw .unreadable("a tag without end") }
        let tag = try DrawingTag(rest[rest.index(after: start)..<end])
        rest = rest[rest.index(after: end)...]
        return tag
    }
}

/// What stands between `<` and `>`.
private struct DrawingTag {
    var name: Substring
    var attributes: [Substring: Substring] = [:]
    var isClosed: Bool

    init(_ text: Substring) throws(GnuplotFailure) {
        isClosed = text.hasSuffix("/") || text.hasSuffix("?")
        var rest = isClosed ? text.dropLast() : text
        name = rest.prefix { !$0.isWhitespace }
        rest = rest[name.endIndex...].drop(while: \.isWhitespace)
        while !rest.isEmpty {
            let word = rest.prefix { $0 != "=" && !$0.isWhitespace }
            rest = rest[word.endIndex...].drop { $0.isWhitespace || $0 == "=" }
            guard let quote = rest.first, quote == "\"" || quote == "'" else { throw .unreadable("<\(name)>") }
            let value = rest.dropFirst().prefix { $0 != quote }
            guard value.endIndex < rest.endIndex else { throw .unreadable("<\(name)>") }
            attributes[word] = value
            rest = rest[rest.index(after: value.endIndex)...].drop(while: \.isWhitespace)
        }
    }
}
