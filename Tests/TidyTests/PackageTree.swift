import Foundation

/// One text file of the package.
struct TextFile: Sendable {
    /// The path from the package's root.
    let path: String
    let text: String
    /// The text without string literals and comments; all of it for files other than Swift's.
    let code: String
    /// The text without string literals; all of it for files other than Swift's.
    let codeAndComments: String

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        let isSwift = path.hasSuffix(".swift")
        code = isSwift ? SwiftText.code(of: text) : text
        codeAndComments = isSwift ? SwiftText.code(of: text, keepingComments: true) : text
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    /// The module whose folder the file lies in; nil outside `Sources`.
    var module: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }
    var lineCount: Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }
}

/// A place that breaks a rule.
struct Breach: Equatable, CustomStringConvertible {
    var path: String
    var line: Int?
    var reason: String

    var description: String { "\(path):\(line.map { "\($0):" } ?? "") \(reason)" }
}

/// The package as it lies on disk.
enum PackageTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let folders = ["Sources", "Tests", "Benchmarks", "profiles", "scripts", ".ci", "docs", "results"]
    private static let rootFiles = ["Package.swift", "Makefile", "README.md", "ARCHITECTURE.md"]
    private static let kinds = ["swift", "py", "c", "h", "modulemap", "md", "json", "json5", ""]

    /// The text files that people write, in the order of their paths.
    static let files: [TextFile] = {
        let inFolders = folders.flatMap { folder -> [String] in
            let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            let names = (paths?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
            // What runs leave on one machine is not part of the package.
            return names.filter { !$0.hasPrefix("results/local") }
        }
        return (rootFiles + inFolders.sorted()).compactMap { path in
            guard kinds.contains((path as NSString).pathExtension),
                let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
            else { return nil }
            return TextFile(path, text)
        }
    }()

    /// The paths of all files, pictures among them.
    static let paths: [String] = {
        let inFolders = folders.flatMap { folder -> [String] in
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }
        return rootFiles + inFolders
    }()

    static var swiftFiles: [TextFile] { files.filter(\.isSwift) }

    static func file(_ path: String) -> TextFile? { files.first { $0.path == path } }
}
