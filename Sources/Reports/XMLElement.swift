/// An element of XML 1.0 with attributes, and with elements or a text in it.
struct XMLElement {
    private let name: String
    private let attributes: [(String, String)]
    private let children: [XMLElement]
    private let content: String

    init(_ name: String, _ attributes: [(String, String)], _ children: [XMLElement] = [], text: String = "") {
        self.name = name
        self.attributes = attributes
        self.children = children
        content = text
    }

    /// The element on lines of its own, indented.
    func text(depth: Int = 0) -> String {
        let margin = String(repeating: "  ", count: depth)
        let start = margin + "<" + name + attributes.map { " \($0.0)=\"\(Self.escaped($0.1))\"" }.joined()
        if children.isEmpty { return start + (content.isEmpty ? "/>" : ">\(Self.escaped(content))</\(name)>") + "\n" }
        return start + ">\n" + children.map { $0.text(depth: depth + 1) }.joined() + margin + "</\(name)>\n"
    }

    /// A text for attributes and elements; what XML cannot have in any form becomes U+FFFD (XML 1.0, section 2.2), and so does what turns
    /// the direction of text, since readers show it as it is.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            // As they are, readers would make blanks of them in attributes.
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            case _ where scalar.properties.isBidiControl: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
