import Foundation

/// Words that may not stand in some part of the package.
struct WordRule: Sendable {
    /// What part of a file is searched; files other than Swift's are always searched whole.
    enum Part {
        case code
        case codeAndComments
        case everything
    }

    var words: [String]
    var part: Part
    var reason: String
    var concerns: @Sendable (String) -> Bool

    /// The places at which one of the words stands as a word of its own.
    func breaches(in file: TextFile) -> [Breach] {
        guard concerns(file.path) else { return [] }
        let text =
            switch part {
            case .everything: file.text
            case .code: file.code
            case .codeAndComments: file.codeAndComments
            }
        guard words.contains(where: { text.contains($0) }) else { return [] }
        return Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .flatMap { index, line in
                words.filter { Self.stands($0, in: line) }.map {
                    Breach(path: file.path, line: index + 1, reason: "\($0): \(reason)")
                }
            }
    }

    private static func stands(_ word: String, in line: ArraySlice<UInt8>) -> Bool {
        let word = Array(word.utf8)
        guard let first = word.first, let last = word.last else { return false }
        var rest = line
        while let start = rest.firstIndex(of: first) {
            rest = rest[(start + 1)...]
            let end = start + word.count
            guard end <= line.endIndex, line[start..<end].elementsEqual(word) else { continue }
            let continuesBefore = isLetter(first) && start > line.startIndex && isLetter(line[start - 1])
            let continuesAfter = isLetter(last) && end < line.endIndex && isLetter(line[end])
            if !continuesBefore && !continuesAfter { return true }
        }
        return false
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension WordRule {
    /// The suites without sockets and processes, which have no business with real time.
    private static let unitSuites = [
        "PrimitivesTests", "PushWireTests", "HistogramsTests", "WorkloadTests", "SessionTests", "ProviderAPITests",
        "RecordTests",
    ]

    static let unfinished = WordRule(
        words: ["TODO", "FIXME", "XXX", "HACK"], part: .codeAndComments, reason: "finish it, or file an issue",
        concerns: { _ in true })

    static let forcedTry = WordRule(
        words: ["try!"], part: .code, reason: "handle the error", concerns: { $0.hasPrefix("Sources/") })

    static let printing = WordRule(
        words: ["print(", "debugPrint("], part: .code, reason: "only the programs talk to the user",
        concerns: { $0.hasPrefix("Sources/") && !$0.hasPrefix("Sources/pushbench/") })

    static let exiting = WordRule(
        words: ["exit(", "abort(", "fatalError("], part: .code, reason: "only the programs end the process",
        concerns: { $0.hasPrefix("Sources/") && !$0.hasPrefix("Sources/pushbench/") && $0.hasSuffix(".swift") })

    static let realTime = WordRule(
        words: ["sleep", "usleep", "Date(", "ContinuousClock", "SuspendingClock", "clock_gettime"], part: .code,
        reason: "a unit test has no real clock",
        concerns: { path in unitSuites.contains { path.hasPrefix("Tests/\($0)/") } })

    static let oldTestLibrary = WordRule(
        words: ["XCTest", "XCTestCase"], part: .code, reason: "tests are written with Swift Testing",
        concerns: { $0.hasPrefix("Tests/") })

    static let sharedUnchecked = WordRule(
        words: ["@unchecked", "nonisolated(unsafe)"], part: .code,
        reason: "only Confined promises what the compiler cannot prove",
        concerns: { $0.hasPrefix("Sources/") && $0 != "Sources/Transport/Confined.swift" })

    static let dispatchObjects = WordRule(
        words: ["DispatchQueue(", "DispatchSource", "setEventHandler", "setCancelHandler", "DispatchWorkItem("],
        part: .code, reason: "Dispatch objects and their handlers are made in LoopDispatch.swift",
        concerns: { $0.hasPrefix("Sources/") && $0 != "Sources/Transport/LoopDispatch.swift" })

    static let unsafeSettings = WordRule(
        words: ["unsafeFlags", "-Ounchecked"], part: .everything, reason: "the package depends on no unsafe setting",
        concerns: { ["Package.swift", "Makefile"].contains($0) || $0.hasPrefix("scripts/") || $0.hasPrefix(".ci/") })

    static let machinePaths = WordRule(
        words: ["work", "root", "home", "tmp"].map { " /\($0)/" } + ["work", "root", "home", "tmp"].map { "\"/\($0)" },
        part: .everything, reason: "a path of one machine", concerns: { _ in true })

    static let all = [
        unfinished, forcedTry, printing, exiting, realTime, oldTestLibrary, sharedUnchecked, dispatchObjects,
        unsafeSettings, machinePaths,
    ]
}
