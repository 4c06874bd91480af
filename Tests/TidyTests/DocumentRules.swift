/// Rules about the documents for people: what they name must be there.
enum DocumentRules {
    private static let folders = [
        "Sources/", "Tests/", "Benchmarks/", "profiles/", "results/", "scripts/", "docs/", ".ci/",
    ]
    private static let endings = [".swift", ".md", ".json5", ".c", ".h"]

    /// Paths that a document names (in backquotes or as a link) and that no file of the package has.
    ///
    /// A path may leave its first folders out. What a run makes (`results/local/`) need not be there.
    static func pathBreaches(in file: TextFile, paths: [String]) -> [Breach] {
        file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            namedPaths(in: line).filter { !exists($0, among: paths) }.map {
                Breach(path: file.path, line: index + 1, reason: "no file of the package is \($0)")
            }
        }
    }

    /// Modules of the package that the document does not name in backquotes.
    static func moduleBreaches(in file: TextFile, modules: some Sequence<String>) -> [Breach] {
        modules.sorted().filter { !file.text.contains("`\($0)`") }.map {
            Breach(path: file.path, line: nil, reason: "does not tell about the module \($0)")
        }
    }

    private static func namedPaths(in line: Substring) -> [String] {
        let quoted = line.matches(of: /`([^`]+)`/).flatMap { $0.1.split(separator: " ") }
        let linked = line.matches(of: /\]\(([^)#]+)\)/).map(\.1)
        return (quoted + linked).map(String.init).filter { word in
            guard word.wholeMatch(of: /[A-Za-z0-9_.+\/-]+/) != nil, !word.hasPrefix("results/local/") else {
                return false
            }
            return folders.contains { word.hasPrefix($0) } || endings.contains { word.hasSuffix($0) && word != $0 }
        }
    }

    private static func exists(_ path: String, among paths: [String]) -> Bool {
        let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
        return paths.contains { $0 == bare || $0.hasSuffix("/" + bare) || $0.hasPrefix(bare + "/") }
    }
}
