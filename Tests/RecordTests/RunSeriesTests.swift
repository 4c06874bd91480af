import Foundation
import Reports
import RunRecords
import Testing

@Suite struct RunSeriesTests {
    @Test func `a series reads back as it was written, and one run as a series of one`() throws {
        let folder = try TemporaryFolder()
        var series = RunSeriesRecord([sampleRecord(), sampleRun(acceptedPerSecond: 5)])
        series.interleaving = InterleavingRecord(comparison: "7", order: "ABBA", side: "A")
        let file = RecordFile(path: folder.path("s.json"))
        try file.write(series)
        #expect(try RunSeriesRecord.read(file.path) == series)
        #expect(throws: RecordError.self) { try RunRecord.read(file.path) }
        try file.write(sampleRecord())
        #expect(try RunSeriesRecord.read(file.path) == RunSeriesRecord([sampleRecord()]))
    }

    @Test func `a series ends as its worst run`() {
        func run(_ status: VerdictRecord.Status, _ exitCode: Int, _ reason: String? = nil) -> RunRecord {
            var run = sampleRecord()
            run.verdict = VerdictRecord(status: status, reasons: reason.map { [$0] } ?? [], exitCode: exitCode)
            return run
        }
        #expect(RunSeriesRecord([run(.passed, 0), run(.passed, 0)]).verdict.exitCode == 0)
        let series = RunSeriesRecord([
            run(.passed, 0), run(.failed, 3, "a"), run(.inconclusive, 4, "b"), run(.passed, 0),
        ])
        #expect(series.verdict == VerdictRecord(status: .failed, reasons: ["run 2: a", "run 3: b"], exitCode: 3))
        #expect(RunSeriesRecord([run(.unreachable, 8), run(.interrupted, 130)]).verdict.exitCode == 8)
        var killed = sampleRecord()
        killed.verdict = VerdictRecord()
        #expect(RunSeriesRecord([run(.failed, 3), killed]).verdict.exitCode == 1)
    }

    @Test(arguments: [
        ("", "is empty"), (" \n", "is empty"), ("[1, 2]", "names no schema"), ("{}", "names no schema"),
        ("{\"schema\": \"pushbench.compare/1\"}", "has the schema \"pushbench.compare/1\""),
        ("{\"schema\": \"pushbench.runs/2\", \"runs\": []}", "has the schema \"pushbench.runs/2\""),
        ("{\"schema\": \"pushbench.runs/1\"}", "is missing"),
        (
            "{\"schema\": \"pushbench.runs/1\", \"verdict\": {\"status\": \"passed\", \"reasons\": []}, \"runs\": 5}",
            "another kind"
        ),
        ("{\"schema\": \"pushbench.runs/1\", \"runs\": [", "ends within the record"),
        ("{\"schema\": \"pushbench.run/1\", \"durationNs\": NaN}", "is not JSON: NaN"),
        ("no record", "is not JSON"),
    ])
    func `anything else is refused in one line`(_ text: String, _ expected: String) throws {
        let error = try #require(throws: RecordError.self) {
            try RunSeriesRecord.decode(Array(text.utf8), path: "x.json")
        }
        #expect("\(error)".hasPrefix("x.json: ") && "\(error)".contains(expected), "\(error)")
        #expect(!"\(error)".contains("\n"))
    }

    @Test func `a series cut anywhere is refused`() throws {
        let bytes = try RunSeriesRecord([sampleRecord(), sampleRecord()]).encoded(.compact)
        for length in stride(from: 1, to: bytes.count - 2, by: max(1, bytes.count / 23)) {
            #expect(throws: RecordError.truncated(path: "x", length: length)) {
                try RunSeriesRecord.decode(Array(bytes[..<length]), path: "x")
            }
        }
    }

    @Test func `its summary tells each run and how far they scatter`() {
        var runs = [sampleRun(acceptedPerSecond: 100_000), sampleRun(acceptedPerSecond: 110_000)]
        runs[1].verdict = VerdictRecord(status: .failed, reasons: ["x"], exitCode: 3)
        let text = SeriesSummary(RunSeriesRecord(runs), style: .plain).text
        #expect(text.hasPrefix("2 runs, 1 passed\n  - run 2: x\n\n"))
        #expect(text.contains("100 k/s") && text.contains("110 k/s") && text.contains("9.5 %"), "\(text)")
        let single = SeriesSummary(RunSeriesRecord([runs[0]]), style: .plain).text
        #expect(single == RunSummary(runs[0], style: .plain).text)
    }
}

@Suite struct NoiseCacheTests {
    private func record(_ hash: String, _ ratio: Double) -> NoiseRecord {
        NoiseRecord(
            machine: sampleRecord().machine, profileHash: hash, profileName: "p", build: "release",
            measuredAt: "2026-01-02T03:04:05Z", order: "ABBA", pairRatios: ["accepted/s": [ratio]])
    }

    @Test func `noise is kept for each machine, profile and build`() throws {
        let folder = try TemporaryFolder()
        let cache = NoiseCache(folder: folder.path("new"))
        let machine = sampleRecord().machine
        #expect(cache.read(machine: machine, profileHash: "a", build: "release") == nil)
        try cache.write(record("a", 1.01))
        try cache.write(record("b", 1.02))
        try cache.write(record("a", 1.03))
        #expect(cache.read(machine: machine, profileHash: "a", build: "release") == record("a", 1.03))
        #expect(cache.read(machine: machine, profileHash: "b", build: "release") == record("b", 1.02))
        var other = machine
        other.cores = 64
        #expect(cache.read(machine: other, profileHash: "a", build: "release") == nil)
        #expect(cache.read(machine: machine, profileHash: "a", build: "debug") == nil)
    }

    @Test func `what cannot be read is nothing, and is replaced`() throws {
        let folder = try TemporaryFolder()
        try folder.write("noise.json", "{ broken")
        let cache = NoiseCache(folder: folder.path(""))
        #expect(cache.read(machine: sampleRecord().machine, profileHash: "a", build: "release") == nil)
        try cache.write(record("a", 1.01))
        #expect(cache.read(machine: sampleRecord().machine, profileHash: "a", build: "release") != nil)
    }

    @Test func `the oldest records go`() throws {
        let cache = NoiseCache(folder: try TemporaryFolder().path(""))
        for number in 0..<70 { try cache.write(record("\(number)", 1)) }
        let machine = sampleRecord().machine
        #expect(cache.read(machine: machine, profileHash: "5", build: "release") == nil)
        #expect(cache.read(machine: machine, profileHash: "69", build: "release") != nil)
    }
}
