import Foundation
import Testing

/// A page as Python's HTML parser sees it.
struct ReportPage: Decodable {
    struct Figure: Decodable {
        var name: String
        var value: String
        var text: String
    }

    struct Table: Decodable {
        var caption: String
        var rows: [[String]]
    }

    var size: Int
    var begin: String
    var unbalanced: [String]
    var elements: [String: Int]
    var figures: [Figure]
    var levels: [Int]
    var headings: [String]
    var ids: [String]
    var references: [String]
    var attributes: [String]
    var namedBy: [String]
    var pictures: Int
    var policy: String?
    var language: String?
    var text: String
    var style: String
    var tables: [Table]
    var scopeless: Int

    private struct Task: Encodable { var page: String }

    /// The page that `pushbench report` makes of a record, behind a shell prelude such as `PATH=;`.
    static func report(_ record: String, into path: String, prelude: String = "") async throws -> ReportPage {
        let words = [try Simulator.program(), "report", record, "-o", "html=\(path)"].map { "'\($0)'" }
        let made = try await Shell.run("\(prelude) exec \(words.joined(separator: " ")) </dev/null")
        try #require(made.status == 0, "report ended with \(made.status)")
        return try await read(path)
    }

    static func read(_ path: String) async throws -> ReportPage {
        try await Clients.run("html_page.py", Task(page: path), as: ReportPage.self)
    }

    /// Balanced, named, outlined, and without a way out.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(begin == "<!DOCTYPE html>", sourceLocation: sourceLocation)
        #expect(unbalanced == [], sourceLocation: sourceLocation)
        #expect(language == "en", sourceLocation: sourceLocation)
        #expect(
            policy?.hasPrefix("default-src 'none'; style-src 'unsafe-inline'; img-src data:") == true,
            sourceLocation: sourceLocation)
        #expect(Set(ids).count == ids.count, "identifiers collide: \(ids)", sourceLocation: sourceLocation)
        #expect(Set(namedBy).isSubset(of: ids), "\(namedBy)", sourceLocation: sourceLocation)
        #expect(
            references.allSatisfy { $0.hasPrefix("#") || $0 == "data:," }, "\(references)",
            sourceLocation: sourceLocation)
        #expect(
            references.filter { $0.hasPrefix("#") }.allSatisfy { ids.contains(String($0.dropFirst())) },
            sourceLocation: sourceLocation)
        for name in ["script", "iframe", "object", "embed", "form", "img", "image", "foreignobject", "animate", "base"]
        {
            #expect(elements[name] == nil, "<\(name)>", sourceLocation: sourceLocation)
        }
        #expect(
            attributes.allSatisfy { !$0.contains(" on") && !$0.hasSuffix(" style") }, "\(attributes)",
            sourceLocation: sourceLocation)
        #expect(
            !style.contains("url(") && !style.contains("@import") && !style.contains("@font-face"),
            sourceLocation: sourceLocation)
        expectOutline(sourceLocation: sourceLocation)
        for word in ["NaN", "nan", "inf", "Infinity", "Optional(", "nil"] {
            #expect(
                !text.split { !$0.isLetter && $0 != "(" }.contains { $0 == word }, "\(word)",
                sourceLocation: sourceLocation)
        }
    }

    private func expectOutline(sourceLocation: SourceLocation) {
        #expect(levels.first == 1 && levels.count { $0 == 1 } == 1, sourceLocation: sourceLocation)
        #expect(
            zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(levels)", sourceLocation: sourceLocation)
        #expect(scopeless == 0, sourceLocation: sourceLocation)
        #expect(tables.allSatisfy { !$0.caption.isEmpty }, sourceLocation: sourceLocation)
    }
}
