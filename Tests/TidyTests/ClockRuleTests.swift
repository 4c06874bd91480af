import Testing

/// Only instants of the monotonic clock may be subtracted from each other: the wall clock steps.
@Suite struct ClockRuleTests {
    /// Files that tell people or protocols what time it is, and measure nothing.
    private static let exempt: Set<String> = [
        "Sources/Harness/Machine/Machine.swift", "Sources/Harness/Machine/UnixClock.swift",
        "Sources/pushbench/Commands/RunCommand.swift",
    ]
    private static let words = ["CLOCK_REALTIME", "gettimeofday", "time(nil)", "Date()", "Date.now"]

    private static func findings(in file: TextFile) -> [String] {
        guard file.path.hasPrefix("Sources/"), !exempt.contains(file.path) else { return [] }
        return words.filter { file.code.contains($0) }.map { "\(file.path): \($0)" }
    }

    @Test func `nothing but the files that tell the date reads the wall clock`() {
        #expect(PackageTree.swiftFiles.flatMap(Self.findings) == [])
        for path in Self.exempt { #expect(PackageTree.file(path) != nil, "\(path)") }
    }

    @Test func `a file that measures by the wall clock is found`() {
        #expect(
            Self.findings(in: TextFile("Sources/Harness/A.swift", "clock_gettime(CLOCK_REALTIME, &time)")).count == 1)
        #expect(Self.findings(in: TextFile("Sources/Harness/A.swift", "clock_gettime(CLOCK_MONOTONIC, &time)")).isEmpty)
    }
}
