import Testing

@Suite struct DocumentRulesTests {
    private let paths = ["Sources/Harness/Run/RunEngine.swift", "profiles/quickstart.json5", "README.md"]

    @Test(arguments: ["ARCHITECTURE.md", "README.md", "docs/ci.md"])
    func `every path that a document names is there`(name: String) throws {
        let document = try #require(PackageTree.file(name))
        #expect(DocumentRules.pathBreaches(in: document, paths: PackageTree.paths) == [])
    }

    @Test func `the map tells about every module`() throws {
        let map = try #require(PackageTree.file("ARCHITECTURE.md"))
        let modules = ImportRule(package: try #require(PackageTree.file("Package.swift")).text).allowed.keys
        #expect(DocumentRules.moduleBreaches(in: map, modules: modules.filter { !$0.hasSuffix("Tests") }) == [])
    }

    @Test(arguments: [
        "the flow is in `Run/RunMotor.swift`", "`Sources/Harness/Sprint/`", "`pushbench run profiles/slow.json5`",
        "[the map](MAP.md)", "`Engine.swift`",
    ])
    func `a path that is not there is found`(text: String) {
        let breaches = DocumentRules.pathBreaches(in: TextFile("README.md", "first\n" + text), paths: paths)
        #expect(breaches.map(\.line) == [2])
    }

    @Test(arguments: [
        "`RunEngine.swift`, `Run/RunEngine.swift` and `Sources/Harness/`", "`pushbench run profiles/quickstart.json5`",
        "`results/local/quickstart.json`", "[first](README.md#commands)", "`a/b` and `.swift`",
    ])
    func `a path that is there passes`(text: String) {
        #expect(DocumentRules.pathBreaches(in: TextFile("README.md", text), paths: paths) == [])
    }

    @Test func `a module that is left out is found`() {
        let breaches = DocumentRules.moduleBreaches(
            in: TextFile("ARCHITECTURE.md", "`Harness`"), modules: ["Harness", "Reports"])
        #expect(breaches.map(\.reason) == ["does not tell about the module Reports"])
    }
}
