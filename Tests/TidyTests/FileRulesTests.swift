import Testing

@Suite struct FileRulesTests {
    @Test func `our files are of a size that one can overlook`() {
        #expect(PackageTree.files.flatMap(FileRules.sizeBreaches) == [])
    }

    @Test func `our files are named for what is in them`() {
        #expect(PackageTree.files.flatMap(FileRules.nameBreaches) == [])
    }

    @Test func `our profiles say what they are for`() {
        #expect(PackageTree.files.contains { $0.path.hasPrefix("profiles/") })
        #expect(PackageTree.files.flatMap(FileRules.profileBreaches) == [])
    }

    @Test(arguments: [
        ("Sources/Harness/A.swift", 500, 0), ("Sources/Harness/A.swift", 501, 1), ("Tests/ATests/A.swift", 900, 0),
        ("Tests/ATests/A.swift", 901, 1), ("README.md", 2_000, 0),
    ])
    func `a file over its limit is found`(path: String, lines: Int, count: Int) {
        let file = TextFile(path, String(repeating: "x\n", count: lines))
        #expect(FileRules.sizeBreaches(in: file).count == count)
    }

    @Test(arguments: [
        "Sources/Harness/StringUtils.swift", "Sources/Common/A.swift", "Sources/Harness/LinkManager.swift",
        "Tests/ATests/Helpers.swift", "docs/how to.md",
    ])
    func `a name of a drawer and a space are found`(path: String) {
        #expect(FileRules.nameBreaches(in: TextFile(path, "")).count == 1)
    }

    @Test(arguments: ["Sources/Harness/Run/RunRecord+Outcome.swift", "profiles/bad-tokens.json5", ".ci/run"])
    func `a name of a thing passes`(path: String) {
        #expect(FileRules.nameBreaches(in: TextFile(path, "")) == [])
    }

    @Test(arguments: [
        ("{ name: \"a\" } // late", 1), ("// early\n{}", 0), ("{\n  // early\n}", 0), ("/* early */ {}", 0),
    ])
    func `a profile without a first comment is found`(text: String, count: Int) {
        #expect(FileRules.profileBreaches(in: TextFile("profiles/a.json5", text)).count == count)
    }
}
