import Testing

@Suite struct ImportRuleTests {
    private let rule = ImportRule(
        package: """
            let modules = [
                ("Primitives", []), ("Workload", ["Primitives"]), ("Histograms", ["Primitives", "CZlib"]),
                ("Transport", ["Primitives"]),
                (
                    "Harness",
                    [
                        "Primitives", "Transport",
                    ]
                ),
            ]
            .executableTarget(name: "pushbench", dependencies: ["Harness"])
            """)

    @Test func `our modules import what they may`() throws {
        let rule = ImportRule(package: try #require(PackageTree.file("Package.swift")).text)
        #expect(rule.allowed.count > 10)
        #expect(PackageTree.files.flatMap(rule.breaches) == [])
    }

    @Test(arguments: [
        ("Sources/Workload/A.swift", "import Transport", "Package.swift does not let Workload import Transport"),
        (
            "Sources/Primitives/A.swift", "public import Workload",
            "Package.swift does not let Primitives import Workload"
        ),
        ("Sources/Workload/A.swift", "internal import Glibc", "Workload is pure and may not import Glibc"),
        ("Sources/Workload/A.swift", "import Foundation", "Workload is pure and may not import Foundation"),
        ("Sources/Harness/Run/A.swift", "@preconcurrency import Dispatch", "Dispatch is for Transport only"),
        (
            "Sources/Transport/A.swift", "import struct Foundation.URL",
            "Foundation is for Reports, RunRecords, pushbench only"
        ),
        ("Sources/Histograms/A.swift", "import COpenSSL", "Histograms may not import COpenSSL"),
        ("Sources/Stray/A.swift", "import Primitives", "Package.swift has no module Stray"),
    ])
    func `an import outside the map is found`(path: String, text: String, reason: String) {
        let file = TextFile(path, "// first\n" + text + "\n")
        #expect(rule.breaches(in: file) == [Breach(path: path, line: 2, reason: reason)])
    }

    @Test(arguments: [
        ("Sources/Histograms/A.swift", "public import Primitives\nimport CZlib\nimport Glibc\n"),
        ("Sources/Harness/A.swift", "import Transport\nimport Synchronization\n"),
        ("Sources/pushbench/A.swift", "import Foundation\nimport Harness\n"),
        ("Sources/Workload/A.swift", "// import Foundation\nlet text = \"import Dispatch\"\n"),
        ("Tests/WorkloadTests/A.swift", "import Foundation\n"),
    ])
    func `an import inside the map passes`(path: String, text: String) {
        #expect(rule.breaches(in: TextFile(path, text)) == [])
    }
}
