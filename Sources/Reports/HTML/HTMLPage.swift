/// A page that stands by itself: no script, no request, no font of its own.
struct HTMLPage {
    /// A part of the page under a heading.
    struct Section {
        var id: StaticString
        var heading: StaticString
        var content: [Markup]

        init(_ id: StaticString, _ heading: StaticString, _ content: [Markup]) {
            self.id = id
            self.heading = heading
            self.content = content.filter { !$0.isEmpty }
        }
    }

    /// How something ended, by colour, sign and word.
    enum Mood: String {
        case good, bad, caution

        fileprivate var sign: String {
            switch self {
            case .good: "✓"
            case .bad: "✕"
            case .caution: "!"
            }
        }
    }

    /// What kind of report it is.
    var kind: StaticString
    /// What it is about.
    var name: String
    /// How it ended, in a word or two.
    var verdict: String
    var mood: Mood
    /// Why, one sentence each.
    var reasons: [String]
    /// When, where and with what.
    var origin: [String]
    /// The few figures that say most.
    var tiles: [Tile]
    /// What the page itself lacks; nil if nothing.
    var notice: String?
    var sections: [Section]

    /// A figure that says much.
    struct Tile {
        var name: String
        var figure: Markup
        var note: String
    }

    /// The whole page.
    var html: String {
        let body = Markup.element(
            "body", [:], [header, contents, notice.map { .note([$0]) } ?? .nothing, main, footer])
        return "<!DOCTYPE html>\n" + Markup.element("html", ["lang": "en"], [head, body]).html + "\n"
    }

    private var head: Markup {
        .element(
            "head", [:],
            [
                .void("meta", ["charset": "utf-8"]),
                .void("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
                .void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .void("meta", ["name": "color-scheme", "content": "light dark"]),
                .element("title", text: "\(verdict): \(name) - pushbench"),
                // Browsers would ask a server for one.
                .void("link", ["rel": "icon", "href": "data:,"]),
                .element("style", [:], [.constant(PageStyle.sheet)]),
            ])
    }

    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

    private var header: Markup {
        let sign = Markup.element("span", ["aria-hidden": "true"], text: mood.sign)
        let list = tiles.map { tile in
            Markup.element(
                "div", [:],
                [
                    .element("dt", text: tile.name),
                    .element(
                        "dd", [:],
                        [tile.figure] + (tile.note.isEmpty ? [] : [Markup.element("small", text: tile.note)])),
                ])
        }
        return .element(
            "header", [:],
            [
                .element("p", ["class": "kind"], text: "\(kind)"), .element("h1", text: name),
                .element("p", ["class": "verdict \(mood.rawValue)"], [sign, .text(" \(verdict)")]),
                .list(reasons, class: "reasons"),
                .element("p", ["class": "origin"], text: origin.joined(separator: " · ")),
                tiles.isEmpty ? .nothing : .element("dl", ["class": "tiles"], list),
            ])
    }

    private var contents: Markup {
        let links = sections.map { Markup.element("a", ["href": "#\($0.id)"], text: "\($0.heading)") }
        return .element("nav", ["aria-label": "Contents"], links)
    }

    private var main: Markup {
        .element(
            "main", [:],
            sections.map { section in
                .element(
                    "section", ["id": "\(section.id)", "aria-labelledby": "\(section.id)-heading"],
                    [.element("h2", ["id": "\(section.id)-heading"], text: "\(section.heading)")] + section.content)
            })
    }

    private var footer: Markup {
        .element(
            "footer", [:],
            [
                .paragraph(
                    "Made by pushbench from the record alone. Figures are rounded; each has its exact value in the page's source, "
                        + "times in nanoseconds.")
            ])
    }
}
