import Foundation
import Testing

@Suite struct WordRuleTests {
    @Test func `no forbidden word stands in our tree`() {
        #expect(PackageTree.files.count > 100)
        #expect(PackageTree.files.flatMap { file in WordRule.all.flatMap { $0.breaches(in: file) } } == [])
    }

    @Test func `exactly one type promises what the compiler cannot prove`() {
        let promises = PackageTree.swiftFiles.filter { $0.module != nil }.reduce(0) { count, file in
            count + file.code.components(separatedBy: "@unchecked Sendable").count - 1
        }
        #expect(promises == 1)
    }

    @Test(arguments: [
        (WordRule.unfinished, "Sources/Harness/A.swift", "let a = 1 // TODO: more"),
        (WordRule.unfinished, "README.md", "FIXME later"),
        (WordRule.forcedTry, "Sources/Harness/A.swift", "let a = try! b()"),
        (WordRule.forcedTry, "Sources/Harness/A.swift", "let a = \"\\(try! b())\""),
        (WordRule.printing, "Sources/Harness/A.swift", "print(a)"),
        (WordRule.exiting, "Sources/Reports/A.swift", "exit(1)"),
        (WordRule.realTime, "Tests/SessionTests/A.swift", "try await Task.sleep(for: .seconds(1))"),
        (WordRule.realTime, "Tests/RecordTests/A.swift", "let now = Date()"),
        (WordRule.oldTestLibrary, "Tests/RecordTests/A.swift", "import XCTest"),
        (WordRule.sharedUnchecked, "Sources/Harness/A.swift", "class A: @unchecked Sendable {}"),
        (WordRule.sharedUnchecked, "Sources/Harness/A.swift", "nonisolated(unsafe) var a = 1"),
        (WordRule.dispatchObjects, "Sources/Transport/A.swift", "let a = DispatchQueue(label: \"a\")"),
        (WordRule.unsafeSettings, "Package.swift", ".unsafeFlags([\"-O\"])"),
        (WordRule.machinePaths, "README.md", "see /" + "root/notes"),
        (WordRule.machinePaths, "Tests/RecordTests/A.swift", "write(to: \"/" + "tmp/a\")"),
    ])
    func `a forbidden word is found`(rule: WordRule, path: String, text: String) {
        #expect(rule.breaches(in: TextFile(path, "first\n" + text + "\n")).map(\.line) == [2])
    }

    @Test(arguments: [
        (WordRule.unfinished, "Sources/Harness/A.swift", "let a = \"TODO\" // \\uXXXX, HACKED"),
        (WordRule.forcedTry, "Sources/Harness/A.swift", "let a = \"try! b\" // try! c"),
        (WordRule.forcedTry, "Tests/RecordTests/A.swift", "try! a()"),
        (WordRule.printing, "Sources/pushbench/A.swift", "print(a)"),
        (WordRule.printing, "Sources/Harness/A.swift", "fingerprint(a)"),
        (WordRule.exiting, "Sources/Harness/A.swift", "onexit(a)"),
        (WordRule.realTime, "Tests/EndToEndTests/A.swift", "usleep(1)"),
        (WordRule.realTime, "Tests/SessionTests/A.swift", "let sleeper = 1"),
        (WordRule.sharedUnchecked, "Sources/Transport/Confined.swift", "class A: @unchecked Sendable {}"),
        (WordRule.dispatchObjects, "Sources/Transport/LoopDispatch.swift", "DispatchQueue(label: a)"),
        (WordRule.machinePaths, "README.md", "results/" + "work/a, https://a.example/tmp/b"),
    ])
    func `a permitted use passes`(rule: WordRule, path: String, text: String) {
        #expect(rule.breaches(in: TextFile(path, text + "\n")) == [])
    }
}
